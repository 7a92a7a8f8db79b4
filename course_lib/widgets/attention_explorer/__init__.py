"""The explorer: a small transformer that learns in the reader's page, with d, m, heads and layers as dials."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import traitlets

from course_lib.tasks import TASKS

from .. import settings
from ..base import GRAPHS, Checked, CourseWidget, bundle, graph, made, packed

DEFAULT = Path(__file__).parent / "default.json"
DIALS = ("task", "d", "m", "h", "layers", "positions", "norm", "residual", "causal", "scaled", "rate", "seed")
BOUNDS = {"d": (4, 64), "m": (1, 32), "h": (1, 8), "layers": (1, 2), "seed": (0, 9999)}
OPTIONS = {"task": tuple(TASKS), "positions": ("none", "sinusoidal", "learned"), "norm": ("pre", "post", "none")}
RATES, SPEEDS = (1e-5, 1.0), (1.0, 1000.0)
MOST_STEPS = 20_000


class AttentionExplorer(CourseWidget):
    """A decoder of one or two layers that the reader trains in the page, with loss, accuracy and every head's map.

    Dials: task, "reverse", "copy", "sort", "recall" (needs two layers) or "numbers" (see course_lib.tasks); d, even, 4 … 64; m per
    head, 1 … 32; h heads, 1 … 8; layers, 1 or 2; positions, "none", "sinusoidal" or "learned"; norm, "pre", "post" or "none"; residual,
    causal (the mask), scaled (the scale is 1/√m, otherwise 1), bools; rate, Adam's, 1e-5 … 1; seed, 0 … 9999. The feed-forward
    width is 2d, a batch has 32 questions. A change of any dial but the rate begins a new run. With all dials at their defaults
    a run trained beforehand is there at once.

    controls: the dials that the reader may turn, all by default; the rest are not shown. speed: steps per second, 1 … 1000, or
    None for as many as possible. text: the question shown, as the reader would type it ("b a d c e f"), "" for the first of
    the test batch. layer, head, row: what is shown large, from 0, the row by
    default where the first answer is asked for; compare: a second [layer, head] beside it, or None; off:
    heads that are switched off, a list of [layer, head].

    Read back, written by the front end when it draws and training rests (empty until then): tokens, n words; weights
    [layers, h, n, n]; answers, what the model says at the asked places when it goes on alone; step; accuracy, the share of right answers on 64 fixed
    questions, with the heads in `off` gone; losses, [[step, nats]…], at most 240 means. `train(steps)` trains from Python.
    All may be set from Python; ValueError names the argument.
    """

    bundle_name = "attention_explorer"

    task = Checked().tag(sync=True)
    d = Checked().tag(sync=True)
    m = Checked().tag(sync=True)
    h = Checked().tag(sync=True)
    layers = Checked().tag(sync=True)
    positions = Checked().tag(sync=True)
    norm = Checked().tag(sync=True)
    residual = Checked().tag(sync=True)
    causal = Checked().tag(sync=True)
    scaled = Checked().tag(sync=True)
    rate = Checked().tag(sync=True)
    seed = Checked().tag(sync=True)
    speed = Checked().tag(sync=True)
    text = Checked().tag(sync=True)
    layer = Checked().tag(sync=True)
    head = Checked().tag(sync=True)
    row = Checked().tag(sync=True)
    compare = Checked().tag(sync=True)
    off = Checked().tag(sync=True)
    controls = Checked().tag(sync=True)
    tokens = traitlets.List().tag(sync=True)
    weights = traitlets.List().tag(sync=True)
    answers = traitlets.List().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    accuracy = traitlets.Float(None, allow_none=True).tag(sync=True)
    losses = traitlets.List().tag(sync=True)

    def __init__(
        self,
        task: str = "reverse",
        *,
        d: int = 32,
        m: int = 16,
        h: int = 2,
        layers: int = 1,
        positions: str = "learned",
        norm: str = "pre",
        residual: bool = True,
        causal: bool = True,
        scaled: bool = True,
        rate: float = 0.003,
        seed: int = 1,
        speed: float | None = 10,
        text: str = "",
        layer: int = 0,
        head: int = 0,
        row: int | None = None,
        compare: Sequence[int] | None = None,
        off: Sequence[Sequence[int]] = (),
        controls: Sequence[str] = DIALS,
        address: str = "explorer",
    ) -> None:
        super().__init__(
            blobs=blobs(), task=task, d=d, m=m, h=h, layers=layers, positions=positions, norm=norm, residual=residual,
            causal=causal, scaled=scaled, rate=rate, seed=seed, speed=speed, text=text, layer=layer, head=head,
            row=_first_answer(task) if row is None else row, compare=compare, off=off, controls=controls, address=address,
        )  # fmt: skip

    def train(self, steps: int) -> None:
        """Ask the page to train this many steps and then rest; `step`, `weights` and the rest follow when it has.

        ValueError unless `steps` is a whole number from 1 to 20000. Needs the widget on the screen and a live kernel.
        """
        self.send({"type": "train", "steps": settings.whole("steps", steps, 1, MOST_STEPS)})

    @traitlets.validate("d", "m", "h", "layers", "seed")
    def _check_size(self, proposal: dict) -> int:
        name = proposal["trait"].name
        value = settings.whole(name, proposal["value"], *BOUNDS[name])
        if name == "d" and value % 2:
            raise ValueError(f"d must be even (each sine of the positions has its cosine), got {value}")
        return value

    # Beyond this model's last, the front end shows the last: the model may change.
    _check_place = settings.checked(settings.whole, {"layer": (0, 1), "head": (0, 7), "row": (0, 11)})
    _check_option = settings.checked(settings.option, OPTIONS)
    _check_switch = settings.checked(settings.flag, ["residual", "causal", "scaled"])
    _check_rate = settings.checked(settings.number, {"rate": RATES})

    @traitlets.validate("speed")
    def _check_speed(self, proposal: dict) -> float | None:
        return None if proposal["value"] is None else settings.number("speed", proposal["value"], *SPEEDS)

    @traitlets.validate("text")
    def _check_text(self, proposal: dict) -> str:
        if not isinstance(proposal["value"], str) or len(proposal["value"]) > 80:
            raise ValueError(f"text must be a text of at most 80 characters, got {proposal['value']!r}")
        return proposal["value"]

    @traitlets.validate("compare")
    def _check_compare(self, proposal: dict) -> list[int] | None:
        return None if proposal["value"] is None else _map("compare", proposal["value"])

    @traitlets.validate("off")
    def _check_off(self, proposal: dict) -> list[list[int]]:
        if not isinstance(proposal["value"], list | tuple):
            raise ValueError(f"off must be a list of [layer, head], got {proposal['value']!r}")
        return sorted(_map("off", pair) for pair in proposal["value"])

    _check_controls = settings.checked(settings.names, {"controls": DIALS})


def _first_answer(task: object) -> int:
    """Where the first answer is asked for; 0 for what is no task, which its own check then refuses."""
    if not isinstance(task, str) or task not in TASKS:
        return 0
    draws = np.zeros((1, len(TASKS[task].bounds)), dtype=np.int64)
    return int((TASKS[task].spell(draws).targets[0] >= 0).argmax())


@cache
def blobs() -> dict[str, bytes]:
    """The front end's data: a graph for every structure and Adam, the tasks, the run trained beforehand, the worker's code."""
    names = ["adam", *sorted(path.stem for path in GRAPHS.glob("train_*.json"))]
    graphs = {name: graph(name) for name in names}
    tables = {
        name: {"name": name, "vocabulary": task.vocabulary, "n": task.n, "bounds": task.bounds, "fed": task.fed, "blind": task.blind}
        for name, task in TASKS.items()
    }
    code = bundle("attention_explorer", "worker.js")
    return graphs | {"tasks": packed(tables), "default": made(DEFAULT, "make graphs"), "worker": packed(code)}


def _map(name: str, pair: object) -> list[int]:
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise ValueError(f"{name} must name maps as [layer, head], got {pair!r}")
    return [settings.whole(f"{name}: the layer", pair[0], 0, 1), settings.whole(f"{name}: the head", pair[1], 0, 7)]
