"""The page on encoder and decoder: the stack read too early, who runs how often, cross-attention's formula, the scores."""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from claims import encoder_decoder as page
from claims import journey

from course_lib.shipped import translator
from course_lib.text.corpora import english_french
from course_lib.text.vocabulary import END, START

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import train_translator


def test_before_any_block_a_place_repeats_its_word():  # P7
    shipped, _, target = page.sentence()
    parameters = {name: value.detach().double().numpy() for name, value in shipped.model.named_parameters()}
    E = parameters["target_embedding.E"]
    places = np.arange(target.shape[1])[:, None] / 10000 ** (np.arange(0, E.shape[1], 2) / E.shape[1])
    x = E[target[0]] * E.shape[1] ** 0.5
    x[:, 0::2] += np.sin(places)
    x[:, 1::2] += np.cos(places)
    normed = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    logits = (normed * parameters["decoder.final_norm.gain"] + parameters["decoder.final_norm.bias"]) @ E.T
    assert page.lens()[0].tolist() == logits.argmax(1).tolist() == target[0].tolist()
    assert page.places_that_repeat_their_own_word_before_any_block() == target.shape[1]


def test_two_blocks_know_what_one_does_not():  # P7
    shipped, source, target = page.sentence()
    with torch.no_grad():
        last = shipped.model(source, target).logits[0].argmax(-1)
    assert page.lens()[-1].tolist() == last.tolist() == page.answers().tolist()
    assert page.places_right_after_one_block() < target.shape[1] / 2 < page.places_right_after_two_blocks()
    assert page.lens()[1, -2:].tolist() == page.answers()[-2:].tolist()  # the end is settled first


def test_blocks_keep_the_shape():  # P7
    assert journey.rows_that_come_out_of_two_blocks() == len(journey.ENGLISH)


def test_the_reader_runs_once_and_the_writer_for_each_word():  # G1.7
    assert page.runs_of_an_encoder_block() == 1
    assert page.runs_of_a_decoder_block() == page.runs()["answers"] == len(page.FRENCH) + 1


def test_cross_attention_is_its_formula():  # G1.7
    assert page.cross_attention_minus_its_formula() == 0
    shipped, source, target = page.sentence()
    with torch.no_grad():
        seen = shipped.model(source, target[:, :4])
    assert {tuple(A.shape[2:]) for A in seen.cross_weights} == {(4, len(page.ENGLISH))}  # the decoder's rows


def test_the_model_is_the_pages_six_lines():  # L3.1
    assert page.six_lines_minus_the_library() == 0
    d, r, layers = 64, 256, 2
    attention, norm, thought = 4 * d * d, 2 * d, 2 * d * r + r + d
    encoder, decoder = attention + thought + 2 * norm, 2 * attention + thought + 3 * norm
    shipped = translator()
    words = len(shipped.source) + len(shipped.target)
    assert page.numbers_of_the_translator() == layers * (encoder + decoder) + 2 * norm + words * d


def test_short_sentences_are_right_and_long_ones_are_not():  # L3.1
    model, source, target, info = translator()
    short = [pair for pair in english_french().test if len(pair.source) - 1 < 10]
    answers = train_translator.answers_of(model, source, target, short)
    found = train_translator.compared(answers, short, target.tokens[END])
    stored = info["scores"]["by words"]["1 to 10"]
    assert found["sentences"] == stored["sentences"]
    assert found["exact"] == pytest.approx(stored["exact"], abs=0.0068)  # one sentence may turn on another machine
    assert page.exact_up_to_ten_words() == stored["exact"] > 0.95
    assert page.exact_up_to_twenty_words() > 0.8
    assert page.exact_from_31_to_40_words() < 0.05
    assert train_translator.LONGEST < 31  # the page says why


def test_the_last_station_answers_with_the_likeliest_word():  # P8
    model, english, french, _ = translator()
    state = model.start(torch.tensor([english.encode(journey.ENGLISH)]))
    with torch.no_grad():
        for token in (START, *french.encode(journey.WRITTEN)):
            logits, state = model.step(torch.tensor([token]), state)
    z = logits[0].double().numpy()
    p = np.exp(z - z.max()) / np.exp(z - z.max()).sum()
    assert french.tokens[p.argmax()] == "petites"
    assert journey.probability_of_petites() == pytest.approx(p.max(), abs=1e-4)
    assert journey.words_to_choose_from() == len(french) == len(p)
