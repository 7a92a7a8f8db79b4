"""Decoding, live: a shipped model translates beam by beam, or invents a town letter by letter, in the reader's page."""

import gzip
import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import traitlets

from .. import settings
from ..base import Checked, CourseWidget
from ..shipped_data import blobs

TOWNS = Path(__file__).parents[2] / "text" / "data" / "towns.txt.gz"
MODELS = {"translator": "english_french", "towns": "towns"}
# The first three are odd on purpose: of ordinary short sentences the model is so sure that greedy and beam search agree.
EXAMPLES = (
    "the horse breaks the bad light city",
    "my poor girl does not sleep in the old horse",
    "the heavy doctor and the queen sleep",
    "your old mother does not buy the red apples",
    "the small girls will see a beautiful white horse",
)
TEXTS = {"translator": EXAMPLES[0], "towns": ""}
LONGEST = {"translator": 200, "towns": 30}
WHOLE = {"width": (1, 6), "hypothesis": (0, 98), "seed": (0, 9999)}
WHOLE_OR_NONE = {"moment": (0, 99), "layer": (0, 11), "head": (0, 15), "top_k": (1, 99)}
NUMBERS = {"length_power": (0.0, 1.5), "temperature": (0.1, 5.0), "top_p": (0.05, 1.0)}


class Decoding(CourseWidget):
    """From probabilities to text with a model that this course trained, computed in the page.

    model "translator" (English to French) shows beam search on `text`, an English sentence of at most 200 characters: the tree of
    hypotheses, the ranking of every step, greedy's answer beside it, and the cross-attention of one hypothesis. Its dials: width of
    the beam, 1 … 6; length_power, 0 … 1.5, the α of score = log-probability / length^α; moment, the step shown, None for the last;
    hypothesis, which row of the ranking is looked at, 0 the best; examples, sentences to choose from.

    model "towns" shows the next letter of a name that begins with `text`, at most 30 characters that the model knows. Its dials:
    temperature, 0.1 … 5; top_k, 1 … 99 or None for all; top_p, 0.05 … 1; seed, 0 … 9999: equal seeds and dials, equal names;
    drawn, the letters drawn after `text`, "⟨end⟩" last if the name has ended; listed, are ten names shown?

    Both: layer, from 0, None for the last; head, from 0, None for the mean of the heads. A dial of the other model does nothing.

    Read back, written by the page when it has computed (empty until then). ranking: [text, log-probability in nats, score] of
    each hypothesis at the end, best first; greedy: greedy's text. probabilities: token → probability to be drawn next, after the
    cuts; names: the ten names, each with "real" (it is on the list of Italian towns), "invented" or "cut" (no end in sight).
    All but `model` may be set from Python; ValueError names the argument.
    """

    bundle_name = "decoding"

    model = traitlets.Unicode("translator").tag(sync=True)
    text = Checked().tag(sync=True)
    width = Checked().tag(sync=True)
    length_power = Checked().tag(sync=True)
    moment = Checked().tag(sync=True)
    hypothesis = Checked().tag(sync=True)
    examples = Checked().tag(sync=True)
    temperature = Checked().tag(sync=True)
    top_k = Checked().tag(sync=True)
    top_p = Checked().tag(sync=True)
    seed = Checked().tag(sync=True)
    drawn = Checked().tag(sync=True)
    listed = Checked().tag(sync=True)
    layer = Checked().tag(sync=True)
    head = Checked().tag(sync=True)
    ranking = traitlets.List().tag(sync=True)
    greedy = traitlets.Unicode("").tag(sync=True)
    probabilities = traitlets.Dict().tag(sync=True)
    names = traitlets.List().tag(sync=True)

    def __init__(
        self,
        model: str = "translator",
        *,
        text: str | None = None,
        width: int = 3,
        length_power: float = 0.6,
        moment: int | None = None,
        hypothesis: int = 0,
        examples: Sequence[str] = EXAMPLES,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int = 1,
        drawn: str = "",
        listed: bool = False,
        layer: int | None = None,
        head: int | None = None,
        address: str | None = None,
    ) -> None:
        if not isinstance(model, str) or model not in MODELS:
            raise ValueError(f"model must be one of {', '.join(MODELS)}, got {model!r}")
        super().__init__(
            blobs=_data(model), model=model, text=TEXTS[model] if text is None else text, width=width, length_power=length_power,
            moment=moment, hypothesis=hypothesis, examples=examples, temperature=temperature, top_k=top_k, top_p=top_p, seed=seed,
            drawn=drawn, listed=listed, layer=layer, head=head, address=model if address is None else address,
        )  # fmt: skip

    @traitlets.validate("model")
    def _check_model(self, proposal: dict) -> str:
        if self.data_keys and proposal["value"] != self.model:
            raise ValueError(f"model must stay {self.model!r}: make another widget, got {proposal['value']!r}")
        return proposal["value"]

    @traitlets.validate("text")
    def _check_text(self, proposal: dict) -> str:
        text, most = proposal["value"], LONGEST[self.model]
        if not isinstance(text, str) or len(text) > most or (self.model == "translator" and not text.strip()):
            some = "a text" if self.model == "towns" else "a sentence"
            raise ValueError(f"text must be {some} of at most {most} characters, got {text!r}")
        if self.model == "towns":
            _known("text", text)
        return text

    @traitlets.validate("drawn")
    def _check_drawn(self, proposal: dict) -> str:
        drawn = proposal["value"]
        if not isinstance(drawn, str) or len(drawn) > 200:
            raise ValueError(f"drawn must be a text of at most 200 characters, ⟨end⟩ last if the name has ended, got {drawn!r}")
        _known("drawn", re.sub("⟨(pad|start|end|unk)⟩", "", drawn))
        return drawn

    @traitlets.validate("examples")
    def _check_examples(self, proposal: dict) -> list[str]:
        given = proposal["value"]
        if not isinstance(given, list | tuple) or not all(isinstance(text, str) and 0 < len(text) <= LONGEST["translator"] for text in given):
            raise ValueError(f"examples must be a list of sentences of 1 to {LONGEST['translator']} characters, got {given!r}")
        return list(given)

    _check_whole = settings.checked(settings.whole, WHOLE)
    _check_whole_or_none = settings.checked(settings.whole_or_none, WHOLE_OR_NONE)
    _check_number = settings.checked(settings.number, NUMBERS)
    _check_switch = settings.checked(settings.flag, ["listed"])


