"""Two recurrent translators side by side in the reader's page: one is told a single vector, one looks back at every step."""

import json
import re
from functools import cache
from pathlib import Path

import traitlets

from .. import settings
from ..base import Checked, CourseWidget
from ..shipped_data import blobs, metadata

MODELS = ("rnnencdec", "rnnsearch")
SENTENCES = Path(__file__).parent / "sentences.json"  # written by tools/models/translate_sentences.py
LONGEST = 600
WHOLE = {"clauses": (1, 6), "example": (0, 7)}
LAST_MOMENT = 199


class Translate(CourseWidget):
    """RNNencdec and RNNsearch translate one English sentence into French, word by word, in the page.

    The sentence is `text`, at most 600 characters, or, where that is None, the first `clauses` (1 … 6) clauses of sentence
    `example` (0 … 7) of the corpus' test part: `sentence(example, clauses)`. Of these the reference is known, so that wrong words are
    marked and counted. A word that the models do not know is read as ⟨unk⟩, with a warning; a sentence longer than any of the
    training is translated, with a note. moment: how many steps are shown, 0 … 199, None for all. The reader can change all four in the page.

    Read back, written by the page when it has translated (empty until then). tokens: the sentence as the models read it, [s];
    translations: model → its French; weights: those of RNNsearch, a row a step, [n, s], its ⟨end⟩ included; errors: model → the fewest
    words to change, drop or put in to make its answer the reference, empty where there is no reference. The models are
    "rnnencdec" and "rnnsearch". ValueError names the argument.
    """

    bundle_name = "translate"

    text = Checked().tag(sync=True)
    clauses = Checked().tag(sync=True)
    example = Checked().tag(sync=True)
    moment = Checked().tag(sync=True)
    tokens = traitlets.List().tag(sync=True)
    translations = traitlets.Dict().tag(sync=True)
    weights = traitlets.List().tag(sync=True)
    errors = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        text: str | None = None,
        *,
        clauses: int = 1,
        example: int = 0,
        moment: int | None = None,
        address: str = "translate",
    ) -> None:
        super().__init__(blobs=_data(), text=text, clauses=clauses, example=example, moment=moment, address=address)

    @traitlets.validate("text")
    def _check_text(self, proposal: dict) -> str | None:
        text = proposal["value"]
        if text is None:
            return None
        if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
            raise ValueError(f"text must be a sentence of at most {LONGEST} characters or None, got {text!r}")
        return text

    _check_whole = settings.checked(settings.whole, WHOLE)
    _check_moment = settings.checked(settings.whole_or_none, {"moment": (0, LAST_MOMENT)})


def sentence(example: int, clauses: int) -> tuple[str, str]:
    """The first clauses of an example, in English and in French: tokens between spaces, a full stop behind."""
    chain = _chains()[settings.whole("example", example, *WHOLE["example"])]
    english, french = zip(*chain[: settings.whole("clauses", clauses, *WHOLE["clauses"])], strict=True)
    return " ".join([*english, "."]), " ".join([*french, "."])


@cache
def _chains() -> list[list[list[str]]]:
    return json.loads(SENTENCES.read_text(encoding="utf-8"))["chains"]


def longest_trained() -> int:
    """Tokens of the longest sentence that both models were trained on, as their files say."""
    found = [re.search(r"at most (\d+) words", metadata(name)["corpus"]["name"]) for name in MODELS]
    return min(int(match[1]) for match in found if match)


@cache
def _data() -> dict[str, bytes]:
    sentences = {"chains": _chains(), "trained": longest_trained()}
    packed = json.dumps(sentences, ensure_ascii=False, separators=(",", ":")).encode()
    return {"sentences": packed} | blobs(MODELS[0]) | blobs(MODELS[1])
