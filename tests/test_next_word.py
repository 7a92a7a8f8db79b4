"""The page on the next word: what the loss pulls at, what a beam finds, what fine-tuning costs, what a real model says."""


import numpy as np
import pytest
import torch
from claims import next_word as page

from course_lib.shipped import towns as town_model
from course_lib.text.corpora import towns
from course_lib.text.vocabulary import END, START


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
