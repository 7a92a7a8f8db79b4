"""ContextAnswers: points of a context to be dragged, and what a stored answer makes of them, beside the answer that was
wanted."""

import json
from collections.abc import Mapping, Sequence

import traitlets

from .. import settings
from ..base import CourseWidget, graph, packed


class ContextAnswers(CourseWidget):
    """A curve over x ∈ [-1, 1] that was wanted, one that is answered in the context of the reader's points, and their
    distance.

    answers: each {question, family, name, graph, sizes, numbers}: a stored graph's name or a traced graph (inputs x,
    cloud, parameters), its sizes, and its parameters as float32 in base64. Read back, written by the front end when it
    draws: result, with wanted and answered [41], and apart, their distance.
    """

    address = traitlets.Unicode("context").tag(sync=True)
    result = traitlets.Dict().tag(sync=True)

    def __init__(self, answers: Sequence[Mapping], **more: object) -> None:
        whole = [
            {**each, "graph": json.loads(graph(each["graph"])) if isinstance(each["graph"], str) else each["graph"]}
            for each in answers
        ]
        super().__init__(blobs={"answers": packed(whole)}, **more)

    def check_points(self, value: object) -> list:
        return settings.rows("points", value, self._settings["points"]["most"], [[-1, 1], [-3, 3]])
