"""Descent on a loss surface, live: an optimiser's path from a start that the reader sets, on a surface that the reader
turns."""

from collections.abc import Sequence

import traitlets

from ...descent import SURFACES
from .. import settings
from ..base import CourseWidget


class Descent(CourseWidget):
    """One run of an optimiser on a surface of `course_lib.descent`, computed in the page: the path that `descend`
    gives."""

    address = traitlets.Unicode("descent").tag(sync=True)

    def __init__(self, *values: object, start: Sequence[float] | None = None, **chosen: object) -> None:
        surface = values[0] if values else chosen.get("surface", self.trait_defaults("surface"))
        if start is None:
            start = SURFACES[
                surface if isinstance(surface, str) and surface in SURFACES else "bowl"
            ].start  # a wrong name is told below
        super().__init__(*values, start=start, **chosen)

    def check_start(self, value: object) -> list[float]:
        return [round(10 * part) / 10 for part in settings.check("start", self._settings["start"], value)]
