"""Six scores over a plane: one query to be dragged, the score of every key as level lines, and what a softmax makes of
thirteen keys."""

import random

import traitlets

from ..base import CourseWidget, graph, packed

SHAPES = {"W_q": (2, 4), "W_k": (2, 4), "w": (4,), "W": (2, 2), "U": (2, 1), "V": (2, 1)}
# the additive score is a hill over the middle, as wide as the query is long; W is a quarter turn; V points up to the
# right
BY_HAND = {
    "W_q": [[1, -1, 0, 0], [0, 0, 1, -1]],
    "W_k": [[1, 1, 0, 0], [0, 0, 1, 1]],
    "w": [2, -2, 2, -2],
    "W": [[0, 1], [-1, 0]],
    "U": [[1], [0]],
    "V": [[0.8], [0.6]],
}


def drawn(seed: int) -> dict[str, list]:
    """Parameters by name, normal, to two decimals; seed 0 gives those set by hand."""
    if seed == 0:
        return BY_HAND
    draw = random.Random(seed)
    flat = {
        name: [round(draw.gauss(0, 1), 2) for _ in range(shape[0] * (shape[1:] or (1,))[0])]
        for name, shape in SHAPES.items()
    }
    return {
        name: each if name == "w" else [each[i : i + SHAPES[name][1]] for i in range(0, len(each), SHAPES[name][1])]
        for name, each in flat.items()
    }


class ScoreField(CourseWidget):
    """The scores of one query (x, y) with every key of the plane, for one of the six scores of `course_lib.scores`.

    Read back, written by the front end when it draws (empty until then): scores and weights of thirteen keys, at the
    hours of a clock of radius 2, one to twelve, and in the middle.
    """

    address = traitlets.Unicode("scores").tag(sync=True)
    scores = traitlets.List().tag(sync=True)
    weights = traitlets.List().tag(sync=True)

    def __init__(self, *values: object, **more: object) -> None:
        seeds = range(self._settings["seed"]["takes"][1] + 1)
        super().__init__(
            *values,
            blobs={"six_scores": graph("six_scores"), "parameters": packed([drawn(seed) for seed in seeds])},
            **more,
        )
