"""MeasurePlayground: weighted tokens in the plane, and what layers of attention to their measure make of the plane and of them."""

import numpy as np
import traitlets

from ..base import CourseWidget


class MeasurePlayground(CourseWidget):
    """μ = Σ p δ, p = weight / Σ weights, and the field x ↦ Γ(μ, x) = x + ε Σ_h attention of x to μ, layer after layer.

    A grid of 30 × 30 places over [-3, 3]² and the tokens move by 0 … 6 layers with the same heads. The numbers are those of
    `course_lib.incontext`: of `gamma` of a `Measure`, of its closed form for a Gaussian around every token (see blur), and of ⋄.

    Read back, written by the front end when it has drawn (empty until then): result, with layer, tokens [n, 2] where they are
    now, mean, spread, largest_move (on the grid), stretch (the largest norm of I + ε Σ s C V M over the tokens, of the first
    layer), other_order (the other composition's largest distance on the grid), node_error (of the nodes, in the first layer),
    sample_error (root mean square on the grid) and rate (the exponent of n); None where it is not defined or not asked for.
    """

    address = traitlets.Unicode("measure").tag(sync=True)
    result = traitlets.Dict().tag(sync=True)

    def check_tokens(self, value: object) -> list:
        declared = self._settings["tokens"]
        takes = f"tokens must be 1 to {declared['most']} rows x, y, weight, an array [n, 3]"
        try:
            tokens = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{takes}, got {value!r}") from None
        if tokens.ndim != 2 or tokens.shape[1] != 3 or not 1 <= len(tokens) <= declared["most"]:
            raise ValueError(f"{takes}, got shape {list(tokens.shape)}")
        for column, name in ((tokens[:, :2], "place"), (tokens[:, 2], "weight")):
            low, high = declared[name]
            good = (column >= low) & (column <= high)  # also false for nan
            if not good.all():
                raise ValueError(f"tokens must have {name}s from {low} to {high}, got {column[~good][0]}")
        return tokens.tolist()
