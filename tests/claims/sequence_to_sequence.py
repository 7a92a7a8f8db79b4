"""Chapter 1's page on sequence to sequence: where the probability goes, forced and free running, orders, lengths."""

import random
from collections import Counter
from functools import cache

import torch

from course_lib.decoding import greedy, select
from course_lib.recurrent import RNNencdec
from course_lib.results import load
from course_lib.shipped import rnnencdec
from course_lib.text.batches import PairBatch, Pairs
from course_lib.text.corpora import english_french, number_words
from course_lib.text.vocabulary import END, START, Vocabulary
from course_lib.translation import translate
from studies import sequence_to_sequence as study

from . import claim, rounding

F64 = {"dtype": torch.float64}


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


# --- a probability for every finite answer ----------------------------------------------------------------------------


@claim("L1.5.lengths")
def share_of_numbers_with_as_many_words_in_both_languages() -> float:
    pairs = number_words(1000, random.Random(0), digits=6)
    return sum(len(pair.source) == len(pair.target) for pair in pairs) / len(pairs)


def tiny() -> RNNencdec:
    """Two words, 0 and 1, and the end, 2; weights drawn by chance."""
    return RNNencdec(3, 3, 4, 6, generator=seeded(1), **F64)


SOURCE = torch.tensor([[0, 1, 1]])


@torch.no_grad()
def ended_and_open(model: RNNencdec, longest: int) -> list[tuple[float, float]]:
    """After each step: the probability of all answers up to there, and of all unfinished beginnings."""
    state, read, unfinished = model.start(SOURCE), torch.tensor([0]), torch.ones(1, **F64)
    ended, table = 0.0, []
    for _ in range(longest):
        logits, state = model.step(read, state)
        p = unfinished[:, None] * logits.softmax(-1)
        ended += p[:, END].sum().item()
        state = select(state, torch.arange(len(p)).repeat_interleave(2))
        read, unfinished = torch.tensor([0, 1]).repeat(len(p)), p[:, :2].flatten()
        table.append((ended, unfinished.sum().item()))
    return table


@claim("L1.5.sum")
def ended_plus_open_minus_one() -> float:
    return rounding(max(abs(ended + still - 1) for ended, still in ended_and_open(tiny(), 12)))


@claim("L1.5.ended")
def probability_of_all_answers_of_at_most_12_tokens() -> float:
    return ended_and_open(tiny(), 12)[-1][0]


def still_writing(steps: int) -> float:
    """With ⟨end⟩ at probability 1/(k+1)² in step k."""
    still = 1.0
    for k in range(1, steps + 1):
        still *= 1 - 1 / (k + 1) ** 2
    return still


@claim("L1.5.endless")
def still_writing_after_ten_thousand_steps() -> float:
    return still_writing(10_000)


# --- forced and free --------------------------------------------------------------------------------------------------


@cache
def untrained() -> tuple[RNNencdec, PairBatch]:
    """A model with weights drawn by chance, and fifty numbers."""
    pairs = number_words(50, random.Random(0), digits=6)
    source, target = (Vocabulary.from_counts(pair[side] for pair in pairs) for side in (0, 1))
    data = Pairs([source.encode(pair.source) for pair in pairs], [target.encode(pair.target) for pair in pairs], 50)
    return RNNencdec(len(source), len(target), 16, 24, generator=seeded(2), **F64), data.batch_of(range(50))


@claim("L1.4.forced")
def forced_word_by_word_minus_one_call() -> float:
    model, batch = untrained()
    with torch.no_grad():
        one_by_one = study.run_through(model, batch)
        at_once = model(batch.source, batch.target, batch.source_lengths).logits
    return rounding((one_by_one - at_once).abs().max().item())


def up_to_end(row: list[int]) -> list[int]:
    return row[: row.index(END)] if END in row else row


@claim("L1.4.free")
def sentences_in_which_free_running_and_greedy_differ() -> int:
    model, batch = untrained()
    with torch.no_grad():
        own = study.run_through(model, batch, own=1.0).argmax(-1).tolist()
    said = greedy(model.step, model.start(batch.source, batch.source_lengths), start=START, end=END, longest=batch.answers.shape[1])
    return sum(up_to_end(row) != tokens for row, tokens in zip(own, said.tokens, strict=True))


