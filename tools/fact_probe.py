"""Where a real model keeps a fact: silence attention or feed-forward at one token, layer by layer, and ask again.

    python tools/fact_probe.py          (needs requirements-models.txt; about a minute)

Writes course_lib/results/fact_probe.json: for each fact the probability of the right next piece, untouched, and with one
part of `window` neighbouring layers silent at the name's last token ("name"), at the next ("after") or at the last ("end").
"asked" holds the likeliest next pieces of two sentences about one man, the second asking the other way round.
[after Meng et al. 2022, who disturb and restore instead of silencing]
"""

import sys

import torch

from course_lib.pretrained.smollm import SmolLM
from course_lib.results import store

WINDOW = 5
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


def silences(layers: int, n: int, place: int, starts: list[int]) -> torch.Tensor:
    """What to keep in each variant: [layers, 2, 1 + 2·len(starts), n]; variant 0 keeps all."""
    keep = torch.ones(layers, 2, 1 + len(PARTS) * len(starts), n)
    for part in range(len(PARTS)):
        for number, start in enumerate(starts):
            keep[start : start + WINDOW, part, 1 + part * len(starts) + number, place] = 0
    return keep


@torch.no_grad()
def probabilities(model: SmolLM, name: str, rest: str, answer: str, place: str, starts: list[int]) -> list[float]:
    """The answer's probability in each variant; `place` is one of PLACES."""
    tokens = model.encode(name + rest)
    last = len(model.encode(name)) - 1
    at = {"name": last, "after": last + 1, "end": len(tokens) - 1}[place]
    keep = silences(len(model.layers), len(tokens), at, starts)
    b = keep.shape[2]
    hidden, _, _ = model.forward(torch.tensor([tokens] * b), model.start(b), keep)
    return model.unembed(hidden[-1][:, -1]).softmax(-1)[:, model.encode(answer)[0]].tolist()


def probe(model: SmolLM, fact: tuple[str, str, str], starts: list[int]) -> dict:
    """One row of the table."""
    row: dict = {"prompt": fact[0] + fact[1], "answer": fact[2].strip(), **{place: {} for place in PLACES}}
    for place in PLACES:
        whole, *silent = [round(p, 4) for p in probabilities(model, *fact, place, starts)]
        row["whole"] = whole
        for part, label in enumerate(PARTS):
            row[place][label] = silent[part * len(starts) : (part + 1) * len(starts)]
    return row


def asked(model: SmolLM) -> list[dict]:
    """The three likeliest pieces after each sentence of ASKED."""
    return [{"text": text, "next": [[piece, round(p, 4)] for piece, p in model.next_words(text, 3)]} for text in ASKED]


def main() -> None:
    torch.set_num_threads(1)
    model = SmolLM.load()
    starts = list(range(0, len(model.layers), WINDOW))
    rows = []
    for fact in FACTS:
        rows.append(probe(model, fact, starts))
        print(f"{fact[0]}: {rows[-1]['whole']}", file=sys.stderr)
    store("fact_probe", {"command": "python tools/fact_probe.py", "model": "SmolLM2-135M-Instruct", "window": WINDOW, "starts": starts, "facts": rows, "asked": asked(model)})


if __name__ == "__main__":
    main()
