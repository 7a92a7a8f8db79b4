"""The explorer: a small transformer that learns in the reader's page, with d, m, heads and layers as dials."""

from functools import cache
from pathlib import Path

import numpy as np
import traitlets

from course_lib.tasks import FOLLOW, TASKS

from .. import settings
from ..base import GRAPHS, CourseWidget, bundle, graph, made, packed

DEFAULT = Path(__file__).parent / "default.json"
MOST_STEPS = 20_000


class AttentionExplorer(CourseWidget):
    """A decoder of one or two layers that the reader trains in the page, with loss, accuracy and every head's map.

    A batch has 32 questions. A change of a dial (see `controls`) but the rate begins a new run. With all dials at their
    defaults a run trained beforehand is there at once. A layer, head or row beyond this model's last shows the last:
    the model may change.

    Read back, written by the front end when it draws and training rests (empty until then): tokens, n words; weights
    [layers, h, n, n]; answers, what the model says at the asked places when it goes on alone; step; accuracy, the share
    of right answers on 64 fixed questions, with the heads in `off` gone; losses, [[step, nats]…], at most 240 means.
    `train(steps)` trains from Python.
    """

    address = traitlets.Unicode("explorer").tag(sync=True)
    tokens = traitlets.List().tag(sync=True)
    weights = traitlets.List().tag(sync=True)
    answers = traitlets.List().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    accuracy = traitlets.Float(None, allow_none=True).tag(sync=True)
    losses = traitlets.List().tag(sync=True)

    def __init__(self, task: str = "reverse", *, row: int | None = None, **settings: object) -> None:
        super().__init__(task, row=_first_answer(task) if row is None else row, blobs=blobs(), **settings)

    def train(self, steps: int) -> None:
        """Ask the page to train this many steps and then rest; `step`, `weights` and the rest follow when it has.

        ValueError unless `steps` is a whole number from 1 to 20000. Needs the widget on the screen and a live kernel.
        """
        self.send(
            {"type": "train", "steps": settings.check("steps", {"kind": "whole", "takes": [1, MOST_STEPS]}, steps)}
        )

    def check_compare(self, value: object) -> list[int] | None:
        return None if value is None else _map("compare", value)

    def check_off(self, value: object) -> list[list[int]]:
        if not isinstance(value, list | tuple):
            raise ValueError(f"off must be a list of [layer, head], got {value!r}")
        return sorted(_map("off", pair) for pair in value)


def _map(name: str, pair: object) -> list[int]:
    takes = [AttentionExplorer._settings[part]["takes"] for part in ("layer", "head")]
    fits = isinstance(pair, list | tuple) and len(pair) == 2 and all(map(settings.is_whole, pair))
    if not fits or not all(low <= value <= high for value, (low, high) in zip(pair, takes, strict=True)):
        raise ValueError(f"{name} must name maps as [layer, head], layers {takes[0]}, heads {takes[1]}, got {pair!r}")
    return [int(value) for value in pair]


def _first_answer(task: object) -> int:
    """Where the first answer is asked for; 0 for what is no task, which its own check then refuses."""
    if not isinstance(task, str) or task not in TASKS:
        return 0
    draws = np.zeros((1, len(TASKS[task].bounds)), dtype=np.int64)
    return int((TASKS[task].spell(draws).targets[0] >= 0).argmax())


@cache
def blobs() -> dict[str, bytes]:
    """The front end's data: a graph for every structure and Adam, the tasks, the run trained beforehand, the worker's
    code."""
    names = ["adam", *sorted(path.stem for path in GRAPHS.glob("train_*.json"))]
    graphs = {name: graph(name) for name in names}
    tables = {
        name: {
            "name": name,
            "vocabulary": task.vocabulary,
            "n": task.n,
            "bounds": task.bounds,
            "fed": task.fed,
            "blind": task.blind,
            "floor": task.floor,
        }
        for name, task in TASKS.items()
    }
    tables["text"]["follow"] = FOLLOW
    code = bundle("attention_explorer", "worker.js")
    return graphs | {"tasks": packed(tables), "default": made(DEFAULT, "make graphs"), "worker": packed(code)}
