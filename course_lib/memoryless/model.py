"""The model of source R as it is published: one block with one head, norm after each sum, the last row read out.

[Sandron 2024, §2.1 and §4.1]
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib import checks
from course_lib.attention import attend
from course_lib.memoryless.sizes import Sizes, shapes

SCALES = ("m", "d")
EPS = 1e-5  # of both layer norms


class Stages(NamedTuple):
    """Everything on the way from tokens to the prediction. In source R's letters O is A, Y is A_O and N is not
    named."""

    X: Tensor  # [..., n, d] rows of E plus rows of P
    Q: Tensor  # [..., n, m]
    K: Tensor  # [..., n, m]
    V: Tensor  # [..., n, m]
    A: Tensor  # [..., n, n] attention weights
    O: Tensor  # [..., n, m] A V
    Y: Tensor  # [..., n, d] O W_O + w_o
    N: Tensor  # [..., n, d] the first norm of X + Y
    Z: Tensor  # [..., n, d] the second norm: the block's output
    logits: Tensor  # [..., v] from the last row of Z
    q: Tensor  # [..., v] their softmax


class SourceModel(nn.Module):
    """Tokens [b, n] → logits [b, v] of the token that follows.

    Parameters: those of `shapes(sizes)`, by their names there. E and P start normal with standard deviation 0.01, the
    matrices uniform in ±√(6/(rows + columns)), biases 0 and gains 1: what MATLAB's layers do unless told otherwise.
    `scale` "m" divides the scores by √m, "d" by √d as source R writes. `generator` draws; None is a new one seeded with
    0.
    """

    def __init__(
        self,
        sizes: Sizes,
        *,
        scale: str = "m",
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        checks.one_of("scale", scale, SCALES)
        generator = torch.Generator().manual_seed(0) if generator is None else generator
        self.sizes, self.scale = Sizes(*sizes).check(), scale
        for name, shape in shapes(self.sizes).items():
            self.register_parameter(name, nn.Parameter(start(name, shape, generator, dtype)))

    def forward(self, tokens: Int[Tensor, "*b n"]) -> Float[Tensor, "*b v"]:
        """Every row goes through every layer, as published; `last` gives the same for less."""
        return self.stages(tokens).logits

    def stages(self, tokens: Int[Tensor, "*b n"]) -> Stages:
        """All that `forward` computes. Raises ValueError for tokens outside 0 … v and for another length than n."""
        return self.stages_of(self.embed(tokens))

    def last(self, tokens: Int[Tensor, "*b n"]) -> Float[Tensor, "*b v"]:
        """The logits of `forward` from one query, that of the last row: no other row reaches the loss."""
        return self.last_of(self.embed(tokens))

    def embed(self, tokens: Int[Tensor, "*b n"]) -> Float[Tensor, "*b n d"]:
        """X: each token's row of E plus its place's row of P. Token v is the word outside the vocabulary."""
        v, n = self.sizes.v, self.sizes.n
        if not isinstance(tokens, Tensor) or tokens.is_floating_point():
            checks.fail("tokens", "a tensor of ints [..., n]", getattr(tokens, "dtype", type(tokens).__name__))
        checks.size("tokens", tokens, -1, n, "the length n of this model")
        checks.within("tokens", tokens, 0, v)
        return F.embedding(tokens.long(), self.E) + self.P

    def stages_of(self, X: Float[Tensor, "*b n d"]) -> Stages:
        Q, K, V = X @ self.W_Q + self.w_q, X @ self.W_K + self.w_k, X @ self.W_V + self.w_v  # [..., n, m]
        O, A, _ = attend(Q, K, V, scale=self.factor)
        Y = O @ self.W_O + self.w_o  # [..., n, d]
        N, Z = self._think(X + Y)
        logits = Z[..., -1, :] @ self.W_3 + self.w_3
        return Stages(X, Q, K, V, A, O, Y, N, Z, logits, logits.softmax(-1))

    def last_of(self, X: Float[Tensor, "*b n d"]) -> Float[Tensor, "*b v"]:
        K, V = X @ self.W_K + self.w_k, X @ self.W_V + self.w_v  # [..., n, m]
        x = X[..., -1:, :]  # [..., 1, d]
        O = attend(x @ self.W_Q + self.w_q, K, V, scale=self.factor).output  # [..., 1, m]
        _, Z = self._think(x + O @ self.W_O + self.w_o)
        return Z[..., 0, :] @ self.W_3 + self.w_3

    @property
    def factor(self) -> float:
        """What multiplies q·k."""
        return self.W_Q.shape[1 if self.scale == "m" else 0] ** -0.5

    def _think(self, x: Tensor) -> tuple[Tensor, Tensor]:
        N = F.layer_norm(x, x.shape[-1:], self.gamma_1, self.beta_1, EPS)
        hidden = torch.relu(N @ self.W_1 + self.w_1)  # [..., r]
        Z = N + hidden @ self.W_2 + self.w_2
        return N, F.layer_norm(Z, Z.shape[-1:], self.gamma_2, self.beta_2, EPS)


def start(name: str, shape: tuple[int, ...], generator: torch.Generator, dtype: torch.dtype | None = None) -> Tensor:
    """The first value of the learnable `name`, drawn in float64 so that a model in any precision starts the same."""
    dtype = torch.get_default_dtype() if dtype is None else dtype
    if name in ("E", "P"):
        return (0.01 * torch.randn(shape, generator=generator, dtype=torch.float64)).to(dtype)
    if len(shape) == 2:
        reach = (6 / sum(shape)) ** 0.5
        return (reach * (2 * torch.rand(shape, generator=generator, dtype=torch.float64) - 1)).to(dtype)
    return torch.full(shape, 1.0 if name.startswith("gamma") else 0.0, dtype=dtype)
