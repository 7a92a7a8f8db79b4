"""The seven steps between two words of a translation with attention, each with its numbers and where they come from."""

import traitlets

from ..base import CourseWidget
from ..shipped_data import blobs


class SevenSteps(CourseWidget):
    """One French word in the making: the shipped RNNsearch on one English sentence, opened after `moment` written
    words.

    Each step shows its matrices; every entry that is a sum of products shows the products. A sentence with nothing in
    it, or of more than 16 tokens, that a link or a stored state holds gives way to the default in the page.

    Read back, written by the page when it draws (empty until then): written, the French words before the step; weights,
    how the step's attention is spread, [s].
    """

    address = traitlets.Unicode("seven").tag(sync=True)
    written = traitlets.List().tag(sync=True)
    weights = traitlets.List().tag(sync=True)

    def __init__(self, *values: object, **more: object) -> None:
        super().__init__(*values, blobs=blobs("rnnsearch"), **more)
