"""Chapter 3's page on encoder and decoder: the trained translator read too early, run block by block, and scored by length."""

from functools import cache

import torch
from torch import Tensor

from course_lib.attention import causal_mask
from course_lib.decoding import greedy
from course_lib.shipped import ShippedTranslator, translator
from course_lib.text.vocabulary import END, START

from . import claim, rounding

ENGLISH = ["they", "will", "sell", "the", "small", "red", "houses", "."]
FRENCH = ["ils", "vendront", "les", "petites", "maisons", "rouges", "."]
NOISE = 1e-4  # what float32 leaves in logits of some tens


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


@claim("P7.itself")
def places_that_repeat_their_own_word_before_any_block() -> int:
    return int((lens()[0] == sentence()[2][0]).sum())


def answers() -> Tensor:
    """What each place must say: the sentence shifted by one."""
    return torch.cat([sentence()[2][0, 1:], torch.tensor([END])])


@claim("P7.one")
def places_right_after_one_block() -> int:
    return int((lens()[1] == answers()).sum())


@claim("P7.two")
def places_right_after_two_blocks() -> int:
    return int((lens()[2] == answers()).sum())


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


@claim("G1.7.encoder")
def runs_of_an_encoder_block() -> int:
    return runs()["encoder"]


@claim("G1.7.decoder")
def runs_of_a_decoder_block() -> int:
    return runs()["decoder"]


@claim("G1.7.formula")
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


@claim("L3.1.parts")
@torch.no_grad()
def six_lines_minus_the_library() -> float:
    """The page's six lines, on the trained model."""
    (model, *_), source, target = sentence()
    memory = model.encoder(model.source_embedding(source)).output
    y = model.decoder(model.target_embedding(target), memory, causal_mask(target.shape[1])).output
    return rounding((y @ model.target_embedding.E.T - model(source, target).logits).abs().max().item(), NOISE)


@claim("L3.1.numbers")
def numbers_of_the_translator() -> int:
    return sum(parameter.numel() for parameter in translator().model.parameters())


def exact(words: str) -> float:
    return translator().info["scores"]["by words"][words]["exact"]


@claim("L3.1.short")
def exact_up_to_ten_words() -> float:
    return exact("1 to 10")


@claim("L3.1.middle")
def exact_up_to_twenty_words() -> float:
    return exact("11 to 20")


@claim("L3.1.long")
def exact_from_31_to_40_words() -> float:
    return exact("31 to 40")
