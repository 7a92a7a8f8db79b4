"""ModelSizes: every learnable of source R's model drawn to scale, counted, and held against the 72 printed counts."""

import traitlets

from ...published import rows
from ..base import CourseWidget


class ModelSizes(CourseWidget):
    """The matrices of the one-block model as rectangles, one scale for all, with shape, count and share of the whole.

    The default is the model of source R's worked example. The reader changes the sizes with sliders or takes one of the
    72 printed rows.

    Read back, written by the front end when it draws (0 until then): learnables, the count; untrained, how many of them
    never get a gradient. `published` holds [v, n, d, m, r, printed count] of the 72 rows and is not to be changed.
    """

    address = traitlets.Unicode("sizes").tag(sync=True)
    published = traitlets.List().tag(sync=True)
    learnables = traitlets.Int(0).tag(sync=True)
    untrained = traitlets.Int(0).tag(sync=True)

    def __init__(self, *sizes: int, **more: object) -> None:
        printed = [[row.v, row.n, row.d, row.m, row.r, row.learnables] for row in rows()]
        super().__init__(*sizes, published=printed, **more)
