"""The journey: one English sentence through the shipped translator, every matrix on the way, to the next French
word."""

import re

import traitlets

from .. import settings
from ..base import CourseWidget
from ..shipped_data import SPECIALS, blobs, metadata

MODEL = "english_french"
LONGEST, MOST_WRITTEN = 16, 28
END = SPECIALS[2]
WORDS = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


class Journey(CourseWidget):
    """One sentence followed through the English–French model: 2 encoder layers, 2 decoder layers, one stop at a time.

    Places count from 0. Read back, written by the front end when it draws (empty until then): tokens, the sentence as
    the model reads it; next_words, the ten likeliest next words, [word, probability] each.
    """

    address = traitlets.Unicode("journey").tag(sync=True)
    tokens = traitlets.List().tag(sync=True)
    next_words = traitlets.List().tag(sync=True)

    def __init__(self, *values: object, **more: object) -> None:
        super().__init__(*values, blobs=blobs(MODEL), **more)

    def check_sentence(self, given: object) -> str:
        return _sentence("sentence", given)

    def check_examples(self, given: object) -> list[str]:
        if not isinstance(given, list | tuple):
            raise ValueError(f"examples must be a list of sentences, got {given!r}")
        return [_sentence("examples", each) for each in given]

    def check_written(self, given: object) -> list[str]:
        if (
            not isinstance(given, list | tuple)
            or len(given) > MOST_WRITTEN
            or not all(isinstance(word, str) for word in given)
        ):
            raise ValueError(f"written must be a list of at most {MOST_WRITTEN} French words, got {given!r}")
        known = metadata(MODEL)["vocabularies"]["target"]
        strange = [word for i, word in enumerate(given) if word not in known and (word, i) != (END, len(given) - 1)]
        if strange:
            raise ValueError(f"written must be words that the model knows, got {', '.join(strange)}")
        return list(given)

    def check_layer(self, given: object) -> int:
        return _place("layer", given, "layers")

    def check_head(self, given: object) -> int:
        return _place("head", given, "h")


DECLARED = settings.declared(Journey)
STATIONS, EXAMPLES = tuple(DECLARED["station"]["takes"]), tuple(DECLARED["examples"]["default"])


def _place(name: str, given: object, size: str) -> int:
    """A layer or head that the model has; `size` is what its configuration calls their number."""
    return settings.check(name, {"kind": "whole", "takes": (0, metadata(MODEL)["config"][size] - 1)}, given)


def tokens_of(text: str) -> list[str]:
    """The tokens as the front end cuts them (widgets/journey/sentence.js): lower case, a full stop at the end."""
    tokens = WORDS.findall(text.lower())
    return tokens if not tokens or tokens[-1] == "." else [*tokens, "."]


def _sentence(name: str, text: object) -> str:
    tokens = tokens_of(text) if isinstance(text, str) else []
    if not 1 <= len(tokens) <= LONGEST:
        raise ValueError(
            f"{name} must be English text of 1 to {LONGEST} tokens, the full stop among them, got {text!r}"
        )
    known = metadata(MODEL)["vocabularies"]["source"]
    strange = [token for token in tokens if token not in known]
    if strange:
        raise ValueError(f"{name} must be made of words that the model knows, got {', '.join(strange)}")
    return " ".join(tokens)
