"""Where a real model keeps a fact: replace what attention or feed-forward adds at one token, layers by layers, and ask
again.

    python studies/fact_probe.py          (needs requirements/models.txt; about five minutes of one core)

For each fact the logarithm of the right next piece's probability, untouched ("whole"), and with what one part of
`window` neighbouring layers adds replaced by nothing ("zero") or by its mean over OTHERS ("mean"), at the name's last
token ("name"), at the next ("after") or at the last ("end"). "control" is the same sentence one or two words earlier:
its next word is settled by grammar. "further" holds sentences that were written down before any of them was asked, with
the likeliest piece; some the model does not know. "asked": the likeliest next pieces of two sentences about one man.
[after Meng et al. 2022, who disturb and restore]
"""

import sys
from collections.abc import Sequence

import torch
from torch import Tensor

from course_lib.pretrained.smollm import SmolLM, rms_norm, share, swiglu
from course_lib.results.study import Again, Part, Study
from course_lib.results.workers import Once

WINDOW, LAYERS = 5, 30  # so many neighbouring layers are replaced together
STARTS = tuple(range(0, LAYERS, WINDOW))
PARTS = ("attention", "feed-forward")  # in the order of SmolLM.forward's `keep`
PLACES, FILLS = ("name", "after", "end"), ("zero", "mean")
ASKED = (
    "The axioms of probability were written down by Andrey",
    "Andrey Kolmogorov is known for his work on the theory of",
)
FACTS = (  # up to the name's last token, more, the words whose first the control asks for, the answer
    ("The Eiffel Tower", " stands in the city", " of", " Paris"),
    ("The Colosseum", " stands in the city", " of", " Rome"),
    ("Isaac Newton", " is famous for his laws", " of", " motion"),
    ("Albert Einstein", " is famous for his theory", " of", " relativity"),
    ("The axioms of probability", " were written down", " by Andrey", " Kol"),
)
FURTHER = (
    ("The capital of France", " is the city", " of", " Paris"),
    ("The capital of Japan", " is the city", " of", " Tokyo"),
    ("The capital of Italy", " is the city", " of", " Rome"),
    ("The capital of Germany", " is the city", " of", " Berlin"),
    ("The Taj Mahal", " stands in the country", " of", " India"),
    ("The Statue of Liberty", " stands in the city", " of", " New"),
    ("Big Ben", " stands in the city", " of", " London"),
    ("The Louvre", " is a museum in the city", " of", " Paris"),
    ("The Kremlin", " stands in the city", " of", " Moscow"),
    ("The Great Wall", " was built long ago", " in", " China"),
    ("Mount Fuji", " is the highest mountain", " in", " Japan"),
    ("The Nile", " is a long river", " in", " Egypt"),
    ("Charles Darwin", " is famous for his theory", " of", " evolution"),
    ("Sigmund Freud", " is famous as the founder", " of", " psychoanalysis"),
    ("Marie Curie", " is famous for her discovery", " of", " rad"),
    ("Alexander Fleming", " is famous for his discovery", " of", " penicillin"),
    ("Christopher Columbus", " is famous for his discovery", " of", " America"),
    ("Alexander Graham Bell", " is famous for his invention of", " the", " telephone"),
    ("Johannes Gutenberg", " is famous for his invention of", " the", " printing"),
    ("Thomas Edison", " is famous for his invention of", " the", " light"),
    ("Galileo Galilei", " is famous for his use", " of the", " telescope"),
    ("Neil Armstrong", " was the first man to walk on", " the", " moon"),
    ("Barack Obama", " was the president of", " the", " United"),
    ("Nelson Mandela", " was the first black president", " of", " South"),
    ("Wolfgang Amadeus Mozart", " was a famous composer", " from", " Austria"),
    ("Microsoft", " was founded by a man who was", " called", " Bill"),
    ("Honey", " is a sweet food that is made", " by", " bees"),
    ("Wine", " is a drink that is made", " from", " gra"),
    ("Water", " is made of oxygen", " and", " hydrogen"),
    ("Adam Smith", " is famous as the author of", " The", " Wealth"),
)
OTHERS = (  # what the means are taken over, all tokens but the first
    "The lighthouse keeper counted the ships every evening and wrote their names in a long green book.",
    "After the meeting she walked home along the river and thought about what he had said.",
    "Most of the houses in the village were built of stone because wood was hard to find.",
    "When water freezes it becomes lighter, and so the ice stays on top of the lake.",
    "He opened the letter, read the first line twice, and put it back into the drawer.",
    "Every child who came to the library was given a card with his or her name on it.",
    "The price of bread went up again in spring, although the harvest had been good.",
    "Three of the runners stopped before the bridge, and only one of them went on.",
    "My grandmother kept the buttons in a tin box that had once held tea from China.",
    "If the valve is closed too quickly, the pressure in the pipe can rise above the limit.",
    "The committee will publish its report at the end of the month, in two languages.",
    "Nobody in the office knew who had ordered the second piano or where to put it.",
)
language_model = Once(SmolLM.load)


