"""MatrixRows: a 2 × 2 matrix whose two rows are dragged, and what it does to the plane."""

import traitlets

from ..base import CourseWidget


class MatrixRows(CourseWidget):
    """W [2, 2] as two arrows, its rows; drawn are the squared paper, the unit circle and a point x [2] as x ↦ xW moves
    them.

    Read back, written by the front end when it draws (empty until then): seen, with area (the size of W's determinant),
    turned (it is negative), stretch (the two singular values, the larger first), rank and image (xW).
    """

    address = traitlets.Unicode("rows").tag(sync=True)
    seen = traitlets.Dict().tag(sync=True)
