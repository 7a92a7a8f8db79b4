"""The page on the next word: what the loss pulls at, what a beam finds, what fine-tuning costs, what a real model says."""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from claims import next_word as page

from course_lib import results
from course_lib.pretrained.files import NotInstalled
from course_lib.results import load
from course_lib.shipped import town_model
from course_lib.text.corpora import towns
from course_lib.text.vocabulary import END, START

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import next_words

from tests.optional import missing


def test_the_loss_pulls_at_each_logit_by_its_error():  # P8
    assert page.derivative_minus_its_formula() == 0
    logits, right = 3 * torch.randn(4, 7, generator=page.seeded(), **page.F64), torch.tensor([6, 1, 3, 1])
    p = np.exp(logits.numpy()) / np.exp(logits.numpy()).sum(1, keepdims=True)
    p[np.arange(4), right] -= 1
    assert page.pulls(logits, right).numpy() == pytest.approx(p / 4)  # the loss is a mean of four
    assert page.pulls(logits, right).sum(1).numpy() == pytest.approx(np.zeros(4))


def test_the_best_word_is_not_the_best_sentence():  # P8
    assert page.probability_of_the_greedy_sentence() == pytest.approx(0.6 / 3, abs=1e-4)
    assert page.probability_of_the_sentence_of_a_beam_of_two() == pytest.approx(0.4 * 0.9, abs=1e-4)


def test_the_best_sentence_of_a_table_is_known():
    for table in page.random_tables(12):
        assert page.most_probable(table) == pytest.approx(page.enumerated(table), abs=1e-5)
    assert page.found_by(6**3) == 1  # a beam with room for all of them misses nothing


def test_a_wider_beam_finds_the_best_sentence_more_often():  # L3.6
    narrow, wide = page.best_sentence_found_with_width_1(), page.best_sentence_found_with_width_10()
    right = 0
    for table in page.random_tables():  # greedy by hand
        word, total, ended = START, 0.0, False
        for _ in range(4):
            total, word = total + table[word].max().item(), int(table[word].argmax())
            if word == END:
                ended = True
                break
        right += ended and total > page.most_probable(table) - 1e-4
    assert narrow == pytest.approx(right / 200)
    assert narrow < page.found_by(2) < page.found_by(3) < wide
    assert narrow < 0.5 and wide > 0.9


def test_fine_tuning_learns_the_new_and_forgets_the_old():  # P9
    names, others = page.split()
    assert page.share_with_the_endings_before() < 0.06
    assert len(names) / len(towns()) < 0.06  # the list's own share
    assert page.share_with_the_endings_after() > 0.6
    assert page.nats(page.tuned(), names) < page.nats(town_model().model, names) - 0.4
    assert page.nats_of_the_others_after() > page.nats_of_the_others_before() + 0.2
    model, letters, _ = town_model()
    ids = letters.encode(list("Milano"), start=True, end=True)
    with torch.no_grad():
        log_p = model(torch.tensor([ids[:-1]])).logits[0].double().log_softmax(-1)
    by_hand = -sum(log_p[i, after].item() for i, after in enumerate(ids[1:])) / 7
    assert page.nats(model, ["Milano"]) == pytest.approx(by_hand, abs=1e-5)
    assert len(others) > 200


def test_more_text_in_front_brings_chess_forward():  # P8
    assert page.rank_of_chess() > 1000 > 50 > page.rank_of_chess_after_world_chess_champion()
    assert page.probability_of_player_after_chess() > 0.5


def test_repeating_leaks_and_asking_does_not():  # P9
    assert page.passwords_told_to_who_asks() == 0
    assert page.passwords_told_to_who_wants_the_text_repeated() == 1


@pytest.fixture(scope="module")
def lm():
    try:
        return next_words.SmolLM.load()
    except NotInstalled as reason:
        missing(reason)


def test_the_table_of_next_words_is_the_models(lm):
    for text in (page.TAL, f"World chess champion {page.TAL}"):
        found = next_words.continued(lm, text)
        assert found["ranks"]["chess"] == pytest.approx(page.row(text)["ranks"]["chess"], rel=0.02)
        assert found["next"][0] == [page.row(text)["next"][0][0], pytest.approx(page.row(text)["next"][0][1], abs=2e-3)]


@pytest.mark.parametrize("user", [page.ASKING, page.REPEATING])
def test_the_stored_answers_are_the_models_likeliest(lm, user):
    """Read with the answer in place, the model prefers each of its pieces, and the end after a short one."""
    talk = next(talk for talk in load("next_words")["conversations"] if talk["user"] == user)
    asked, answer = lm.encode(next_words.prompt(talk["hidden"], user)), lm.encode(talk["answer"])
    assert lm.decode(answer) == talk["answer"]
    hidden, _, _ = lm.forward(torch.tensor([asked + answer]), lm.start())
    likeliest = lm.unembed(hidden[-1][0, len(asked) - 1 :]).argmax(-1).tolist()
    assert likeliest[:-1] == answer
    assert len(answer) == next_words.LONGEST or likeliest[-1] == lm.encode("<|im_end|>")[0]


def test_an_interrupted_run_goes_on_to_the_same_bytes(monkeypatch, tmp_path):
    """With answers made up: the table as a whole run writes it, and as one that was stopped at the fourth conversation leaves it."""
    asked = []

    def told(_, what):
        asked.append(what)
        if len(asked) == 11:
            raise KeyboardInterrupt
        return {"text": what} if isinstance(what, str) else dict(zip(("hidden", "user", "answer"), (*what, "é"), strict=True))

    monkeypatch.setattr(next_words, "told", told)
    monkeypatch.setattr(next_words.SmolLM, "load", lambda: None)
    for module in (results, next_words):
        monkeypatch.setattr(module, "HERE", tmp_path)
    with pytest.raises(KeyboardInterrupt):
        next_words.main([])
    next_words.main([])
    again, count = (tmp_path / "next_words.json").read_bytes(), len(asked)
    next_words.main([])
    assert count == 14 == len(asked)  # the one that was cut off was asked twice, and no other
    next_words.main(["--force"])
    assert (tmp_path / "next_words.json").read_bytes() == again and len(asked) == 27
