"""The page on encoder and decoder: the stack read too early, who runs how often, cross-attention's formula, the scores."""

from functools import cache

import numpy as np
import pytest
import torch
from torch import Tensor

from course_lib.attention import causal_mask
from course_lib.decoding import greedy
from course_lib.shipped import ShippedTranslator, translator
from course_lib.text.corpora import english_french
from course_lib.text.vocabulary import END, START
from tests.shared.record import rounding
from tools.models import train_translator

FRENCH = ["ils", "vendront", "les", "petites", "maisons", "rouges", "."]
NOISE = 1e-4  # what float32 leaves in logits of some tens
ENGLISH = ["they", "will", "sell", "the", "small", "red", "houses", "."]
WRITTEN = ["ils", "vendront", "les"]


def sentence() -> tuple[ShippedTranslator, Tensor, Tensor]:
    """The model, the English sentence [1, s], and ⟨start⟩ with its French translation [1, n]."""
    shipped = translator()
    source = torch.tensor([shipped.source.encode(ENGLISH)])
    return shipped, source, torch.tensor([[START, *shipped.target.encode(FRENCH)]])


@cache
@torch.no_grad()
def lens() -> Tensor:
    """The likeliest next word at each place, read out after 0, 1, … decoder blocks: [layers + 1, n]."""
    (model, *_), source, target = sentence()
    memory = model.encode(source)
    x, mask = model.target_embedding(target), causal_mask(target.shape[1])
    guesses = []
    for block in [None, *model.decoder.blocks]:
        x = x if block is None else block(x, memory.output, mask, memory.mask).output
        guesses.append(model.read_out(model.decoder.final_norm(x))[0].argmax(-1))
    return torch.stack(guesses)


def test_before_any_block_a_place_repeats_its_word():  # P7
    shipped, _, target = sentence()
    parameters = {name: value.detach().double().numpy() for name, value in shipped.model.named_parameters()}
    E = parameters["target_embedding.E"]
    places = np.arange(target.shape[1])[:, None] / 10000 ** (np.arange(0, E.shape[1], 2) / E.shape[1])
    x = E[target[0]] * E.shape[1] ** 0.5
    x[:, 0::2] += np.sin(places)
    x[:, 1::2] += np.cos(places)
    normed = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    logits = (normed * parameters["decoder.final_norm.gain"] + parameters["decoder.final_norm.bias"]) @ E.T
    assert lens()[0].tolist() == logits.argmax(1).tolist() == target[0].tolist()
    assert int((lens()[0] == sentence()[2][0]).sum()) == target.shape[1]


def answers() -> Tensor:
    """What each place must say: the sentence shifted by one."""
    return torch.cat([sentence()[2][0, 1:], torch.tensor([END])])


def test_two_blocks_know_what_one_does_not(record):  # P7
    shipped, source, target = sentence()
    with torch.no_grad():
        last = shipped.model(source, target).logits[0].argmax(-1)
    assert lens()[-1].tolist() == last.tolist() == answers().tolist()
    one = record("P7.one", int((lens()[1] == answers()).sum()))
    two = record("P7.two", int((lens()[2] == answers()).sum()))
    assert one < target.shape[1] / 2 < two
    assert lens()[1, -2:].tolist() == answers()[-2:].tolist()  # the end is settled first


@torch.no_grad()
def rows_that_come_out_of_two_blocks() -> int:
    """As many as go in; the width stays too."""
    model, english, _, _ = translator()
    x = model.source_embedding(torch.tensor([english.encode(ENGLISH)]))
    shape = x.shape
    for block in model.encoder.blocks:
        x = block(x).output
        if x.shape != shape:
            raise ValueError(f"a block must keep the shape {list(shape)}, got {list(x.shape)}")
    return x.shape[1]


def test_blocks_keep_the_shape():  # P7
    assert rows_that_come_out_of_two_blocks() == len(ENGLISH)


@cache
@torch.no_grad()
def runs() -> dict[str, int]:
    """How often the first block of each side runs while the sentence is translated, and the answers given, ⟨end⟩ included."""
    (model, *_), source, _ = sentence()
    counted = {"encoder": 0, "decoder": 0}

    def count(side: str):
        def hook(*_):
            counted[side] += 1

        return getattr(model, side).blocks[0].feed_forward.register_forward_hook(hook)

    hooks = [count(side) for side in counted]
    written = greedy(model.step, model.start(source), start=START, end=END, longest=30)
    for hook in hooks:
        hook.remove()
    return counted | {"answers": len(written.tokens[0]) + int(written.finished[0])}


