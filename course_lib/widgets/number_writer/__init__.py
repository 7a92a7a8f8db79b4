"""A number of the reader's own, written in German words by the recurrent translator without attention, word by word."""

import traitlets

from ..base import CourseWidget
from ..shipped_data import blobs


class NumberWriter(CourseWidget):
    """The shipped model `numbers` reads a number in English words and writes it in German, cut into parts: vier und
    fünfzig.

    It reads its own words or the right ones, greedy with `width` 1; a wider beam's sentences are listed beside
    greedy's.

    Read back, written by the front end when it draws (empty until then): said, the words it names at all steps; right,
    the right ones, both with the end sign; sentences, [text, log-probability in nats] of each sentence of the beam,
    best first.
    """

    address = traitlets.Unicode("number").tag(sync=True)
    said = traitlets.List().tag(sync=True)
    right = traitlets.List().tag(sync=True)
    sentences = traitlets.List().tag(sync=True)

    def __init__(self, *values: object, **more: object) -> None:
        super().__init__(*values, blobs=blobs("numbers"), **more)
