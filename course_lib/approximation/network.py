"""The network that the proof builds: four layers of plain matrices, and what it can do between the points of a grid.

Layer k takes rows z and gives σ(z W_k + b_k); the last layer does not squash. A class 𝒩_k of the theorem is what comes
before the squash of layer k, so the whole network is in 𝒩_4.  [Ponti 2025, §2.2.1]
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from course_lib.approximation.separators import Separator, checked_points
from course_lib.approximation.squash import Squashing, logistic

CHUNK = 2**22  # entries of the widest layer held at a time


@dataclass(frozen=True, eq=False)
class FourLayerNetwork:
    """Four layers (W [in, out], b [out]) and the squashing function σ between them."""

    layers: list[tuple[np.ndarray, np.ndarray]]
    sigma: Squashing = logistic

    @property
    def sizes(self) -> tuple[int, ...]:
        """Widths: d, n₁, n₂, n₃, 1."""
        return (self.layers[0][0].shape[0], *(len(b) for _, b in self.layers))

    @property
    def units(self) -> int:
        """Hidden units: n₁ + n₂ + n₃."""
        return sum(self.sizes[1:-1])

    @property
    def weights(self) -> int:
        """Weights and biases that are not 0."""
        return sum(int(np.count_nonzero(W)) + int(np.count_nonzero(b)) for W, b in self.layers)

    @property
    def largest(self) -> float:
        """The largest absolute weight."""
        return max((float(np.abs(W).max()) for W, _ in self.layers if W.size), default=0.0)

    def __call__(self, x: Float[np.ndarray, "q d"]) -> Float[np.ndarray, " q"]:
        """The outputs at the rows of x [q, d]."""
        x = checked_points("x", x)
        rows = max(1, CHUNK // max(self.sizes))
        return np.concatenate([self._forward(x[i : i + rows]) for i in range(0, len(x), rows)] or [np.zeros(0)])

    def _forward(self, x: np.ndarray) -> np.ndarray:
        for number, (W, b) in enumerate(self.layers):
            x = x @ W + b
            if number < len(self.layers) - 1:
                x = self.sigma(x)
        return x[:, 0]

    def enclose(
        self, lower: Float[np.ndarray, "q d"], upper: Float[np.ndarray, "q d"]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Two numbers [q] between which the network stays on the box from `lower` to `upper`, up to rounding.

        Interval arithmetic: an affine map of a box has exact ends, and σ never decreases, so it maps ends to ends. The
        answer can be too wide, never too narrow.
        """
        lower, upper = checked_points("lower", lower), checked_points("upper", upper)
        rows = max(1, CHUNK // max(self.sizes))
        low, high = np.empty(len(lower)), np.empty(len(lower))
        for i in range(0, len(lower), rows):
            a, z = lower[i : i + rows], upper[i : i + rows]
            for number, (W, b) in enumerate(self.layers):
                up, down = np.maximum(W, 0), np.minimum(W, 0)
                a, z = a @ up + z @ down + b, z @ up + a @ down + b
                if number < len(self.layers) - 1:
                    a, z = self.sigma(a), self.sigma(z)
            low[i : i + rows], high[i : i + rows] = a[:, 0], z[:, 0]
        return low, high


def assemble(
    start: float, gains: list[float], separators: list[Separator], *, dimension: int, sigma: Squashing
) -> FourLayerNetwork:
    """The network of start − Σ_k gain_k (H_k − 1/2): the corrections' units side by side in each layer (lemmas 2.1 and
    2.2)."""
    parts = [each.matrices for each in separators]
    W1 = np.concatenate([part[0][0] for part in parts] or [np.zeros((dimension, 0))], axis=1)
    layers = [(W1, np.concatenate([part[0][1] for part in parts] or [np.zeros(0)]))]
    for k in (1, 2):
        shapes = [part[k][0].shape for part in parts]
        W = np.zeros((sum(a for a, _ in shapes), sum(b for _, b in shapes)))
        row = column = 0
        for part, (a, b) in zip(parts, shapes, strict=True):
            W[row : row + a, column : column + b] = part[k][0]
            row, column = row + a, column + b
        layers.append((W, np.concatenate([part[k][1] for part in parts] or [np.zeros(0)])))
    gains_ = np.array(gains, dtype=np.float64)
    layers.append((-gains_[:, None], np.array([start + 0.5 * gains_.sum()])))
    return FourLayerNetwork(layers, sigma)
