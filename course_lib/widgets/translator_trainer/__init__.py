"""TranslatorTrainer: a small recurrent encoder–decoder learns to write letters down in reverse, in the page."""

from functools import cache

import traitlets

from .. import settings
from ..base import CourseWidget, bundle, graph, packed

CELLS = ("rnn", "gru", "lstm")
GRAPHS = (
    "adam",
    "begin",
    "begin_attentive",
    *(
        f"{part}_{cell}{kind}"
        for cell in CELLS
        for part, kind in (("encode", ""), ("decode", ""), ("decode", "_attentive"))
    ),
)


class TranslatorTrainer(CourseWidget):
    """RNNencdec, or with attention RNNsearch, in training on `course_lib.graphs.translator_run`: eight letters, in
    reverse or as they stand, with noise.

    No translator's expected loss is below the entropy of the noise, the floor. The reader can change the settings in
    `controls`; a change of anything but rate and speed begins a new run. Read back, written when training rests: step,
    the updates made; exact, the expected loss on 128 test rows in nats a letter; shares [n], of rows whose letter at
    each place is right; losses, [[update, nats]…].
    """

    address = traitlets.Unicode("translator").tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    exact = traitlets.Float(None, allow_none=True).tag(sync=True)
    shares = traitlets.List().tag(sync=True)
    losses = traitlets.List().tag(sync=True)

    def __init__(self, *values: object, **more: object) -> None:
        super().__init__(*values, blobs=blobs(), **more)

    def train(self, updates: int) -> None:
        """Ask the page to make this many updates and then rest; `step`, `shares` and the rest follow when it has.

        ValueError unless `updates` is a whole number from 100 to 5000, a multiple of 100. Needs the widget on the
        screen and a live kernel.
        """
        self.send({"type": "train", "steps": settings.check("updates", self._settings["updates"], updates)})


@cache
def blobs() -> dict[str, bytes]:
    """The front end's data: the steps of each kind of cell, Adam, and the worker's code."""
    return {name: graph(name) for name in GRAPHS} | {"worker": packed(bundle("translator_trainer", "worker.js"))}