@torch.no_grad()
def parts(model: SmolLM, text: str) -> tuple[Tensor, Tensor]:
    """The stream [layers + 1, n, d], and what each head and, last, the feed-forward layer adds to each token [layers, h
    + 1, n, d]."""
    seen, rows = model.read(text), []
    for layer, x, A in zip(model.layers, seen.hidden, seen.weights, strict=False):
        v = torch.einsum("nd,gdm->gnm", rms_norm(x, layer.before_attention, model.epsilon), layer.W_V)
        heads = torch.einsum("hnm,hmd->hnd", A @ share(v[None], len(A))[0], layer.W_O)
        rows.append(
            torch.cat(
                [heads, swiglu(rms_norm(x + heads.sum(0), layer.before_feed_forward, model.epsilon), layer)[None]]
            )
        )
    return seen.hidden, torch.stack(rows)


@Once
def means() -> Tensor:
    """The mean of what each part adds, over the tokens of OTHERS but the first: [layers, h + 1, d]."""
    return torch.cat([parts(language_model(), text)[1][:, :, 1:] for text in OTHERS], 2).mean(2)


def replaced(layers: int, n: int, place: int, starts: Sequence[int]) -> Tensor:
    """What to keep in each variant: [layers, 2, 1 + 2·len(starts), n]; variant 0 keeps all."""
    keep = torch.ones(layers, 2, 1 + len(PARTS) * len(starts), n)
    for part in range(len(PARTS)):
        for number, start in enumerate(starts):
            keep[start : start + WINDOW, part, 1 + part * len(starts) + number, place] = 0
    return keep


@torch.no_grad()
def log_probabilities(
    model: SmolLM, name: str, rest: str, answer: str, place: str, fill: str, starts: Sequence[int]
) -> list[float]:
    """log Pr(answer) in each variant; `place` is one of PLACES, `fill` one of FILLS."""
    tokens = model.encode(name + rest)
    last = len(model.encode(name)) - 1
    at = {"name": last, "after": last + 1, "end": len(tokens) - 1}[place]
    keep = replaced(len(model.layers), len(tokens), at, starts)
    b = keep.shape[2]
    mean = torch.stack([means()[:, :-1].sum(1), means()[:, -1]], 1)  # of attention as a whole, and of feed-forward
    instead = mean[:, :, None] if fill == "mean" else None
    hidden, _, _ = model.forward(torch.tensor([tokens] * b), model.start(b), keep, instead)
    return model.unembed(hidden[-1][:, -1]).log_softmax(-1)[:, model.encode(answer)[0]].tolist()


def probe(name: str, rest: str, answer: str) -> dict:
    """Everything that is measured at one sentence."""
    row: dict = {"answer": answer.strip()}
    for fill in FILLS:
        row[fill] = {}
        for place in PLACES:
            row["whole"], *changed = [
                round(p, 3) for p in log_probabilities(language_model(), name, rest, answer, place, fill, STARTS)
            ]
            row[fill][place] = {
                label: changed[part * len(STARTS) : (part + 1) * len(STARTS)] for part, label in enumerate(PARTS)
            }
    return row


def fact(name: str, rest: str, word: str, answer: str) -> dict:
    """One row of the table: the sentence, and the control, which ends before `word`."""
    first = language_model().next_words(name + rest + word, 1)[0][0].strip()
    return {
        "prompt": name + rest + word,
        "first": first,
        **probe(name, rest + word, answer),
        "control": probe(name, rest, word),
    }


def asked(text: str) -> dict:
    """The three likeliest pieces after a sentence."""
    return {"text": text, "next": [[piece, round(p, 4)] for piece, p in language_model().next_words(text, 3)]}


def wanted(facts: Sequence[tuple[str, str, str, str]]) -> dict:
    return {("".join(each[:3]),): each for each in facts}


STUDY = Study(
    "fact_probe",
    {"model": "SmolLM2-135M-Instruct", "window": WINDOW, "starts": STARTS, "others": OTHERS},
    {
        "facts": Part(fact, wanted(FACTS), key=("prompt",)),
        "further": Part(fact, wanted(FURTHER), key=("prompt",)),
        "asked": Part(asked, [(text,) for text in ASKED], key=("text",)),
    },
    minutes=5,
    again=[Again("asked", [(text,) for text in ASKED], asked, abs=2e-3)],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
