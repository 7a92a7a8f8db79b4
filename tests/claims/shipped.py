"""What the shipped models do, read from the scores in their files, and beam search against every sentence there is.

tools/train_translator.py and tools/train_towns.py measured the scores; tests/test_shipped.py measures samples again.
"""

import itertools

import torch

from course_lib import shipped
from course_lib.decoding import beam

from . import claim, rounding

START, END, VOCAB, LONGEST = 1, 2, 4, 4


@claim("L3.6.exhaustive")
def gap_between_a_wide_beam_and_every_sentence() -> float:
    """Largest difference, over all sentences of at most 4 tokens in rank order, of log Pr/length^0.6."""
    table = torch.randn(VOCAB, VOCAB, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    log_probs = torch.log_softmax(table, -1)
    words = [token for token in range(VOCAB) if token != END]
    sentences = [(*each, END) for n in range(LONGEST) for each in itertools.product(words, repeat=n)]
    sentences += itertools.product(words, repeat=LONGEST)
    scores = []
    for sentence in sentences:
        nats = sum(log_probs[pair].item() for pair in itertools.pairwise((START, *sentence)))
        scores.append(nats / len(sentence) ** 0.6)
    found = beam(
        lambda tokens, state: (table[tokens], state), torch.zeros(1),
        start=START, end=END, longest=LONGEST, width=len(sentences),
    )  # fmt: skip
    return rounding((found.score - torch.tensor(sorted(scores, reverse=True))).abs().max().item(), 1e-6)


def compared(count: int, way: str) -> dict:
    return shipped.translator().info["scores"]["greedy and beam, by clauses"][str(count)][way]


@claim("P8.greedy_one")
def exact_by_greedy_on_one_clause() -> float:
    return compared(1, "greedy")["exact"]


@claim("P8.beam_one")
def exact_by_beam_on_one_clause() -> float:
    return compared(1, "beam 4")["exact"]


@claim("P8.greedy_two")
def exact_by_greedy_on_two_clauses() -> float:
    return compared(2, "greedy")["exact"]


@claim("P8.beam_two")
def exact_by_beam_on_two_clauses() -> float:
    return compared(2, "beam 4")["exact"]


def by_clauses(count: int) -> dict:
    return shipped.translator().info["scores"]["by clauses"][str(count)]


@claim("L3.6.stop_one")
def right_length_on_one_clause() -> float:
    return by_clauses(1)["of the right length"]


@claim("L3.6.stop_six")
def right_length_on_six_clauses() -> float:
    """Twice as long as anything in the training: the stop token comes too early or too late."""
    return by_clauses(6)["of the right length"]


@claim("P8.towns_nats")
def nats_a_character_of_held_out_towns() -> float:
    return shipped.town_model().info["scores"]["nats a character"]["held-out names"]


@claim("P8.towns_new")
def share_of_drawn_towns_that_are_not_in_the_list() -> float:
    return shipped.town_model().info["scores"]["temperature 1.0"]["not in the list"]