@claim("L1.5.product")
def log_probability_by_the_chain_rule_minus_greedys() -> float:
    """Of the sentence that greedy writes, read back word by word."""
    model, batch = untrained()
    start = model.start(batch.source[:1], batch.source_lengths[:1])
    said = greedy(model.step, start, start=START, end=END, longest=12)
    answer = torch.tensor([said.tokens[0] + [END] * bool(said.finished[0])])
    read = torch.cat([torch.tensor([[START]]), answer[:, :-1]], 1)
    with torch.no_grad():
        log_probs = model(batch.source[:1], read, batch.source_lengths[:1]).logits.log_softmax(-1)
    return rounding((log_probs.gather(-1, answer[..., None]).sum() - said.log_prob[0]).item())


def rows(**wanted) -> list[dict]:
    return [row for row in load("sequence_to_sequence")["rows"] if wanted.items() <= row.items()]


def mean(key: str, **wanted) -> float:
    found = rows(**wanted)
    return sum(row[key] for row in found) / len(found)


@claim("L1.4.behind")
def next_word_wrong_behind_a_mistake() -> float:
    return mean("wrong after a mistake", mode="forced")


@claim("L1.4.repaired")
def next_word_wrong_if_the_mistake_is_repaired() -> float:
    return mean("wrong there if repaired", mode="forced")


@claim("L1.4.behind_free")
def next_word_wrong_behind_a_mistake_trained_on_own_words() -> float:
    return mean("wrong after a mistake", mode="free")


@claim("L1.4.exact_forced")
def sentences_right_trained_on_right_words() -> float:
    return mean("exact", mode="forced")


@claim("L1.4.exact_free")
def sentences_right_trained_on_own_words() -> float:
    return mean("exact", mode="free")


# --- the order of the source ------------------------------------------------------------------------------------------


def distance(j: int, T: int, backwards: bool) -> int:
    """Steps between reading word j and writing word j, with T words read, then T written."""
    read = list(range(T, 0, -1)) if backwards else list(range(1, T + 1))
    said = list(range(1, T + 1))
    schedule = [("read", word) for word in read] + [("write", word) for word in said]
    return schedule.index(("write", j)) - schedule.index(("read", j))


@claim("L1.9.mean_distance")
def mean_distance_backwards_of_ten_words() -> float:
    return sum(distance(j, 10, True) for j in range(1, 11)) / 10


@claim("L1.9.first_distance")
def distance_of_the_first_word_backwards() -> int:
    return distance(1, 10, True)


def gained(task: str, key: str = "exact") -> float:
    """Backwards minus forwards, mean over both cells and all seeds."""
    return mean(key, task=task, order="backwards") - mean(key, task=task, order="forwards")


@claim("L1.9.copying")
def more_rows_copied_backwards() -> float:
    return gained("copying")


@claim("L1.9.numbers")
def more_numbers_right_backwards() -> float:
    return gained("numbers")


@claim("L1.9.first_word")
def more_first_words_of_numbers_right_backwards() -> float:
    return gained("numbers", "first")


# --- the fixed vector and length --------------------------------------------------------------------------------------


@cache
def by_clauses(clauses: int) -> tuple[float, float]:
    """Of a hundred sentences of the test with so many clauses: share exactly right, share of words found in any order."""
    pairs = english_french().test[clauses - 1 : 600 : 6]
    model, source, target, _ = rnnencdec()
    answers = [answer.words for answer in translate(model, source, target, [pair.source for pair in pairs])]
    exact = sum(answer == pair.target for answer, pair in zip(answers, pairs, strict=True)) / len(pairs)
    found = sum((Counter(answer) & Counter(pair.target)).total() for answer, pair in zip(answers, pairs, strict=True))
    return exact, found / sum(len(pair.target) for pair in pairs)


@claim("L1.9.one_clause", rtol=0.05)
def single_clauses_translated_exactly() -> float:
    return by_clauses(1)[0]


@claim("L1.9.two_clauses", rtol=0.5)
def two_clauses_translated_exactly() -> float:
    return by_clauses(2)[0]

