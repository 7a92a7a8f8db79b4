"""Decoding, live: a shipped model translates beam by beam, or invents a town letter by letter, in the reader's page."""

import gzip
import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import traitlets

from .. import settings
from ..base import CourseWidget
from ..shipped_data import blobs

TOWNS = Path(__file__).parents[2] / "text" / "data" / "towns.txt.gz"
FILES = {"translator": "english_french", "towns": "towns"}
CHARACTERS = {"translator": (1, 200), "towns": (0, 30), "table": (0, 0)}  # of text


class Decoding(CourseWidget):
    """From probabilities to text with a model that this course trained, computed in the page.

    model "translator" (English to French) shows beam search on `text`: the tree of hypotheses, the ranking of every
    step, greedy's answer beside it, and the cross-attention of one hypothesis. Its dials: width, length_power, moment,
    hypothesis, examples. model "table" shows the same search, without attention, on a language that `follows` writes
    down: {word: {next word: probability}}. model "towns" shows the next letter of a name that begins with `text`. Its
    dials: temperature, top_k, top_p, seed, drawn, listed.
    The two with attention: layer and head, from 0. A dial of the other model does nothing.

    Read back, written by the page when it has computed (empty until then). ranking: [text, log-probability in nats,
    score] of each hypothesis at the end, best first; greedy: greedy's text. probabilities: token → probability to be
    drawn next, after the cuts; names: the ten names, each with "real" (it is on the list of Italian towns), "invented"
    or "cut" (no end in sight). All but `model` may be set from Python.
    """

    address = traitlets.Unicode("").tag(sync=True)  # the model's name, where nothing is said
    ranking = traitlets.List().tag(sync=True)
    greedy = traitlets.Unicode("").tag(sync=True)
    probabilities = traitlets.Dict().tag(sync=True)
    names = traitlets.List().tag(sync=True)

    def __init__(
        self, model: str = "translator", *, text: str | None = None, address: str | None = None, **dials: object
    ) -> None:
        settings.check("model", DECLARED["model"], model)
        text = {"translator": EXAMPLES[0]}.get(model, "") if text is None else text
        super().__init__(
            blobs=_data(model), model=model, text=text, address=model if address is None else address, **dials
        )
        self._made = True

    def check_model(self, model: object) -> str:
        if getattr(self, "_made", False) and model != self.model:
            raise ValueError(f"model must stay {self.model!r}: make another widget, got {model!r}")
        return settings.check("model", DECLARED["model"], model)

    def check_text(self, text: object) -> str:
        settings.check("text", {"kind": "text", "takes": CHARACTERS[self.model]}, text)
        return _known("text", text, text) if self.model == "towns" else text

    def check_follows(self, follows: object) -> dict[str, dict[str, float]]:
        if not isinstance(follows, dict) or "⟨start⟩" not in follows:
            raise ValueError(f"follows must be a dict of words, ⟨start⟩ among them, got {follows!r}")
        for word, row in follows.items():
            if (
                not isinstance(row, dict)
                or not all(isinstance(p, int | float) and p > 0 for p in row.values())
                or abs(sum(row.values()) - 1) > 1e-6
            ):
                raise ValueError(
                    f"follows must have after each word probabilities above 0 with the sum 1, got {word!r}: {row!r}"
                )
            if lost := [each for each in row if each != "⟨end⟩" and each not in follows]:
                raise ValueError(f"follows must say what comes after every word, got nothing for {lost[0]!r}")
        return {word: {each: float(p) for each, p in row.items()} for word, row in follows.items()}

    def check_drawn(self, drawn: object) -> str:
        settings.check("drawn", DECLARED["drawn"], drawn)
        return _known("drawn", drawn, re.sub("⟨(pad|start|end|unk)⟩", "", drawn))

    def check_examples(self, given: object) -> list[str]:
        most = CHARACTERS["translator"][1]
        if not isinstance(given, list | tuple) or not all(
            isinstance(text, str) and 0 < len(text) <= most for text in given
        ):
            raise ValueError(f"examples must be a list of sentences of 1 to {most} characters, got {given!r}")
        return list(given)


DECLARED = settings.declared(Decoding)
# The first three are odd on purpose: of ordinary short sentences the model is so sure that greedy and beam search
# agree.
EXAMPLES = tuple(DECLARED["examples"]["default"])


def _known(name: str, value: str, letters: str) -> str:
    """The value, where the model has read all these letters."""
    for letter in letters:
        if letter not in _letters():
            raise ValueError(
                f"{name} must have characters that the model has read in names of towns, got {letter!r} in {letters!r}"
            )
    return value


@cache
def _letters() -> frozenset[str]:
    return frozenset(json.loads(blobs("towns")["towns"])["vocabulary"])


@cache
def _data(model: str) -> dict[str, bytes]:
    """The model's blobs, and for the towns the list of real ones, which the page asks for when it has a name to
    compare."""
    data = blobs(FILES[model]) if model in FILES else {}
    return data | {"real": json.dumps(folded(real_towns()), ensure_ascii=False).encode()} if model == "towns" else data


def real_towns() -> list[str]:
    """Names of Italian municipalities, sorted: course_lib.text.corpora.towns() without torch. The model has read all
    but 500."""
    lines = gzip.decompress(TOWNS.read_bytes()).decode("utf-8").splitlines()
    return sorted(line for line in lines if not line.startswith("#"))


def folded(names: Sequence[str]) -> str:
    """Sorted names as one text: before each rest, the number of letters shared with the name before. No name has a
    digit."""
    pieces, before = [], ""
    for name in names:
        shared = next(
            (i for i, (a, b) in enumerate(zip(before, name, strict=False)) if a != b), min(len(before), len(name))
        )
        pieces.append(f"{shared}{name[shared:]}")
        before = name
    return "".join(pieces)
