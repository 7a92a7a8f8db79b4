"""ResidualStream: four looks at the residual stream of a real model, on pairs of sentences that differ in one word."""

from collections.abc import Mapping, Sequence

import traitlets

from .. import settings
from ..base import CourseWidget, packed


class ResidualStream(CourseWidget):
    """A token's row runs from left to right through the layers: read early, asked what each part writes, with a part
    erased, with a row put in from elsewhere.

    rows: one to four recorded pairs of sentences, `load("residual_stream")["pairs"]`. Layers and heads count from 0;
    "after k layers" k of them have been read. The front end asks an object for every number (provider.js says which);
    today it reads what was recorded, later it may run the model. Read back, written by the front end when it draws
    (empty until then): seen, with `value`, that of the chosen cell (a share, a change in nats, or the share of the way
    from B to A), and `told`, the sentence below the picture.
    """

    address = traitlets.Unicode("stream").tag(sync=True)
    seen = traitlets.Dict().tag(sync=True)

    def __init__(self, rows: Sequence[Mapping], **more: object) -> None:
        if not 1 <= len(rows) <= 4 or any(
            not {"tokens", "lens", "written", "erased", "patched"} <= set(row) for row in rows
        ):
            raise ValueError(f"rows must be one to four recorded pairs of sentences, got {rows!r}")
        self._count = len(rows)
        super().__init__(blobs={"stream": packed(list(rows))}, **more)

    def check_pair(self, given: object) -> int:
        return settings.check("pair", {"kind": "whole", "takes": (0, self._count - 1)}, given)
