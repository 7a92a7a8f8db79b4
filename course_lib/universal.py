"""Networks of the form that the universality theorem speaks of, to be trained: F_L ⋄ Γ_L ⋄ … ⋄ F_1 ⋄ Γ_1.

Each Γ is a layer of attention with its residual, x + Σ_h Σ_j softmax_j(s · x W_Q W_Kᵀ x_jᵀ) x_j W_V W_O, and each F a
map of one token. The composition ⋄ moves the context with the token. Nothing in the parameters depends on the number of
tokens. [Furuya, de Hoop and Peyré 2025, theorem 1]
"""

import base64
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib import checks
from course_lib.attention import attend
from course_lib.heads import Heads


class TokenMap(NamedTuple):
    """The map F of one token in NumPy: z + tanh(z W_1 + b_1) W_2 + b_2, for W_1 [d, r] and W_2 [r, d]."""

    W_1: np.ndarray
    b_1: np.ndarray
    W_2: np.ndarray
    b_2: np.ndarray

    def __call__(self, z: Float[np.ndarray, "*b d"]) -> Float[np.ndarray, "*b d"]:
        return z + np.tanh(z @ self.W_1 + self.b_1) @ self.W_2 + self.b_2


class Exported(NamedTuple):
    """One network as NumPy arrays: how a point becomes a token, the pairs (Γ, F) in order, how a token becomes the
    answer."""

    lift: Float[np.ndarray, "d_in d"]  # fills up with zeros
    layers: list[tuple[Heads, TokenMap]]
    W: Float[np.ndarray, "d d_out"]
    b: Float[np.ndarray, " d_out"]


