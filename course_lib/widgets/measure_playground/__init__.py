"""MeasurePlayground: weighted tokens in the plane, and what layers of attention to their measure make of the plane and of them."""

from collections.abc import Sequence

import numpy as np
import traitlets

from .. import settings
from ..base import Checked, CourseWidget

PLACE, WEIGHT = (-4, 4), (0.01, 10)  # of a token
TOKENS = 200
NUMBERS = {"scale": (0, 5), "step": (0.01, 1), "blur": (0, 1.5)}
WHOLE = {"layers": (0, 6), "n": (10, 1000), "seed": (0, 9999)}
FLAGS = ("pushed", "compare")
FIVE = ((-1.5, 0.5, 1), (-0.5, -1, 1), (1, -0.5, 2), (1.5, 1, 1), (0.2, 1.6, 1))
TURNING = ((((1, 0), (0, 1)), ((0, 1), (-1, 0))),)


class MeasurePlayground(CourseWidget):
    """μ = Σ p δ, p = weight / Σ weights, and the field x ↦ Γ(μ, x) = x + ε Σ_h attention of x to μ, layer after layer.

    A grid of 30 × 30 places over [-3, 3]² and the tokens move by 0 … 6 layers with the same heads. The numbers are those of
    `course_lib.incontext`: of `gamma` of a `Measure`, of its closed form for a Gaussian around every token (see blur), and of ⋄.

    tokens: [n, 3], n from 1 to 200, each x, y from -4 to 4 and a weight from 0.01 to 10. heads: one to three pairs
    (W_Q W_Kᵀ, W_V W_O), an array [h, 2, 2, 2] of numbers from -2 to 2. scale: s of the scores s · x W_Q W_Kᵀ yᵀ, 0 … 5.
    step: ε, 0.01 … 1 (1 is Γ itself). layers: 0 … 6. blur: σ, 0 … 1.5: every token becomes N(token, σ²I). Seen by a layer it is
    exact; pushed forward, Gauss–Hermite nodes stand for it (9, 7, 5 or 3 an axis, at most 1,800 in all where 3 will do).
    pushed: True for ⋄, every layer looks at the measure pushed forward by those before it; False for ∘, at the start's.
    compare: True to draw n tokens (10 … 1000, seed 0 … 9999) from the measure and move the grid by them as well.

    The reader can change everything; all can be set from Python too. ValueError names the argument.

    Read back, written by the front end when it has drawn (empty until then): result, with layer, tokens [n, 2] where they are
    now, mean, spread, largest_move (on the grid), other_order (the other composition's largest distance on the grid), node_error
    (of the nodes, in the first layer), sample_error (root mean square on the grid) and rate (the exponent of n); None where it
    is not defined or not asked for.
    """

    bundle_name = "measure_playground"

    tokens = Checked().tag(sync=True)
    heads = Checked().tag(sync=True)
    scale = Checked().tag(sync=True)
    step = Checked().tag(sync=True)
    layers = Checked().tag(sync=True)
    blur = Checked().tag(sync=True)
    pushed = Checked().tag(sync=True)
    compare = Checked().tag(sync=True)
    n = Checked().tag(sync=True)
    seed = Checked().tag(sync=True)
    result = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        tokens: np.ndarray | Sequence = FIVE,
        *,
        heads: np.ndarray | Sequence = TURNING,
        scale: float = 0.7,
        step: float = 0.4,
        layers: int = 1,
        blur: float = 0.0,
        pushed: bool = True,
        compare: bool = False,
        n: int = 100,
        seed: int = 0,
        address: str = "measure",
    ) -> None:
        super().__init__(
            tokens=tokens, heads=heads, scale=scale, step=step, layers=layers, blur=blur, pushed=pushed, compare=compare, n=n, seed=seed,
            address=address,
        )  # fmt: skip

    @traitlets.validate("tokens")
    def _check_tokens(self, proposal: dict) -> list:
        value, takes = proposal["value"], f"tokens must be 1 to {TOKENS} rows x, y, weight, an array [n, 3]"
        try:
            tokens = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{takes}, got {value!r}") from None
        if tokens.ndim != 2 or tokens.shape[1] != 3 or not 1 <= len(tokens) <= TOKENS:
            raise ValueError(f"{takes}, got shape {list(tokens.shape)}")
        for column, name, (low, high) in ((tokens[:, :2], "places", PLACE), (tokens[:, 2], "weights", WEIGHT)):
            good = (column >= low) & (column <= high)  # also false for nan
            if not good.all():
                raise ValueError(f"tokens must have {name} from {low} to {high}, got {column[~good][0]}")
        return tokens.tolist()

    _check_heads = settings.checked(settings.heads, ["heads"])
    _check_number = settings.checked(settings.number, NUMBERS)
    _check_whole = settings.checked(settings.whole, WHOLE)
    _check_flag = settings.checked(settings.flag, FLAGS)
