"""Positions: the matrix P as a picture, one pair of it as a clock, and what a dot product makes of two positions."""

from collections.abc import Sequence

import traitlets

from .. import settings
from ..base import Checked, CourseWidget

KINDS = ("sinusoidal", "binary")
CONTROLS = ("kind", "n", "d", "base")
LONGEST, WIDEST = 128, 64
BASES = (2.0, 1_000_000.0)


class Positions(CourseWidget):
    """Positions 0 … n-1 as the rows of P [n, d], one row and one pair of columns chosen and explained.

    kind "sinusoidal": `course_lib.transformer.sinusoidal(n, d, base=base)`, d/2 pairs; "binary": column i is bit i of the
    position, the least bit first, and each of the d bits counts as a "pair" of its own (base has then no meaning). n from 2
    to 128; d even, from 2 to 64; base in [2, 1000000]; position from 0 to n-1; pair from 0 to d/2 - 1, or d - 1 where binary.
    A position or pair that n, d or kind leave behind is shown as the last one there is.

    controls: what the reader may change, any of "kind", "n", "d", "base". Position and pair can always be changed.
    Read back, written by the front end when it draws (empty until then): row [d], the chosen position; dots [n], its dot
    product with every position. All traits may be set from Python; ValueError names the argument.
    """

    bundle_name = "positions"

    kind = Checked().tag(sync=True)
    n = Checked().tag(sync=True)
    d = Checked().tag(sync=True)
    base = Checked().tag(sync=True)
    position = Checked().tag(sync=True)
    pair = Checked().tag(sync=True)
    controls = Checked().tag(sync=True)
    row = traitlets.List().tag(sync=True)
    dots = traitlets.List().tag(sync=True)

    def __init__(
        self,
        n: int = 32,
        d: int = 16,
        *,
        kind: str = "sinusoidal",
        base: float = 10_000.0,
        position: int = 5,
        pair: int = 1,
        controls: Sequence[str] = CONTROLS,
        address: str = "positions",
    ) -> None:
        super().__init__(n=n, d=d, kind=kind, base=base, position=position, pair=pair, controls=controls, address=address)
        if self.position >= self.n:
            raise ValueError(f"position must be at most n - 1 = {self.n - 1}, got {position!r}")
        last = (self.d if self.kind == "binary" else self.d // 2) - 1
        if self.pair > last:
            raise ValueError(f"pair must be at most {last} for {self.kind} positions of width {self.d}, got {pair!r}")

    _check_kind = settings.checked(settings.option, {"kind": KINDS})
    _check_whole = settings.checked(settings.whole, {"n": (2, LONGEST), "position": (0, LONGEST - 1), "pair": (0, WIDEST - 1)})

    @traitlets.validate("d")
    def _check_d(self, proposal: dict) -> int:
        d = settings.whole("d", proposal["value"], 2, WIDEST)
        if d % 2:
            raise ValueError(f"d must be even (each sine has its cosine), got {d}")
        return d

    @traitlets.validate("base")
    def _check_base(self, proposal: dict) -> float:
        base, (low, high) = proposal["value"], BASES
        if not settings.is_number(base) or not low <= base <= high:
            raise ValueError(f"base must be a number from {low:g} to {high:.0f}, got {base!r}")
        return float(base)

    _check_controls = settings.checked(settings.names, {"controls": CONTROLS})
