"""Whole models: against PyTorch's, cached against uncached, and nothing seen that is hidden."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._pytree import tree_leaves

from course_lib.attention import causal_mask, combine_masks, padding_mask
from course_lib.decoding import select
from course_lib.transformer import LanguageModel, Translator, sinusoidal
from tests.shared import torch_weights as tw
from tests.shared.record import rounding
from tests.shared.refusals import named
from tests.shared.seeded import F64, normal, seeded

layers, d, m, h, r = 2, 6, 2, 3, 10
n, s, vocab, source_vocab = 5, 7, 11, 9
LENGTHS = torch.tensor([7, 3, 5])
NORMS = ["pre", "post", "none"]
POSITIONS = ["sinusoidal", "learned", "none"]


def numbers(size, *shape, seed=0):
    return torch.randint(size, shape, generator=seeded(seed))


def language_model(seed=1, **options):
    """With random biases and gains, which start at 0 and 1 and would hide a mistake."""
    return tw.randomise(LanguageModel(vocab, layers, d, m, h, r, **{"bias": True} | F64 | options), seeded(seed))


def translator(seed=1, **options):
    sizes = source_vocab, vocab, layers, d, m, h, r
    return tw.randomise(Translator(*sizes, **{"bias": True} | F64 | options), seeded(seed))


# ---- parity with PyTorch: values and gradients


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_language_model_is_embeddings_and_a_causal_transformer_encoder(norm, tied):
    final = nn.LayerNorm(d, **F64) if norm == "pre" else None
    layer = nn.TransformerEncoderLayer(d, h, r, dropout=0.0, batch_first=True, norm_first=norm == "pre", **F64)
    stack = nn.TransformerEncoder(layer, layers, norm=final, enable_nested_tensor=False)
    embedding, read_out = nn.Embedding(vocab, d, **F64), nn.Linear(d, vocab, bias=False, **F64)
    if tied:
        read_out.weight = embedding.weight
    tw.randomise(nn.ModuleList([embedding, stack, read_out]), seeded(2))

    def state(read):
        U = {} if tied else {"U": read(read_out.weight).T}
        return {"embedding.E": read(embedding.weight)} | tw.under("stack.", tw.stack(stack, read)) | U

    ours = language_model(norm=norm, tied=tied)
    ours.load_state_dict(state(tw.value))
    tokens, lengths = numbers(vocab, 3, s), LENGTHS
    padding = ~padding_mask(lengths, s)[:, 0]
    x = embedding(tokens) * math.sqrt(d) + sinusoidal(s, d, **F64)
    expected = read_out(stack(x, mask=~causal_mask(s), src_key_padding_mask=padding))
    tw.assert_same(ours(tokens, lengths).logits, expected)
    targets = torch.where(padding, -1, numbers(vocab, 3, s, seed=3))
    for logits in (ours(tokens, lengths).logits, expected):
        F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1).backward()
    tw.assert_same_gradients(ours, state(tw.grad))


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_translator_is_embeddings_and_a_transformer(norm):
    theirs = tw.transformer(d, h, r, layers, norm, seeded(2))
    E, target_E = (nn.Parameter(normal(size, d, seed=4)) for size in (source_vocab, vocab))

    def state(read):
        embeddings = {"source_embedding.E": read(E), "target_embedding.E": read(target_E)}
        return tw.encoder_and_decoder(theirs, read) | embeddings

    ours = translator(norm=norm)
    ours.load_state_dict(state(tw.value))
    source, target = numbers(source_vocab, 3, s), numbers(vocab, 3, n, seed=1)
    padding = ~padding_mask(LENGTHS, s)[:, 0]
    output = theirs(
        E[source] * math.sqrt(d) + sinusoidal(s, d, **F64),
        target_E[target] * math.sqrt(d) + sinusoidal(n, d, **F64),
        tgt_mask=~causal_mask(n),
        src_key_padding_mask=padding,
        memory_key_padding_mask=padding,
    )
    pair = ours(source, target, LENGTHS).logits, output @ target_E.T
    tw.assert_same(*pair)
    assert rounding((pair[0] - pair[1]).abs().max().item(), 1e-10) == 0
    for logits in pair:
        F.cross_entropy(logits.flatten(0, 1), numbers(vocab, 3 * n, seed=3)).backward()
    tw.assert_same_gradients(ours, state(tw.grad))


# ---- step by step


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("norm", NORMS)
def test_language_model_steps_as_it_reads(norm, positions):
    model = language_model(norm=norm, positions=positions, longest=s)
    tokens = numbers(vocab, 3, s)
    padded, plain = model(tokens, LENGTHS).logits, model(tokens).logits
    state = model.start(3)
    for i in range(s):
        logits, state = model.step(tokens[:, i], state)
        tw.assert_same(logits, plain[:, i], f"token {i}")
        inside = i < LENGTHS
        tw.assert_same(logits[inside], padded[inside, i], f"token {i}, padded")


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("norm", NORMS)
def test_translator_steps_as_it_reads(norm, positions):
    model = translator(norm=norm, positions=positions, tied=False, longest=s)
    source, target = numbers(source_vocab, 3, s), numbers(vocab, 3, n, seed=1)
    for lengths in (None, LENGTHS):
        whole = model(source, target, lengths).logits
        state = model.start(source, lengths)
        for i in range(n):
            logits, state = model.step(target[:, i], state)
            tw.assert_same(logits, whole[:, i], f"token {i}")


@pytest.mark.parametrize("kind", [LanguageModel, Translator])
def test_a_search_can_pick_and_repeat_the_sequences_of_a_state(kind):
    source, tokens = numbers(source_vocab, 3, s), numbers(vocab, 3, n, seed=1)
    rows, last = torch.tensor([2, 0, 0, 1]), numbers(vocab, 4, seed=5)
    whole = torch.cat([tokens[rows], last[:, None]], dim=1)
    if kind is LanguageModel:
        model = language_model()
        state, expected = model.start(3), model(whole).logits
    else:
        model = translator()
        state, expected = model.start(source, LENGTHS), model(source[rows], whole, LENGTHS[rows]).logits
    for i in range(n):
        _, state = model.step(tokens[:, i], state)
    before = [leaf.clone() for leaf in tree_leaves(state)]
    assert all(len(leaf) == 3 for leaf in before)
    logits, _ = model.step(last, select(state, rows))
    tw.assert_same(logits, expected[:, -1])
    model.step(last[:3], state)
    assert all(
        torch.equal(*pair) for pair in zip(before, tree_leaves(state), strict=True)
    )  # a state is not written into


def test_a_step_reads_the_source_and_the_past_only_once(monkeypatch):
    model = translator()
    calls = []
    for name, block in model.named_modules():
        if hasattr(block, "project"):
            project = block.project
            monkeypatch.setattr(
                block, "project", lambda x, name=name, project=project: calls.append((name, x)) or project(x)
            )
    state = model.start(numbers(source_vocab, 3, s))
    calls.clear()
    for token in range(3):
        _, state = model.step(torch.tensor([token] * 3), state)
    assert [(name, x.shape[1]) for name, x in calls] == [
        (f"decoder.blocks.{i}.attention", 1) for i in range(layers)
    ] * 3


# ---- nothing leaks


@pytest.mark.parametrize("norm", NORMS)
def test_translator_does_not_see_the_future_or_the_padding(norm):
    model = translator(norm=norm)
    source, target = numbers(source_vocab, 3, s), numbers(vocab, 3, n, seed=1)
    before = model(source, target, LENGTHS).logits
    hidden = torch.arange(s) >= LENGTHS[:, None]
    junk = torch.where(hidden, (source + 1) % source_vocab, source)
    assert torch.equal(before, model(junk, target, LENGTHS).logits)
    assert not torch.allclose(model(source, target).logits[1], model(junk, target).logits[1])
    for i in range(1, n):
        changed = target.clone()
        changed[:, i:] = (changed[:, i:] + 1) % vocab
        after = model(source, changed, LENGTHS).logits
        assert torch.equal(before[:, :i], after[:, :i])
        assert not torch.isclose(before[:, i], after[:, i]).all(-1).any()


# ---- read-out


@pytest.mark.parametrize("kind", [LanguageModel, Translator])
def test_tied_weights_are_one_table_with_both_gradients(kind):
    make = language_model if kind is LanguageModel else translator
    tied, untied = make(), make(tied=False)
    table = tied.embedding.E if kind is LanguageModel else tied.target_embedding.E
    shared = dict(tied.named_parameters())
    assert [name for name, _ in untied.named_parameters() if name not in shared] == ["U"]
    missing, _ = untied.load_state_dict(tied.state_dict(), strict=False)
    assert missing == ["U"]
    with torch.no_grad():
        untied.U.copy_(table.T)
    tokens, source = numbers(vocab, 2, n), numbers(source_vocab, 2, s)
    for model in (tied, untied):
        logits = (model(tokens) if kind is LanguageModel else model(source, tokens)).logits
        F.cross_entropy(logits.flatten(0, 1), numbers(vocab, 2 * n, seed=2)).backward()
    untied_table = untied.embedding.E if kind is LanguageModel else untied.target_embedding.E
    tw.assert_same(table.grad, untied_table.grad + untied.U.grad.T)
    with torch.no_grad():  # one storage: moving the embedding moves the read-out
        table[3] += 1.0
        x = torch.ones(d, **F64)
        tw.assert_same(tied.read_out(x)[3] - untied.read_out(x)[3], torch.tensor(float(d), **F64))


# ---- parameters


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("make", [LanguageModel, Translator])
def test_one_generator_draws_a_whole_model(make, positions):
    sizes = (vocab, layers, d, m, h, r) if make is LanguageModel else (source_vocab, vocab, layers, d, m, h, r)
    before = torch.get_rng_state()
    first, second, other = (make(*sizes, tied=False, positions=positions, generator=seeded(g)) for g in (5, 5, 6))
    assert torch.equal(torch.get_rng_state(), before)
    for (name, a), b, c in zip(first.named_parameters(), second.parameters(), other.parameters(), strict=True):
        assert torch.equal(a, b)
        drawn = not (name.rsplit(".", 1)[-1] in ("gain", "bias") or ".b_" in name)
        assert torch.equal(a, c) != drawn, name
    maps = [p for name, p in first.named_parameters() if "W_Q" in name or "W_1" in name]
    assert all(
        not torch.equal(a, b) for i, a in enumerate(maps) for b in maps[:i] if a.shape == b.shape
    )  # each block its own


def test_masks_come_through_read():
    """`read` is `forward` after the embedding, under any mask."""
    model, tokens = language_model(), numbers(vocab, 3, s)
    mask = combine_masks(causal_mask(s), padding_mask(LENGTHS, s))
    read, whole = model.read(model.embed(tokens), mask), model(tokens, LENGTHS)
    tw.assert_same(read.logits, whole.logits)
    seen = translator()(numbers(source_vocab, 3, s), tokens[:, :n], LENGTHS)
    shapes = [[tuple(w.shape) for w in maps] for maps in seen[1:]]
    assert shapes == [[(3, h, *shape)] * layers for shape in ((s, s), (n, n), (n, s))]
    assert all((w[1, :, :, 3:] == 0).all() for w in (*seen.weights, *seen.cross_weights))


# ---- what is said when they are called wrongly

MODEL, PAIR = LanguageModel(vocab, 1, d, m, h, r, longest=4), Translator(source_vocab, vocab, 1, d, m, h, r, longest=4)
T = torch.zeros(2, 3, dtype=torch.int64)
test_a_mistake_is_named = named(
    (lambda: MODEL(T + 11),
    "tokens must be from 0 to 10 in every entry, got 11: the vocabulary has 11 entries; encode a word"),
    (lambda: PAIR(T, T + 11), "target must be from 0 to 10 in every entry, got 11: the vocabulary has 11"),
    (lambda: MODEL.step(T[:, 0] + 11, MODEL.start(2)), "tokens must be from 0 to 10 in every entry, got 11"),
    (lambda: MODEL(T.repeat(1, 2)),
    (
        r"tokens must be at most 4 tokens long \(`longest`; shorten the sequence, or make the model with a larger "
        r"one\), got 6"
    )),
    (lambda: PAIR(T, T.repeat(1, 2)), r"target must be at most 4 tokens long \(`longest`; shorten"),
    (lambda: MODEL.embed(T, start=2), r"tokens must be at most 4 tokens long .*, got 5"),
    (lambda: MODEL(T.float()),
    r"tokens must be a tensor \[b, n\] of ints, the numbers of the tokens, got torch.float32"),
    (lambda: MODEL.step(T, MODEL.start(2)),
    r"tokens must be a tensor \[b\] of ints, the next token of each sequence, got torch.int64 of shape \[2, 3\]"),
    (lambda: MODEL.step(T[:1, 0], MODEL.start(2)),
    r"tokens must be of size 2 \(the number b of sequences of the state\) on axis 0, got shape \[1\]"),
    (lambda: PAIR(T, T[:1]), r"target must be of size 2 \(the number b of sources\) on axis 0, got shape \[1, 3\]"),
    begin="^",
)  # fmt: skip
