"""The journey: one English sentence through the shipped translator, every matrix on the way, to the next French word."""

import re
from collections.abc import Sequence

import traitlets

from .. import settings
from ..base import Checked, CourseWidget
from ..shipped_data import SPECIALS, blobs, metadata

MODEL = "english_french"
LOOK, THINK = ("read", "scores", "weights", "mix", "gather"), ("hidden", "output")
ENCODER = ("words", "one_hot", "embedding", "position", *(f"encoder_{step}" for step in LOOK + THINK), "memory")
DECODER = ("target_words", "target_embedding", "target_position", *(f"decoder_{step}" for step in LOOK),
           *(f"cross_{step}" for step in LOOK), *(f"decoder_{step}" for step in THINK), "final", "logits", "softmax")  # fmt: skip
STATIONS = ENCODER + DECODER
LONGEST, MOST_WRITTEN = 16, 28
END = SPECIALS[2]
WORDS = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
# None of them is in the model's training set.
EXAMPLES = (
    "they will sell the small red houses .",
    "the big queen did not sing .",
    "she will paint the windows .",
    "this new poet does not prepare them in a city .",
    "the strong queen supported the european italian area .",
    "you will not walk in a red room .",
    "a small dangerous student who laughs in this blue city sang .",
)


class Journey(CourseWidget):
    """One sentence followed through the English–French model: 2 encoder layers, 2 decoder layers, one stop at a time.

    sentence: English, at most 16 tokens with its full stop, all among the words that the model knows (a full stop is added
    where there is none); written: French words so far, "⟨end⟩" last when the translation is finished. station: the stop shown, one of STATIONS; layer, head,
    from 0, where the stop has them; row and column, from 0, the entry looked at, None for one that the page chooses; matrix: the matrix shown large, by
    its name in the stop's equation ("K", "W_Q"), "" for the stop's result. examples: sentences to pick from.

    Read back, written by the front end when it draws (empty until then): tokens, the sentence as the model reads it; next_words, the ten
    likeliest next words, [word, probability] each. All may be set from Python; ValueError names the argument.
    """

    bundle_name = "journey"

    sentence = Checked().tag(sync=True)
    written = Checked().tag(sync=True)
    station = Checked().tag(sync=True)
    layer = Checked().tag(sync=True)
    head = Checked().tag(sync=True)
    row = Checked().tag(sync=True)
    column = Checked().tag(sync=True)
    matrix = Checked().tag(sync=True)
    examples = Checked().tag(sync=True)
    tokens = traitlets.List().tag(sync=True)
    next_words = traitlets.List().tag(sync=True)

    def __init__(
        self,
        sentence: str = EXAMPLES[0],
        *,
        written: Sequence[str] = (),
        station: str = "words",
        layer: int = 0,
        head: int = 0,
        row: int | None = None,
        column: int | None = None,
        matrix: str = "",
        examples: Sequence[str] = EXAMPLES,
        address: str = "journey",
    ) -> None:
        super().__init__(
            blobs=blobs(MODEL), sentence=sentence, written=written, station=station, layer=layer, head=head, row=row,
            column=column, matrix=matrix, examples=examples, address=address,
        )  # fmt: skip

    @traitlets.validate("sentence")
    def _check_sentence(self, proposal: dict) -> str:
        return _sentence("sentence", proposal["value"])

    @traitlets.validate("examples")
    def _check_examples(self, proposal: dict) -> list[str]:
        if not isinstance(proposal["value"], list | tuple):
            raise ValueError(f"examples must be a list of sentences, got {proposal['value']!r}")
        return [_sentence("examples", each) for each in proposal["value"]]

    @traitlets.validate("written")
    def _check_written(self, proposal: dict) -> list[str]:
        given = proposal["value"]
        words = None if isinstance(given, str) or not isinstance(given, list | tuple) else list(given)
        if words is None or len(words) > MOST_WRITTEN or not all(isinstance(word, str) for word in words):
            raise ValueError(f"written must be a list of at most {MOST_WRITTEN} French words, got {given!r}")
        known = metadata(MODEL)["vocabularies"]["target"]
        strange = [word for i, word in enumerate(words) if word not in known and (word, i) != (END, len(words) - 1)]
        if strange:
            raise ValueError(f"written must be words that the model knows, got {', '.join(strange)}")
        return words

    _check_station = settings.checked(settings.option, {"station": STATIONS})

    @traitlets.validate("layer", "head")
    def _check_place(self, proposal: dict) -> int:
        name, config = proposal["trait"].name, metadata(MODEL)["config"]
        return settings.whole(name, proposal["value"], 0, config[{"layer": "layers", "head": "h"}[name]] - 1)

    @traitlets.validate("row", "column")
    def _check_entry(self, proposal: dict) -> int | None:
        # Beyond the last row or column of the matrix shown, the front end shows the last.
        return None if proposal["value"] is None else settings.whole(proposal["trait"].name, proposal["value"], 0, 1999)

    @traitlets.validate("matrix")
    def _check_matrix(self, proposal: dict) -> str:
        if not isinstance(proposal["value"], str) or len(proposal["value"]) > 20:
            raise ValueError(f'matrix must be the name of a matrix, or "" for the stop\'s result, got {proposal["value"]!r}')
        return proposal["value"]


def tokens_of(text: str) -> list[str]:
    """The tokens as the front end cuts them (widgets/journey/sentence.js): lower case, a full stop at the end."""
    tokens = WORDS.findall(text.lower())
    return tokens if not tokens or tokens[-1] == "." else [*tokens, "."]


def _sentence(name: str, text: object) -> str:
    tokens = tokens_of(text) if isinstance(text, str) else []
    if not 1 <= len(tokens) <= LONGEST:
        raise ValueError(f"{name} must be English text of 1 to {LONGEST} tokens, the full stop among them, got {text!r}")
    known = metadata(MODEL)["vocabularies"]["source"]
    strange = [token for token in tokens if token not in known]
    if strange:
        raise ValueError(f"{name} must be made of words that the model knows, got {', '.join(strange)}")
    return " ".join(tokens)
