"""A recurrent cell with one entry of state, fed letter by letter: its gates, its proposal, its memory and its state as
bars."""

import traitlets

from .. import settings
from ..base import CourseWidget, graph, packed

LETTERS = {"a": [1.0, 0.0], "b": [0.0, 1.0], "-": [0.0, 0.0]}  # x [d]
# task → kind → parameters, set by hand for d = 2 and r = 1; gates in the order of course_lib.recurrent: reset, update,
# proposal; i, f, g, o.
WEIGHTS = {
    "count": {
        "rnn": {"W_x": [[0.5], [-0.5]], "W_s": [[1.0]], "b": [0.0]},
        "gru": {"W_x": [[0, -20, 10], [0, -20, -10]], "W_s": [[0, 0, 0]], "b": [0, 20, 0], "b_n": [0]},
        "lstm": {"W_x": [[40, 0, 10, 0], [40, 0, -10, 0]], "W_s": [[0, 0, 0, 0]], "b": [-20, 20, 0, 20]},
    },
    "keep": {
        "rnn": {"W_x": [[2.0], [-2.0]], "W_s": [[1.0]], "b": [0.0]},
        "gru": {"W_x": [[0, -40, 10], [0, -40, -10]], "W_s": [[0, 0, 0]], "b": [0, 20, 0], "b_n": [0]},
        "lstm": {"W_x": [[40, -40, 10, 0], [40, -40, -10, 0]], "W_s": [[0, 0, 0, 0]], "b": [-20, 20, 0, 20]},
    },
}


class Cell(CourseWidget):
    """A plain cell, a GRU or an LSTM of width 1 that reads the letters of `text`, with weights set by hand for a
    `task`.

    The plain cell's W_s is `weight`. With `by_hand` the gates are what forget, input, output, reset and update say, at
    every letter.

    Read back, written by the front end when it draws (empty until then): s [n], the state after each letter; c [n], the
    LSTM's memory.
    """

    address = traitlets.Unicode("cell").tag(sync=True)
    s = traitlets.List().tag(sync=True)
    c = traitlets.List().tag(sync=True)

    def __init__(self, *values: object, **more: object) -> None:
        graphs = {kind: graph(f"cell_{kind}") for kind in self._settings["kind"]["takes"]}
        super().__init__(*values, blobs=graphs | {"weights": packed({"letters": LETTERS, "weights": WEIGHTS})}, **more)

    def check_text(self, text: object) -> str:
        settings.check("text", self._settings["text"], text)
        if wrong := set(text) - set(LETTERS):
            raise ValueError(f"text must have no letters but {', '.join(LETTERS)}, got {sorted(wrong)[0]!r}")
        return text
