"""QuadraticWall: what a stack of layers costs in operations, bytes and seconds as the sequence grows, on a P100 and in this page."""

from collections.abc import Sequence
from functools import cache

import traitlets

from .. import settings
from ..base import Checked, CourseWidget, bundle, packed

KINDS = ("full", "window", "strided", "linear", "convolution", "rnn")
WHOLE = {"n": (16, 2**20), "d": (16, 16_384), "h": (1, 256), "layers": (1, 128), "radius": (1, 4096), "k": (3, 65), "reached": (1, 100)}
WORDS = {"work": ("training", "forward"), "chart": ("bytes", "flops")}


class QuadraticWall(CourseWidget):
    """The cost of `layers` blocks, each a layer that mixes tokens and a feed-forward layer of width 4d, against the n of one sequence.

    All formulas are those of `course_lib.costs`: FLOPs of matrix products, float32 bytes kept for the backward pass with the weights
    [h, n, n], parameters. With kind "full" a block is `costs.transformer`. "window" (keys at distance ≤ radius), "strided" (stride
    ⌈√n⌉) and "linear" put another layer between the same projections; "convolution" (over k tokens) and "rnn" have none: k d² or
    2d² + d parameters, and 5d fewer numbers a token to keep than full attention, beside what the layer itself keeps.

    n: 16 … 1,048,576. d: 16 … 16,384. h: 1 … 256, a divisor of d. layers: 1 … 128. radius: 1 … 4096. k: odd, 3 … 65. kinds: one or
    more of the six, no two equal. work: "training" (three times the forward FLOPs) or "forward". chart: "bytes" or "flops". reached:
    the share of a P100's 10.6e12 FLOPs a second that a program gets, 1 … 100 %; 27 is what Vaswani et al.'s base run comes to by
    6 · 65e6 parameters · 25,000 tokens · 100,000 steps in 12 hours on 8 cards.

    The reader can change everything; all can be set from Python too. ValueError names the argument.

    Read back, written by the front end: measured, FLOPs a second of the page's own matrix product on the reader's device, None until
    the reader has asked for it; and result (empty until it has drawn), with costs, a mapping from each chosen kind to flops,
    bytes, steps, path; weights (the bytes of full attention's weights), crossing (the n at which full attention's two products cost
    as much as all else), fits_p100 and fits_page (the longest sequence whose training step fits, 0: none), rate (FLOPs a second).
    """

    bundle_name = "quadratic_wall"

    n = Checked().tag(sync=True)
    d = Checked().tag(sync=True)
    h = Checked().tag(sync=True)
    layers = Checked().tag(sync=True)
    radius = Checked().tag(sync=True)
    k = Checked().tag(sync=True)
    kinds = Checked().tag(sync=True)
    work = Checked().tag(sync=True)
    chart = Checked().tag(sync=True)
    reached = Checked().tag(sync=True)
    measured = traitlets.Float(None, allow_none=True).tag(sync=True)
    result = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        n: int = 4096,
        d: int = 512,
        h: int = 8,
        layers: int = 6,
        *,
        radius: int = 64,
        k: int = 3,
        kinds: Sequence[str] = ("full", "window", "linear"),
        work: str = "training",
        chart: str = "bytes",
        reached: int = 27,
        address: str = "wall",
    ) -> None:
        super().__init__(
            blobs=blobs(), n=n, d=d, h=h, layers=layers, radius=radius, k=k, kinds=kinds, work=work, chart=chart, reached=reached,
            address=address,
        )  # fmt: skip

    @traitlets.validate(*WHOLE)
    def _check_whole(self, proposal: dict) -> int:
        name, value = proposal["trait"].name, proposal["value"]
        low, high = WHOLE[name]
        if not settings.is_whole(value) or not low <= value <= high or (name == "k" and value % 2 == 0):
            raise ValueError(f"{name} must be {'an odd' if name == 'k' else 'a'} whole number from {low} to {high}, got {value!r}")
        other = {"d": self.h, "h": self.d}.get(name)
        if settings.is_whole(other) and other > 0:
            d, h = (value, other) if name == "d" else (other, value)
            if d % h:
                raise ValueError(f"{name} must be {f'a multiple of h = {h}' if name == 'd' else f'a divisor of d = {d}'}, got {value}")
        return int(value)

    @traitlets.validate("kinds")
    def _check_kinds(self, proposal: dict) -> list[str]:
        value = proposal["value"]
        listed = list(value) if isinstance(value, list | tuple) else []
        if not listed or any(not isinstance(kind, str) or kind not in KINDS for kind in listed) or len(set(listed)) < len(listed):
            raise ValueError(f"kinds must be a list of one or more of {', '.join(KINDS)}, no two equal, got {value!r}")
        return [kind for kind in KINDS if kind in listed]

    _check_word = settings.checked(settings.option, WORDS)


@cache
def blobs() -> dict[str, bytes]:
    """The front end's data: the code of the worker that measures the device."""
    return {"worker": packed(bundle("quadratic_wall", "worker.js"))}
