"""How far n sampled tokens are from the measure they come from: the constant in front of 1/√n."""

import numpy as np
from jaxtyping import Float

from course_lib.heads import Heads, checked_tokens
from course_lib.incontext.maps import _logarithms
from course_lib.incontext.measures import Measure


def fluctuation(measure: Measure, x: Float[np.ndarray, "q d"], heads: Heads) -> Float[np.ndarray, "q d d"]:
    """The covariance V to which that of √n (Γ(μ_n, x) − Γ(μ, x)) tends, for μ_n of n independent tokens of the measure.

    V = ∫ ψᵀψ dμ with ψ(y) = Σ_h e^{x C_h yᵀ}/Z_h · (y − a_h) M_h, where Z_h = ∫ e^{x C_h yᵀ} dμ and a_h is the head's
    average.
    """
    x, atoms = checked_tokens("x", x, heads.d), checked_tokens("the atoms", measure.atoms, heads.d)
    psi = np.zeros((len(x), len(atoms), heads.d))
    log_weights = _logarithms(measure.weights)
    for C, M in zip(heads.scoring, heads.writing, strict=True):
        logits = x @ C @ atoms.T  # [q, n]
        top = (logits + log_weights).max(1, keepdims=True)
        total = np.exp(logits + log_weights - top).sum(1, keepdims=True)
        ratio = np.exp(np.where(measure.weights > 0, logits - top - np.log(total), -np.inf))  # e^{score}/Z
        average = (ratio * measure.weights) @ atoms
        psi += ratio[..., None] * ((atoms - average[:, None]) @ M)
    return np.einsum("n,qni,qnj->qij", measure.weights, psi, psi)