def _known(name: str, text: str) -> None:
    for letter in text:
        if letter not in _letters():
            raise ValueError(f"{name} must have characters that the model has read in names of towns, got {letter!r} in {text!r}")


@cache
def _letters() -> frozenset[str]:
    return frozenset(json.loads(blobs("towns")["towns"])["vocabulary"])


@cache
def _data(model: str) -> dict[str, bytes]:
    """The model's blobs, and for the towns the list of real ones, which the page asks for when it has a name to compare."""
    data = blobs(MODELS[model])
    return data | {"real": json.dumps(folded(real_towns()), ensure_ascii=False).encode()} if model == "towns" else data


def real_towns() -> list[str]:
    """Names of Italian municipalities, sorted: course_lib.text.corpora.towns() without torch. The model has read all but 500."""
    lines = gzip.decompress(TOWNS.read_bytes()).decode("utf-8").splitlines()
    return sorted(line for line in lines if not line.startswith("#"))


def folded(names: Sequence[str]) -> str:
    """Sorted names as one text: before each rest, the number of letters shared with the name before. No name has a digit."""
    pieces, before = [], ""
    for name in names:
        shared = next((i for i, (a, b) in enumerate(zip(before, name, strict=False)) if a != b), min(len(before), len(name)))
        pieces.append(f"{shared}{name[shared:]}")
        before = name
    return "".join(pieces)
