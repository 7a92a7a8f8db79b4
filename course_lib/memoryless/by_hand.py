"""Weights that are written down instead of trained: a model that is silent but for its skip connections, and its
read-out."""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from course_lib import checks
from course_lib.memoryless.model import SourceModel
from course_lib.memoryless.sizes import Sizes


def silent(sizes: Sizes) -> SourceModel:
    """A model in float64 with every weight 0 but the gains of its norms, which are 1: what is written into it is all
    that speaks."""
    model = SourceModel(sizes, dtype=torch.float64).requires_grad_(False)
    for name, weight in model.named_parameters():
        weight.fill_(1.0 if name.startswith("gamma") else 0.0)
    return model


def read_out(model: SourceModel, Z: Float[Tensor, "k d"], predictions: Float[np.ndarray, "k v"]) -> None:
    """Write W_3 and w_3 such that row Z[k], a one-hot of k but for scale and shift, gives predictions[k].

    Raises ValueError where there are more predictions than the width d can name, and for a prediction that is not
    positive.
    """
    if len(predictions) > model.W_3.shape[0]:
        checks.fail("predictions", f"at most d = {model.W_3.shape[0]} rows", len(predictions))
    if not (np.asarray(predictions) > 0).all():
        checks.fail("predictions", "positive everywhere: a softmax is", "a share of 0 or less")
    high, low = Z[0, 0], Z[0, 1]
    model.W_3[: len(predictions)] = torch.as_tensor(np.log(predictions)) / (high - low)
    model.w_3.copy_(-low * model.W_3.sum(0))
