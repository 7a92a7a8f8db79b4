"""The page on the next word: what a beam finds, what fine-tuning costs, what a real model says."""

import copy
from functools import cache

import pytest
import torch
from torch import Tensor

from course_lib.checks import trusted
from course_lib.decoding import beam, sample
from course_lib.results import load
from course_lib.shipped import town_model
from course_lib.text.batches import pad
from course_lib.text.corpora import towns
from course_lib.text.vocabulary import END, START
from course_lib.training import cross_entropy
from tests.shared.seeded import seeded

NOTHING = torch.zeros(1, 1)  # a table that looks one word back needs no state
ENDINGS = ("ate", "ago", "asco")
TAL = "Mikhail Tal was a bad smoker but a good"


def random_tables(count: int = 200, vocab: int = 6) -> Tensor:
    """Log-probabilities of the next word by the word before, [count, vocab, vocab]."""
    generator = seeded()
    return torch.stack([(2 * torch.randn(vocab, vocab, generator=generator)).log_softmax(-1) for _ in range(count)])


@cache
def found_by(width: int, longest: int = 4) -> Tensor:
    """Log-probability of the best finished sentence of a beam of this width, ⟨end⟩ included, for each table."""
    best = []
    for table in random_tables():
        step = lambda tokens, state, table=table: (table[tokens], state)
        searched = beam(step, NOTHING, start=START, end=END, longest=longest, width=width, length_power=0.0)
        best.append(max(searched.log_prob[searched.finished].tolist(), default=-torch.inf))
    return torch.tensor(best)


def share_found(width: int) -> float:
    """Share of the tables in which it is the most probable of all sentences, for all of which 6³ rows have room."""
    return (found_by(width) > found_by(6**3) - 1e-4).double().mean().item()


def test_a_wider_beam_finds_the_best_sentence_more_often():  # L3.6
    narrow, wide = share_found(1), share_found(10)
    assert narrow < share_found(2) < share_found(3) < wide
    assert narrow < 0.5 and wide > 0.9


def split() -> tuple[list[str], list[str]]:
    """The names with one of the endings, and every fortieth of the others."""
    names = towns()
    return [name for name in names if name.endswith(ENDINGS)], [name for name in names if not name.endswith(ENDINGS)][
        ::40
    ]


def batch(names: list[str]) -> tuple[Tensor, Tensor]:
    letters = town_model().vocabulary
    rows, _ = pad([letters.encode(list(name), start=True, end=True) for name in names])
    return rows[:, :-1], rows[:, 1:]


@torch.no_grad()
def nats(model, names: list[str]) -> float:
    tokens, targets = batch(names)
    return cross_entropy(model(tokens).logits, targets).item()


@torch.no_grad()
def share(model, count: int = 300) -> float:
    """Share of the names drawn at temperature 1 that have one of the endings."""
    drawn = sample(model.step, model.start(count), start=START, end=END, longest=40, generator=seeded(1))
    return sum("".join(town_model().vocabulary.decode(row)).endswith(ENDINGS) for row in drawn.tokens) / count


@cache
def tuned(steps: int = 60):
    """A copy of the shipped model after so many steps of 32 of the names with those endings."""
    model, (names, _), generator = copy.deepcopy(town_model().model).double(), split(), seeded()
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
    with trusted():
        for _ in range(steps):
            pick = torch.randint(len(names), (32,), generator=generator).tolist()
            tokens, targets = batch([names[k] for k in pick])
            loss = cross_entropy(model(tokens).logits, targets)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return model


def row(text: str) -> dict:
    return next(each for each in load("next_words")["texts"] if each["text"] == text)


@pytest.mark.slow
def test_fine_tuning_learns_the_new_and_forgets_the_old():  # P9
    names, others = split()
    assert share(town_model().model) < 0.06
    assert share(tuned()) > 0.6
    assert nats(tuned(), names) < nats(town_model().model, names) - 0.4
    assert nats(tuned(), others) > nats(town_model().model, others) + 0.2


def test_more_text_in_front_brings_chess_forward():  # P8
    chess = row(TAL)["ranks"]["chess"]
    champion = row(f"World chess champion {TAL}")["ranks"]["chess"]
    assert chess > 1000 > 50 > champion
    assert dict(row(f"{TAL} chess")["next"])[" player"] > 0.5
