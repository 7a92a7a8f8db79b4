"""MeasurePlayground: weighted tokens in the plane, and what layers of attention to their measure make of the plane and
of them."""

import traitlets

from .. import settings
from ..base import CourseWidget


class MeasurePlayground(CourseWidget):
    """μ = Σ p δ, p = weight / Σ weights, and the field x ↦ Γ(μ, x) = x + ε Σ_h attention of x to μ, layer after layer.

    A grid of 30 × 30 places over [-3, 3]² and the tokens move by 0 … 6 layers with the same heads. The numbers are
    those of `course_lib.incontext`: of `gamma` of a `Measure`, of its closed form for a Gaussian around every token
    (see blur), and of ⋄.

    Read back, written by the front end when it has drawn (empty until then): result, with layer, tokens [n, 2] where
    they are now, mean, spread, largest_move (on the grid), stretch (the largest norm of I + ε Σ s C V M over the
    tokens, of the first layer), other_order (the other composition's largest distance on the grid), node_error (of the
    nodes, in the first layer), sample_error (root mean square on the grid) and rate (the exponent of n); None where it
    is not defined or not asked for.
    """

    address = traitlets.Unicode("measure").tag(sync=True)
    result = traitlets.Dict().tag(sync=True)

    def check_tokens(self, value: object) -> list:
        each = self._settings["tokens"]
        return settings.rows("tokens", value, each["most"], [each["place"], each["place"], each["weight"]])
