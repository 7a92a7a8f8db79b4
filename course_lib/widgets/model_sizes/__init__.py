"""ModelSizes: every learnable of source R's model drawn to scale, counted, and held against the 72 printed counts."""

import traitlets

from ...published import rows
from .. import settings
from ..base import Checked, CourseWidget

LARGEST = {"v": 64, "n": 512, "d": 512, "m": 512, "r": 2048}


class ModelSizes(CourseWidget):
    """The matrices of the one-block model as rectangles, one scale for all, with shape, count and share of the whole.

    v words (1 to 64), sequences of n, embedding width d, attention width m (1 to 512), feed-forward width r (1 to 2048);
    the default is the model of source R's worked example. The reader changes them with sliders or takes one of the 72
    printed rows. All five can be set from Python; ValueError names the argument.

    Read back, written by the front end when it draws (0 until then): learnables, the count; untrained, how many of them
    never get a gradient. `published` holds [v, n, d, m, r, printed count] of the 72 rows and is not to be changed.
    """

    bundle_name = "model_sizes"

    v = Checked().tag(sync=True)
    n = Checked().tag(sync=True)
    d = Checked().tag(sync=True)
    m = Checked().tag(sync=True)
    r = Checked().tag(sync=True)
    published = traitlets.List().tag(sync=True)
    learnables = traitlets.Int(0).tag(sync=True)
    untrained = traitlets.Int(0).tag(sync=True)

    def __init__(self, v: int = 4, n: int = 8, d: int = 4, m: int = 4, r: int = 16, *, address: str = "sizes") -> None:
        printed = [[row.v, row.n, row.d, row.m, row.r, row.learnables] for row in rows()]
        super().__init__(v=v, n=n, d=d, m=m, r=r, published=printed, address=address)

    _check_size = settings.checked(settings.whole, {name: (1, most) for name, most in LARGEST.items()})