class InContextNetworks(nn.Module):
    """As many networks as `seeds`, of one shape and independent of each other, trained at once: every parameter has the
    axis k first.

    Points have d_in coordinates, tokens d (the point and then zeros), answers d_out. h heads of width m; r hidden units
    in each F.
    The last F is followed by an affine map to the answer. With `context` false there is no attention: maps of x alone.
    Seed s draws network s, whatever the other seeds are.
    """

    def __init__(
        self, d_in: int, d_out: int, layers: int, *, d: int, h: int = 1, m: int = 1, r: int = 32, context: bool = True,
        seeds: tuple[int, ...] = (0,), dtype: torch.dtype | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        checks.positive_ints(d_in=d_in, d_out=d_out, layers=layers, h=h, m=m, r=r)
        if d < d_in:
            checks.fail("d", f"at least d_in = {d_in}, for a token holds its point", d)
        if not seeds:
            checks.fail("seeds", "one seed or more", "none")
        self.d_in, self.d, self.context, self.layers = d_in, d, context, layers
        generators = [torch.Generator().manual_seed(seed) for seed in seeds]

        def normal(*shape: int, fan_in: int) -> nn.Parameter:
            drawn = torch.stack([torch.randn(shape, generator=each, dtype=dtype) for each in generators])
            return nn.Parameter(drawn / fan_in**0.5)

        def zeros(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.zeros(len(seeds), *shape, dtype=dtype))

        for name in ("W_Q", "W_K", "W_V", "W_O", "W_1", "b_1", "W_2", "b_2"):
            setattr(self, name, nn.ParameterList())
        for _ in range(layers):
            if context:
                for part in (self.W_Q, self.W_K, self.W_V):
                    part.append(normal(h, d, m, fan_in=d))
                self.W_O.append(normal(h, m, d, fan_in=h * m))
            self.W_1.append(normal(d, r, fan_in=d))
            self.b_1.append(normal(r, fan_in=1))
            self.W_2.append(normal(r, d, fan_in=r))
            self.b_2.append(zeros(d))
        self.W, self.b = normal(d, d_out, fan_in=d), zeros(d_out)

    def forward(
        self, x: Float[Tensor, "k b q d_in"], cloud: Float[Tensor, "k b n d_in"]
    ) -> Float[Tensor, "k b q d_out"]:
        """The answers at the points x, of each network in the clouds of its own; the x need not be in the clouds."""
        for name, points in (("x", x), ("cloud", cloud)):
            checks.array(name, points, 4, "[k, b, points, d_in]")
            checks.size(name, points, -1, self.d_in, "the coordinates of a point")
            checks.size(name, points, 0, len(self.W), "the number of networks")
        # The points and the tokens go through the same maps; only the tokens are looked at.
        rows, q = torch.cat([x, cloud], 2), x.shape[2]
        rows = torch.cat([rows, rows.new_zeros(*rows.shape[:-1], self.d - self.d_in)], -1)
        for layer in range(self.layers):
            tokens = rows[:, :, q:]
            if layer == self.layers - 1:
                rows = rows[:, :, :q]  # what becomes of the context now is seen by nobody
            if self.context:
                rows = rows + self._look(layer, rows, tokens)
            hidden = torch.tanh(_rowwise(rows, self.W_1[layer], self.b_1[layer]))
            rows = rows + _rowwise(hidden, self.W_2[layer], self.b_2[layer])
        return _rowwise(rows, self.W, self.b)

    def _look(self, layer: int, rows: Tensor, tokens: Tensor) -> Tensor:
        def per_head(looked: Tensor, W: Tensor) -> Tensor:
            h, m = W.shape[1], W.shape[3]
            return (
                _rowwise(looked, W.transpose(1, 2).flatten(2)).unflatten(-1, (h, m)).transpose(2, 3)
            )  # [k, b, h, n, m]

        q, k, v = per_head(rows, self.W_Q[layer]), per_head(tokens, self.W_K[layer]), per_head(tokens, self.W_V[layer])
        heads = attend(q, k, v).output.transpose(2, 3).flatten(3)  # [k, b, n, h·m]
        return _rowwise(heads, self.W_O[layer].flatten(1, 2))

    def to_text(self, network: int) -> str:
        """The parameters of network number `network`: float32, in the order of `parameters()`, as base64."""
        flat = torch.cat([each[network].detach().float().flatten() for each in self.parameters()])
        return base64.b64encode(flat.numpy().astype("<f4").tobytes()).decode()

    def read_text(self, text: str, network: int = 0) -> None:
        """Give network number `network` the parameters that `to_text` wrote. ValueError where their number is
        another."""
        data, sizes = base64.b64decode(text), [each[network].numel() for each in self.parameters()]
        if len(data) != 4 * sum(sizes):
            checks.fail(
                "text", f"of {4 * sum(sizes)} bytes, 4 for each number of a network of this shape", f"{len(data)}"
            )
        flat = torch.from_numpy(np.frombuffer(data, "<f4").copy())
        with torch.no_grad():
            for each, part in zip(self.parameters(), flat.split(sizes), strict=True):
                each[network] = part.view_as(each[network])

    def exported(self, network: int) -> Exported:
        """Network number `network`, as float64 arrays for `course_lib.incontext`. ValueError where there is no
        attention."""
        if not self.context:
            checks.fail("context", "true: a network without attention has no heads to export", False)

        def array(parameter: Tensor) -> np.ndarray:
            return parameter[network].detach().double().numpy()

        pairs = []
        for layer in range(self.layers):
            heads = Heads(*(array(part[layer]) for part in (self.W_Q, self.W_K, self.W_V, self.W_O)))
            pairs.append((heads, TokenMap(*(array(part[layer]) for part in (self.W_1, self.b_1, self.W_2, self.b_2)))))
        return Exported(np.eye(self.d_in, self.d), pairs, array(self.W), array(self.b))


def _rowwise(
    rows: Float[Tensor, "k b n d"], W: Float[Tensor, "k d r"], b: Float[Tensor, "k r"] | None = None
) -> Float[Tensor, "k b n r"]:
    """x W + b for every row of every cloud, the matrices being each network's own: one product for a network."""
    flat = rows.flatten(1, 2)  # [k, b·n, d]
    mapped = flat @ W if b is None else torch.baddbmm(b[:, None], flat, W)
    return mapped.unflatten(1, rows.shape[1:3])
