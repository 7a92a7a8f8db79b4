"""The live wall's numbers (widgets.QuadraticWall at its default sizes), computed by course_lib.costs."""

from course_lib import costs
from course_lib.widgets import QuadraticWall

from . import claim


def default() -> tuple[int, int, int, int]:
    widget = QuadraticWall()
    return widget.n, widget.d, widget.h, widget.layers


@claim("S6.live_weights")
def weights_at_the_default() -> int:
    """Bytes of full attention's weights, n = 4,096, 8 heads, 6 layers."""
    return costs.transformer(*default()).maps


@claim("S6.live_longest")
def longest_on_a_p100() -> int:
    """Tokens of the longest sequence whose training step fits into 16 GB."""
    _, *sizes = default()
    return costs.longest(*sizes, device=costs.P100_PEAK)


@claim("S6.live_crossing")
def crossing_at_the_default() -> int:
    """The n at which attention's two products cost as much as all else."""
    return costs.crossing(default()[1])


@claim("S6.live_reached")
def share_of_the_peak() -> float:
    """6 FLOPs for each of 65e6 parameters and 25,000 tokens a step, 100,000 steps, over 12 hours of 8 P100 at their peak [Vaswani et al. 2017, §5]."""
    return 6 * 65e6 * 25_000 * 100_000 / (12 * 3600 * 8 * costs.P100_PEAK.flops)
