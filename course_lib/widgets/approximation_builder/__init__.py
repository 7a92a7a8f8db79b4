"""ApproximationBuilder: Monico's proof as a loop the reader steps through: U⁺ and U⁻, the covers, the network's size,
its error."""

import traitlets

from ..base import CourseWidget

UNITS = 6000
POINTS = {1: 2**14 + 1, 2: 257**2}


class ApproximationBuilder(CourseWidget):
    """A network of four layers for a continuous function, correction by correction, computed in the page.

    The builder is that of `course_lib.approximation.steps`, with max_units 6,000 and max_points 16,385 (257² in the
    plane).

    Read back, written by the front end when it has drawn (empty until then): result, with corrections, sizes (units in
    the hidden layers), errors (before the first and after every correction shown), points (of the grid) and ended:
    None, or the budget that ran out, "units" or "points".
    """

    address = traitlets.Unicode("builder").tag(sync=True)
    result = traitlets.Dict().tag(sync=True)
