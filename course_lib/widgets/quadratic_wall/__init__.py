"""QuadraticWall: what a stack of layers costs in operations, bytes and seconds as the sequence grows, on a P100 and in
this page."""

from functools import cache

import traitlets

from .. import settings
from ..base import CourseWidget, bundle, packed


class QuadraticWall(CourseWidget):
    """The cost of `layers` blocks, each a layer that mixes tokens and a feed-forward layer of width 4d, against the n
    of one sequence.

    All formulas are those of `course_lib.costs`: FLOPs of matrix products, float32 bytes kept for the backward pass
    with the weights [h, n, n], parameters. With kind "full" a block is `costs.transformer`. "window" (keys at distance
    ≤ radius), "strided" (stride ⌈√n⌉) and "linear" put another layer between the same projections; "convolution" (over
    k tokens) and "rnn" have none: k d² or 2d² + d parameters, and 5d fewer numbers a token to keep than full attention,
    beside what the layer itself keeps.

    Read back, written by the front end: measured, FLOPs a second of the page's own matrix product on the reader's
    device, None until the reader has asked for it; and result (empty until it has drawn), with costs, a mapping from
    each chosen kind to flops, bytes, steps, path; weights (the bytes of full attention's weights), crossing (the n at
    which full attention's two products cost as much as all else), fits_p100 and fits_page (the longest sequence whose
    training step fits, 0: none), rate (FLOPs a second).
    """

    address = traitlets.Unicode("wall").tag(sync=True)
    measured = traitlets.Float(None, allow_none=True).tag(sync=True)
    result = traitlets.Dict().tag(sync=True)

    def __init__(self, *values: object, **more: object) -> None:
        super().__init__(*values, blobs=blobs(), **more)

    def check_k(self, value: object) -> int:
        if settings.is_whole(value) and value % 2 == 0:
            raise ValueError(
                f"k must be an odd {settings.takes(self._settings['k']).removeprefix('a ')}, got {value!r}"
            )
        return settings.check("k", self._settings["k"], value)

    def check_d(self, value: object) -> int:
        d = settings.check("d", self._settings["d"], value)
        if settings.is_whole(self.h) and self.h > 0 and d % self.h:
            raise ValueError(f"d must be a multiple of h = {self.h}, got {d}")
        return d

    def check_h(self, value: object) -> int:
        h = settings.check("h", self._settings["h"], value)
        if settings.is_whole(self.d) and self.d % h:
            raise ValueError(f"h must be a divisor of d = {self.d}, got {h}")
        return h

    def check_kinds(self, value: object) -> list[str]:
        listed = list(value) if isinstance(value, list | tuple) else []
        known = self._settings["kinds"]["takes"]
        if not listed or any(kind not in known for kind in listed) or len(set(listed)) < len(listed):
            raise ValueError(f"kinds must be a list of one or more of {', '.join(known)}, no two equal, got {value!r}")
        return [kind for kind in known if kind in listed]


@cache
def blobs() -> dict[str, bytes]:
    """The front end's data: the code of the worker that measures the device."""
    return {"worker": packed(bundle("quadratic_wall", "worker.js"))}
