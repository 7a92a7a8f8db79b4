"""The page on sequence to sequence: its sums by other ways, its measures on made-up answers, its stored study."""

import re
import shutil
from functools import cache
from pathlib import Path
from random import Random
from statistics import fmean

import pytest
import torch
import torch.nn.functional as F

from course_lib.decoding import greedy
from course_lib.recurrent import RNNencdec
from course_lib.results import load
from course_lib.shipped import rnnencdec
from course_lib.text.batches import PairBatch, Pairs
from course_lib.text.corpora import english_french, number_words
from course_lib.text.vocabulary import END, START, Vocabulary
from course_lib.translation import translate
from studies import sequence_to_sequence as study
from tests.shared.record import largest
from tests.shared.seeded import F64, seeded

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "chapters/01_encoder_decoder/sequence_to_sequence.myst.md"


@cache
def untrained() -> tuple[RNNencdec, PairBatch]:
    """A model with weights drawn by chance, and fifty numbers."""
    pairs = number_words(50, Random(0), digits=6)
    source, target = (Vocabulary.from_counts(pair[side] for pair in pairs) for side in (0, 1))
    data = Pairs([source.encode(pair.source) for pair in pairs], [target.encode(pair.target) for pair in pairs], 50)
    return RNNencdec(len(source), len(target), 16, 24, generator=seeded(2), **F64), data.batch_of(range(50))


# --- forced and free --------------------------------------------------------------------------------------------------


@torch.no_grad()
def test_forced_word_by_word_is_the_one_call():  # L1.4
    model, batch = untrained()
    at_once = model(batch.source, batch.target, batch.source_lengths).logits
    assert largest(study.run_through(model, batch) - at_once) == 0


@torch.no_grad()
def test_free_running_is_what_greedy_writes():  # L1.4
    def up_to_end(row):
        return row[: row.index(END)] if END in row else row

    model, batch = untrained()
    own = study.run_through(model, batch, own=1.0).argmax(-1).tolist()
    start, longest = model.start(batch.source, batch.source_lengths), batch.answers.shape[1]
    assert [up_to_end(row) for row in own] == greedy(model.step, start, start=START, end=END, longest=longest).tokens


def test_scheduled_reading_takes_its_share_of_own_words():  # L1.4
    """A decoder that notes what it reads: right words are odd, its own are 4."""
    seen = []

    class Notes:
        def start(self, source, lengths):
            return None

        def step(self, tokens, state):
            seen.append(tokens)
            return F.one_hot(torch.full_like(tokens, 4), 8).double(), state

    target = torch.full((200, 21), 5)
    batch = PairBatch(target, target[:, 0], target, target[:, 0], target, ())
    study.run_through(Notes(), batch, own=0.25, generator=seeded())
    read = torch.stack(seen[1:])
    assert set(read.flatten().tolist()) == {4, 5} and (read == 4).double().mean().item() == pytest.approx(
        0.25, abs=0.03
    )


class Table:
    """Says the same words whatever it reads, unless it has just read the word 9: then it says 8."""

    def __init__(self, said):
        self.said = torch.tensor(said)  # [b, n]

    def start(self, source, lengths):
        return torch.zeros(len(self.said), dtype=torch.int64)

    def step(self, tokens, state):
        word = torch.where(tokens == 9, 8, self.said[torch.arange(len(self.said)), state])
        return F.one_hot(word, 10).double(), state + 1


def test_the_reading_scores_by_hand():  # L1.4
    """Row 1 right; row 2 says 9 for 5 and is thrown off by it; row 3 stops too early, which is left out of "behind"."""
    answers = torch.tensor([[4, 5, END, 0], [4, 5, 6, END], [4, 5, 6, END]])
    target = torch.tensor([[START, 4, 5, 0], [START, 4, 5, 6], [START, 4, 5, 6]])
    batch = PairBatch(target, torch.tensor([3, 4, 4]), target, torch.tensor([3, 4, 4]), answers, (0, 1, 2))
    scores = study.reading_scores(Table([[4, 5, END, 7], [4, 9, 6, END], [4, END, 6, END]]), batch)
    assert scores == {
        "forced": round(9 / 11, 4), "free": round(8 / 11, 4), "exact": round(1 / 3, 4),
        "wrong while all was right": round(2 / 7, 4),
        "wrong later": 0.25, "wrong after a mistake": 1.0, "wrong there if repaired": 0.0, "mistakes": 1,
    }  # fmt: skip


