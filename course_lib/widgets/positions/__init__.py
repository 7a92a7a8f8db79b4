"""Positions: the matrix P as a picture, one pair of it as a clock, and what a dot product makes of two positions."""

import traitlets

from ..base import CourseWidget


class Positions(CourseWidget):
    """Positions 0 … n-1 as the rows of P [n, d], one row and one pair of columns chosen and explained.

    kind "sinusoidal": `course_lib.transformer.sinusoidal(n, d, base=base)`, d/2 pairs; "binary": column i is bit i of
    the position, the least bit first, and each of the d bits counts as a "pair" of its own (base has then no meaning).
    A position or pair that n, d or kind leave behind is shown as the last one there is.

    Read back, written by the front end when it draws (empty until then): row [d], the chosen position; dots [n], its
    dot product with every position.
    """

    address = traitlets.Unicode("positions").tag(sync=True)
    row = traitlets.List().tag(sync=True)
    dots = traitlets.List().tag(sync=True)

    def __init__(self, *values: object, **more: object) -> None:
        super().__init__(*values, **more)
        if self.position >= self.n:
            raise ValueError(f"position must be at most n - 1 = {self.n - 1}, got {self.position}")
        last = (self.d if self.kind == "binary" else self.d // 2) - 1
        if self.pair > last:
            raise ValueError(
                f"pair must be at most {last} for {self.kind} positions of width {self.d}, got {self.pair}"
            )
