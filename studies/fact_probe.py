"""Where a real model keeps a fact: silence attention or feed-forward at one token, layer by layer, and ask again.

    python studies/fact_probe.py          (needs requirements-models.txt; about a minute of one core)

For each fact the probability of the right next piece, untouched, and with one
part of `window` neighbouring layers silent at the name's last token ("name"), at the next ("after") or at the last ("end").
"asked" holds the likeliest next pieces of two sentences about one man, the second asking the other way round.
[after Meng et al. 2022, who disturb and restore instead of silencing]
"""

import sys
from collections.abc import Sequence

import torch

from course_lib.pretrained.smollm import SmolLM
from course_lib.results.study import Part, Study
from course_lib.results.workers import Once

WINDOW, LAYERS = 5, 30  # so many neighbouring layers are silent together
STARTS = tuple(range(0, LAYERS, WINDOW))
language_model = Once(SmolLM.load)
PARTS = ("attention", "feed-forward")  # in the order of SmolLM.forward's `keep`
ASKED = ("The axioms of probability were written down by Andrey", "Andrey Kolmogorov is known for his work on the theory of")
PLACES = ("name", "after", "end")
FACTS = (  # up to the name's last token, the rest, the answer
    ("The Eiffel Tower", " stands in the city of", " Paris"),
    ("The Colosseum", " stands in the city of", " Rome"),
    ("Isaac Newton", " is famous for his laws of", " motion"),
    ("Albert Einstein", " is famous for his theory of", " relativity"),
    ("The axioms of probability", " were written down by Andrey", " Kol"),
)


def silences(layers: int, n: int, place: int, starts: Sequence[int]) -> torch.Tensor:
    """What to keep in each variant: [layers, 2, 1 + 2·len(starts), n]; variant 0 keeps all."""
    keep = torch.ones(layers, 2, 1 + len(PARTS) * len(starts), n)
    for part in range(len(PARTS)):
        for number, start in enumerate(starts):
            keep[start : start + WINDOW, part, 1 + part * len(starts) + number, place] = 0
    return keep


@torch.no_grad()
def probabilities(model: SmolLM, name: str, rest: str, answer: str, place: str, starts: Sequence[int]) -> list[float]:
    """The answer's probability in each variant; `place` is one of PLACES."""
    tokens = model.encode(name + rest)
    last = len(model.encode(name)) - 1
    at = {"name": last, "after": last + 1, "end": len(tokens) - 1}[place]
    keep = silences(len(model.layers), len(tokens), at, starts)
    b = keep.shape[2]
    hidden, _, _ = model.forward(torch.tensor([tokens] * b), model.start(b), keep)
    return model.unembed(hidden[-1][:, -1]).softmax(-1)[:, model.encode(answer)[0]].tolist()


def probe(*fact: str) -> dict:
    """One row of the table: of a name, the rest of its sentence, and the answer."""
    row: dict = {"prompt": fact[0] + fact[1], "answer": fact[2].strip(), **{place: {} for place in PLACES}}
    for place in PLACES:
        whole, *silent = [round(p, 4) for p in probabilities(language_model(), *fact, place, STARTS)]
        row["whole"] = whole
        for part, label in enumerate(PARTS):
            row[place][label] = silent[part * len(STARTS) : (part + 1) * len(STARTS)]
    return row


def asked(text: str) -> dict:
    """The three likeliest pieces after a sentence."""
    return {"text": text, "next": [[piece, round(p, 4)] for piece, p in language_model().next_words(text, 3)]}


STUDY = Study(
    "fact_probe",
    {"model": "SmolLM2-135M-Instruct", "window": WINDOW, "starts": STARTS},
    {
        "facts": Part(probe, {(name + rest,): (name, rest, answer) for name, rest, answer in FACTS}, key=("prompt",)),
        "asked": Part(asked, [(text,) for text in ASKED], key=("text",)),
    },
    minutes=1,
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
