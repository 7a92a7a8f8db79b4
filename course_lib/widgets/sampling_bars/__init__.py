"""SamplingBars: what a real language model would say next, recorded, as bars under a temperature."""

from collections.abc import Mapping, Sequence

import traitlets

from .. import settings
from ..base import CourseWidget, packed


class SamplingBars(CourseWidget):
    """Probabilities of the next piece after a text, at a temperature: the likeliest pieces one by one, all others
    together.

    rows: one to four recorded distributions {text, top: [[piece, how far its logit lies below the first]…], rest: how
    many of the others lie in each quarter below it}, all with as many pieces: `load("next_words")["distributions"]`.
    Read back, written by the front end when it draws (empty until then): seen, with shares, others, places (so many
    equally likely pieces would be as undecided) and drawn.
    """

    address = traitlets.Unicode("sampling").tag(sync=True)
    seen = traitlets.Dict().tag(sync=True)

    def __init__(self, rows: Sequence[Mapping], **more: object) -> None:
        if not rows or len({len(row["top"]) for row in rows}) != 1:
            raise ValueError(f"rows must be recorded distributions with equally many pieces, got {rows!r}")
        self._count = len(rows)
        super().__init__(blobs={"next_words": packed(list(rows))}, **more)

    def check_text(self, given: object) -> int:
        return settings.check("text", {"kind": "whole", "takes": (0, self._count - 1)}, given)