def test_the_order_scores_by_hand():  # L1.9
    """Six words and three: wrong at place 1 of the long one, and at the end of it; the short one counts for no
    third."""
    answers = torch.tensor([[4, 5, 6, 7, 4, 5, END], [4, 5, 6, END, 0, 0, 0]])
    said = torch.tensor([[4, 9, 6, 7, 4, 5, 4], [4, 5, 6, END, 4, 4, 4]])

    class Known(Table):
        def __call__(self, *given):
            return type("Decoded", (), {"logits": 30.0 * F.one_hot(said, 10)})

    batch = PairBatch(answers, torch.tensor([7, 4]), answers, torch.tensor([7, 4]), answers, (0, 1))
    scores = study.order_scores(Known([row + [4] * 8 for row in said.tolist()]), batch)
    assert scores["thirds"] == [0.5, 1.0, 1.0] and scores["first"] == 1.0 and scores["exact"] == 0.5
    assert scores["nats"] == pytest.approx(30 * 2 / 11, abs=1e-3)


# --- the order of the source, and the study ---------------------------------------------------------------------------


def test_only_the_source_is_turned_round(monkeypatch):  # L1.9
    monkeypatch.setattr(study, "KNOWN", 80)
    monkeypatch.setattr(study, "HELD_OUT", 20)
    pairs = study.numbers(6)
    _, _, _, there = study.prepared(pairs, 0)
    _, _, _, back = study.prepared(pairs, 0, backwards=True)
    for k in range(20):
        length = there.source_lengths[k]
        assert there.source[k, :length].tolist() == back.source[k, :length].tolist()[::-1]
    assert torch.equal(there.answers, back.answers)
    words = study.letters(4, 10)
    assert len(set(words)) == len(words) == 100 and all(a == b for a, b in words[:10])


def rows(**wanted) -> list[dict]:
    return [row for row in load("sequence_to_sequence")["rows"] if wanted.items() <= row.items()]


def mean(key: str, **wanted) -> float:
    return fmean(row[key] for row in rows(**wanted))


def test_what_a_mistake_costs():  # L1.4: the page's sentences
    assert mean("wrong after a mistake", mode="forced") == pytest.approx(0.318, abs=0.005)
    assert mean("wrong after a mistake", mode="free") == pytest.approx(0.095, abs=0.005)
    assert mean("wrong there if repaired", mode="forced") < 0.02


def gains(task: str, cell: str) -> list[float]:
    """By how much more answers are right backwards, seed by seed."""
    there, back = (
        {row["seed"]: row["exact"] for row in rows(task=task, cell=cell, order=order)}
        for order in ("forwards", "backwards")
    )
    return [back[seed] - there[seed] for seed in there]


def test_what_reading_backwards_does():  # L1.9: the page's sentences
    assert all(gain > 0 for cell in ("gru", "lstm") for gain in gains("copying", cell))
    assert all(gain < 0 for gain in gains("numbers", "lstm")) and sum(gain < 0 for gain in gains("numbers", "gru")) == 4


# --- the fixed vector and length --------------------------------------------------------------------------------------


def by_clauses(clauses: int) -> float:
    """Of a hundred sentences of the test with so many clauses: the share exactly right."""
    pairs = english_french().test[clauses - 1 : 600 : 6]
    model, source, target, _ = rnnencdec()
    answers = translate(model, source, target, [pair.source for pair in pairs])
    return sum(answer.words == pair.target for answer, pair in zip(answers, pairs, strict=True)) / len(pairs)


def test_one_clause_fits_and_two_do_not():  # L1.9
    assert by_clauses(1) > 0.5
    assert by_clauses(2) < 0.05


def test_the_code_for_human_sentences_runs(tmp_path, monkeypatch, capsys):  # L1.9
    """The page's own block, on a tiny index of the same form, for two steps."""
    code = re.search(r"```python\n(.*?)```", SOURCE.read_text(), re.S)[1]
    for language in ("en", "it"):
        shutil.copy(ROOT / f"tests/library/fixtures/Translation-{language}", tmp_path / f"Translation-{language}")
    monkeypatch.chdir(tmp_path)
    assert code.count(".bz2") == 2 and code.count("3000") == 1
    exec(code.replace(".bz2", "").replace("3000", "2").replace("progress=True", "progress=False"), {})
    shown = capsys.readouterr().out
    assert re.match(r"BLEU \d+\.\d\n.* → .* \| .*\n", shown)
