"""Two recurrent translators side by side in the reader's page: one is told a single vector, one looks back at every
step."""

import json
import re
from functools import cache
from pathlib import Path

import traitlets

from .. import settings
from ..base import CourseWidget, packed
from ..shipped_data import blobs, metadata

MODELS = ("rnnencdec", "rnnsearch")
SENTENCES = Path(__file__).parent / "sentences.json"  # written by tools/models/translate_sentences.py


class Translate(CourseWidget):
    """RNNencdec and RNNsearch translate one English sentence into French, word by word, in the page.

    The sentence is `text` or, where that is None, the first `clauses` clauses of sentence `example` of the corpus' test
    part: `sentence(example, clauses)`. Of these, and of the few that are offered beside them, the reference is known,
    so that wrong words are marked and counted. A word that the models do not know is read as ⟨unk⟩, with a warning; a
    sentence longer than any of the training is translated, with a note. The reader can change all four settings in the
    page.

    Read back, written by the page when it has translated (empty until then). tokens: the sentence as the models read
    it, [s];
    translations: model → its French; weights: those of RNNsearch, a row a step, [n, s], its ⟨end⟩ included; errors:
    model → the fewest words to change, drop or put in to make its answer the reference, empty where there is no
    reference. The models are "rnnencdec" and "rnnsearch".
    """

    address = traitlets.Unicode("translate").tag(sync=True)
    tokens = traitlets.List().tag(sync=True)
    translations = traitlets.Dict().tag(sync=True)
    weights = traitlets.List().tag(sync=True)
    errors = traitlets.Dict().tag(sync=True)

    def __init__(self, *values: object, **more: object) -> None:
        super().__init__(*values, blobs=_data(), **more)


def sentence(example: int, clauses: int) -> tuple[str, str]:
    """The first clauses of an example, in English and in French: tokens between spaces, a full stop behind."""
    declared, asked = settings.declared(Translate), {"example": example, "clauses": clauses}
    checked = {name: settings.check(name, declared[name], value) for name, value in asked.items()}
    english, french = zip(*_sentences()["chains"][checked["example"]][: checked["clauses"]], strict=True)
    return " ".join([*english, "."]), " ".join([*french, "."])


@cache
def _sentences() -> dict[str, list]:
    table = json.loads(SENTENCES.read_text(encoding="utf-8"))
    return {name: table[name] for name in ("chains", "offers")}


def longest_trained() -> int:
    """Tokens of the longest sentence that both models were trained on, as their files say."""
    found = [re.search(r"at most (\d+) words", metadata(name)["corpus"]["name"]) for name in MODELS]
    return min(int(match[1]) for match in found if match)


@cache
def _data() -> dict[str, bytes]:
    return {"sentences": packed({**_sentences(), "trained": longest_trained()})} | blobs(MODELS[0]) | blobs(MODELS[1])
