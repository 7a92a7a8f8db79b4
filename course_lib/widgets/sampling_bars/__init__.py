"""SamplingBars: what a real language model would say next, recorded, as bars under a temperature."""

import traitlets

from ...results import load
from ..base import CourseWidget, packed

TEXTS = tuple(row["text"] for row in load("next_words")["distributions"])


class SamplingBars(CourseWidget):
    """Probabilities of the next piece after a recorded text (TEXTS), at a temperature: the twelve likeliest and all others together.

    Read back, written by the front end when it draws (empty until then): seen, with shares (of the twelve), others, places (how many
    equally likely pieces would be as undecided) and drawn (twenty pieces drawn at random with these probabilities).
    """

    address = traitlets.Unicode("sampling").tag(sync=True)
    seen = traitlets.Dict().tag(sync=True)

    def __init__(self, *values: object, **more: object) -> None:
        super().__init__(*values, blobs={"next_words": packed(load("next_words")["distributions"])}, **more)