def test_the_reader_runs_once_and_the_writer_for_each_word(record):  # G1.7
    assert record("G1.7.encoder", runs()["encoder"]) == 1
    assert record("G1.7.decoder", runs()["decoder"]) == runs()["answers"] == len(FRENCH) + 1


@torch.no_grad()
def cross_attention_minus_its_formula() -> float:
    """Of the first decoder block, on the normed tokens that it gets, with only the first three French words given."""
    (model, *_), source, target = sentence()
    memory, block = model.encode(source), model.decoder.blocks[0]
    seen = {}
    hook = block.cross_attention.register_forward_hook(
        lambda module, inputs, output: seen.update(Y=inputs[0], output=output)
    )
    block(model.target_embedding(target[:, :4]), memory.output, causal_mask(4), memory.mask)
    hook.remove()
    Y, M, part = seen["Y"][0], memory.output[0], block.cross_attention
    total = torch.zeros_like(Y)
    for W_Q, W_K, W_V, W_O in zip(part.W_Q, part.W_K, part.W_V, part.W_O, strict=True):
        scores = (Y @ W_Q) @ (M @ W_K).T / W_Q.shape[1] ** 0.5  # [n, s]
        total += scores.softmax(-1) @ (M @ W_V) @ W_O
    return rounding((seen["output"].output[0] - total).abs().max().item(), NOISE)


def test_cross_attention_is_its_formula():  # G1.7
    assert cross_attention_minus_its_formula() == 0
    shipped, source, target = sentence()
    with torch.no_grad():
        seen = shipped.model(source, target[:, :4])
    assert {tuple(A.shape[2:]) for A in seen.cross_weights} == {(4, len(ENGLISH))}  # the decoder's rows


@torch.no_grad()
def six_lines_minus_the_library() -> float:
    """The page's six lines, on the trained model."""
    (model, *_), source, target = sentence()
    memory = model.encoder(model.source_embedding(source)).output
    y = model.decoder(model.target_embedding(target), memory, causal_mask(target.shape[1])).output
    return rounding((y @ model.target_embedding.E.T - model(source, target).logits).abs().max().item(), NOISE)


def test_the_model_is_the_pages_six_lines():  # L3.1
    assert six_lines_minus_the_library() == 0
    d, r, layers = 64, 256, 2
    attention, norm, thought = 4 * d * d, 2 * d, 2 * d * r + r + d
    encoder, decoder = attention + thought + 2 * norm, 2 * attention + thought + 3 * norm
    shipped = translator()
    words = len(shipped.source) + len(shipped.target)
    assert sum(parameter.numel() for parameter in translator().model.parameters()) == layers * (encoder + decoder) + 2 * norm + words * d


def exact(words: str) -> float:
    return translator().info["scores"]["by words"][words]["exact"]


def test_short_sentences_are_right_and_long_ones_are_not(record):  # L3.1
    model, source, target, info = translator()
    short = [pair for pair in english_french().test if len(pair.source) - 1 < 10]
    answers = train_translator.answers_of(model, source, target, short)
    found = train_translator.compared(answers, short, target.tokens[END])
    stored = info["scores"]["by words"]["1 to 10"]
    assert found["sentences"] == stored["sentences"]
    assert found["exact"] == pytest.approx(stored["exact"], abs=0.0068)  # one sentence may turn on another machine
    assert record("L3.1.short", exact("1 to 10")) == stored["exact"] > 0.95
    assert exact("11 to 20") > 0.8
    assert record("L3.1.long", exact("31 to 40")) < 0.05
    assert train_translator.LONGEST < 31  # the page says why


@torch.no_grad()
def next_word() -> Tensor:
    """Probabilities of the next French word, [v]."""
    model, english, french, _ = translator()
    source, target = torch.tensor([english.encode(ENGLISH)]), torch.tensor([[START, *french.encode(WRITTEN)]])
    return model(source, target).logits[0, -1].softmax(-1)


def test_the_last_station_answers_with_the_likeliest_word():  # P8
    model, english, french, _ = translator()
    state = model.start(torch.tensor([english.encode(ENGLISH)]))
    with torch.no_grad():
        for token in (START, *french.encode(WRITTEN)):
            logits, state = model.step(torch.tensor([token]), state)
    z = logits[0].double().numpy()
    p = np.exp(z - z.max()) / np.exp(z - z.max()).sum()
    assert french.tokens[p.argmax()] == "petites"
    assert next_word()[translator().target.encode(["petites"])[0]].item() == pytest.approx(p.max(), abs=1e-4)
    assert len(next_word()) == len(french) == len(p)
