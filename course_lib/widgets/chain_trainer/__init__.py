"""ChainTrainer: attention layers learn in the page to predict chains that differ from sequence to sequence."""

from functools import cache

import traitlets

from .. import settings
from ..base import CourseWidget, bundle, graph, packed


class ChainTrainer(CourseWidget):
    """An attention-only model in training on `course_lib.graphs.chains`, 32 tokens a sequence, beside four exact lines.

    Read back, written when training rests: step, the updates made; exact, the loss on 64 test sequences in nats a token
    against the true chances; lines, of the strategies on the same sequences; losses, [[update, nats]…].
    """

    address = traitlets.Unicode("chains").tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    exact = traitlets.Float(None, allow_none=True).tag(sync=True)
    lines = traitlets.Dict().tag(sync=True)
    losses = traitlets.List().tag(sync=True)

    def __init__(self, *values: object, **more: object) -> None:
        super().__init__(*values, blobs=blobs(), **more)

    def train(self, updates: int) -> None:
        """Ask the page for this many updates, 100 to 4000 in hundreds. Needs the widget on the screen and a live
        kernel."""
        self.send({"type": "train", "steps": settings.check("updates", self._settings["updates"], updates)})


@cache
def blobs() -> dict[str, bytes]:
    return {name: graph(name) for name in ("adam", "chains_1", "chains_2")} | {
        "worker": packed(bundle("chain_trainer", "worker.js"))
    }
