"""Decoders against their definitions: every sentence enumerated, every cut made by brute force, every draw counted."""

import itertools
import math
from typing import NamedTuple

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from course_lib.decoding import beam, greedy, restrict, sample, select
from tests.shared.refusals import named
from tests.shared.seeded import F64, normal, seeded

START, END = 1, 2


class Memory(NamedTuple):
    """A nest as a model has it: a hash of everything read so far, and a count, each with one row a sentence."""

    read: Tensor
    rest: tuple


def random_model(seed, vocab):
    """A step function whose logits depend on everything read so far: the table's row is a hash of the tokens."""
    table = 2 * normal(97, vocab, seed=seed)

    def step(tokens, state):
        read = (state.read * 31 + tokens + 7) % 97
        return table[read], Memory(read, ({"count": state.rest[0]["count"] + 1}, [state.rest[1][0]], None))

    def start(b=1):
        return Memory(torch.zeros(b, dtype=torch.long), ({"count": torch.zeros(b)}, [torch.arange(b)], None))

    return step, start


def log_prob_of(step, state, tokens):
    """Nats of a sentence, one token at a time: the definition."""
    total, fed = 0.0, START
    for token in tokens:
        logits, state = step(torch.tensor([fed]), state)
        total += torch.log_softmax(logits, -1)[0, token].item()
        fed = token
    return total


def every_sentence(vocab, longest):
    """All that end with END within `longest` tokens, and all of `longest` tokens without it."""
    inner = [token for token in range(vocab) if token != END]
    for length in range(longest):
        for words in itertools.product(inner, repeat=length):
            yield (*words, END)
    yield from itertools.product(inner, repeat=longest)


# ---- beam
@given(
    seed=st.integers(0, 999), vocab=st.integers(3, 5), longest=st.integers(1, 4), power=st.sampled_from([0.0, 0.6, 1.0])
)
def test_a_wide_beam_is_exhaustive_search(seed, vocab, longest, power):
    step, start = random_model(seed, vocab)
    ranked = []
    for sentence in every_sentence(vocab, longest):
        log_prob = log_prob_of(step, start(), sentence)
        ranked.append((log_prob / len(sentence) ** power, log_prob, sentence))
    ranked.sort(reverse=True)
    found = beam(step, start(), start=START, end=END, longest=longest, width=len(ranked), length_power=power)
    assert len(found.tokens) == len(ranked)
    for i, (score, log_prob, sentence) in enumerate(ranked):
        assert found.score[i].item() == pytest.approx(score, abs=1e-9)
        if i == 0 or score < ranked[i - 1][0] - 1e-9:  # of equal scores any order will do
            whole = (*found.tokens[i], END) if found.finished[i] else tuple(found.tokens[i])
            if i + 1 == len(ranked) or score > ranked[i + 1][0] + 1e-9:
                assert whole == sentence
                assert found.log_prob[i].item() == pytest.approx(log_prob, abs=1e-9)


@given(seed=st.integers(0, 999), power=st.sampled_from([0.0, 0.6]))
def test_width_one_is_greedy(seed, power):
    step, start = random_model(seed, 6)
    one = beam(step, start(), start=START, end=END, longest=8, width=1, length_power=power)
    plain = greedy(step, start(), start=START, end=END, longest=8)
    assert one.tokens == plain.tokens
    assert one.log_prob.tolist() == pytest.approx(plain.log_prob.tolist(), abs=1e-9)
    assert one.finished.tolist() == plain.finished.tolist()


@given(seed=st.integers(0, 999), width=st.integers(1, 4), power=st.sampled_from([0.0, 1.0]))
def test_the_trace_tells_the_whole_search(seed, width, power):
    step, start = random_model(seed, 4)
    found = beam(step, start(), start=START, end=END, longest=5, width=width, length_power=power, trace=True)
    before = [((), False)]
    for choice in found.trace:
        assert 1 <= len(choice.kept) <= width and len(choice.dropped) <= width**2
        # Independent: every child of what was kept, ranked.
        children = {
            tokens if finished else (*tokens, token)
            for tokens, finished in before
            for token in ([END] if finished else range(4))
        }
        scores = sorted((log_prob_of(step, start(), each) / len(each) ** power for each in children), reverse=True)
        told = [each.score for each in (*choice.kept, *choice.dropped)]
        assert told == pytest.approx(scores[: width + width**2], abs=1e-9)
        for each in (*choice.kept, *choice.dropped):
            parent, finished = before[each.parent]
            assert each.tokens == parent if finished else each.tokens[:-1] == parent
            assert each.finished == (each.tokens[-1] == END)
            assert each.log_prob == pytest.approx(log_prob_of(step, start(), each.tokens), abs=1e-9)
        before = [(each.tokens, each.finished) for each in choice.kept]
    untraced = beam(step, start(), start=START, end=END, longest=5, width=width, length_power=power)
    assert untraced.tokens == found.tokens and untraced.trace == ()


# ---- greedy and sampling
def test_greedy_rows_do_not_meet():
    step, start = random_model(11, 6)
    together = greedy(step, start(5)._replace(read=torch.arange(5)), start=START, end=END, longest=9)
    assert len({tuple(tokens) for tokens in together.tokens}) > 1
    for i in range(5):
        alone = greedy(step, start()._replace(read=torch.tensor([i])), start=START, end=END, longest=9)
        assert alone.tokens[0] == together.tokens[i]
        assert alone.log_prob.item() == pytest.approx(together.log_prob[i].item())
        sentence = (*alone.tokens[0], END) if alone.finished[0] else alone.tokens[0]
        assert alone.log_prob.item() == pytest.approx(
            log_prob_of(step, start()._replace(read=torch.tensor([i])), sentence)
        )


def test_a_beginning_is_continued():
    step, start = random_model(6, 6)
    whole = greedy(step, start(), start=START, end=END, longest=9).tokens[0]
    assert len(whole) >= 3
    for decode in (greedy, lambda *a, **k: beam(*a, **k, width=1)):
        rest = decode(step, start(), start=[START, *whole[:2]], end=END, longest=7)
        assert rest.tokens[0] == whole[2:]


@pytest.mark.parametrize(
    "cuts", [{}, {"temperature": 0.5}, {"top_k": 3}, {"top_p": 0.6}, {"temperature": 2.0, "top_k": 4, "top_p": 0.8}]
)
def test_draws_follow_the_restricted_probabilities(cuts):
    logits = torch.tensor([0.3, 1.0, -0.5, 1.4, 0.1, -2.0], **F64)
    count = 20_000

    def step(tokens, state):
        return logits.expand(len(tokens), -1), state

    drawn = sample(step, torch.zeros(count), start=0, end=99, longest=1, generator=seeded(4), **cuts)
    seen = torch.tensor(drawn.tokens).flatten().bincount(minlength=6).double()
    chances = restrict(logits, **cuts)
    assert torch.equal(seen > 0, chances > 0)
    kept = chances > 0
    chi_square = ((seen - count * chances)[kept] ** 2 / (count * chances)[kept]).sum().item()
    assert chi_square < 20.5  # the 0.999 quantile with 5 degrees of freedom
    expected = torch.log_softmax(logits, -1)[torch.tensor(drawn.tokens).flatten()]
    torch.testing.assert_close(drawn.log_prob, expected)  # the model's own, whatever the cuts


def test_sampling_is_settled_by_its_generator_and_stops_at_the_end():
    step, start = random_model(8, 5)
    draw = lambda seed: sample(step, start(64), start=START, end=END, longest=6, generator=seeded(seed))
    first, same, other = draw(1), draw(1), draw(2)
    assert first.tokens == same.tokens != other.tokens
    assert 0 < first.finished.sum() < 64
    for tokens, finished, log_prob in zip(first.tokens, first.finished, first.log_prob, strict=True):
        assert END not in tokens and len(tokens) <= 6 - finished.item()
        whole = (*tokens, END) if finished else tokens
        assert log_prob.item() == pytest.approx(log_prob_of(step, start(), whole), abs=1e-9)


# ---- restrict
values = st.lists(st.integers(-4, 4), min_size=1, max_size=7)  # few values: ties are common


@given(values=values, k=st.integers(1, 9), temperature=st.sampled_from([0.3, 1.0, 2.0]))
def test_top_k_keeps_the_k_most_probable(values, k, temperature):
    chances = restrict(torch.tensor(values, **F64), temperature=temperature, top_k=k).tolist()
    order = sorted(range(len(values)), key=lambda i: (-values[i], i))[:k]
    weights = {i: math.exp(values[i] / temperature) for i in order}
    expected = [weights.get(i, 0.0) / sum(weights.values()) for i in range(len(values))]
    assert chances == pytest.approx(expected, abs=1e-12)


@given(values=values, p=st.sampled_from([0.05, 0.25, 0.3, 0.5, 0.75, 0.9, 0.999, 1.0]))
def test_top_p_keeps_the_smallest_set_that_holds_p(values, p):
    chances = restrict(torch.tensor(values, **F64), top_p=p)
    kept = {i for i, chance in enumerate(chances.tolist()) if chance > 0}
    total = sum(map(math.exp, values))
    # Brute force over all sets, fewest tokens first: no smaller set holds p, and of that size none holds more than
    # ours.
    holds = {
        subset: sum(math.exp(values[i]) for i in subset) / total
        for size in range(1, len(values) + 1)
        for subset in itertools.combinations(range(len(values)), size)
    }
    enough = {subset: held for subset, held in holds.items() if held >= p - 2e-6}
    fewest = min(map(len, enough))
    best = max(held for subset, held in enough.items() if len(subset) == fewest)
    assert len(kept) == fewest
    assert holds[tuple(sorted(kept))] == pytest.approx(best, abs=1e-9)
    for i in kept:  # of equal tokens the earlier ones stay
        assert all(j in kept for j in range(i) if values[j] == values[i])
    assert chances.tolist() == pytest.approx(
        [math.exp(value) / total / best if i in kept else 0.0 for i, value in enumerate(values)], abs=1e-9
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_three_of_ten_equal_tokens_are_three_tenths(dtype):
    for p, count in ((0.1, 1), (0.3, 3), (0.6, 6), (0.7, 7), (0.71, 8), (0.8, 8), (0.9, 9), (1.0, 10)):
        chances = restrict(torch.zeros(2, 10, dtype=dtype), top_p=p)
        assert (chances > 0).sum(-1).tolist() == [count, count]
        assert (chances > 0)[:, :count].all()


def test_of_many_equal_tokens_the_first_stay():
    assert restrict(torch.zeros(5000), top_k=10).nonzero().flatten().tolist() == list(range(10))


def test_top_k_comes_before_top_p():
    logits = torch.tensor([0.4, 0.3, 0.2, 0.1], **F64).log()
    # Of the two kept by k, renormalised to 4/7 and 3/7, the first alone holds 0.55; of all four it holds only 0.4.
    assert restrict(logits, top_k=2, top_p=0.55).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert (restrict(logits, top_p=0.55) > 0).tolist() == [True, True, False, False]


# ---- the state, the errors
def test_select_goes_into_every_corner_of_the_nest():
    state = Memory(torch.arange(3), ({"a": torch.arange(6).view(3, 2)}, [torch.arange(3.0)], None))
    picked = select(state, torch.tensor([2, 0, 2, 1]))
    assert type(picked) is Memory
    assert picked.read.tolist() == [2, 0, 2, 1]
    assert picked.rest[0]["a"].tolist() == [[4, 5], [0, 1], [4, 5], [2, 3]]
    assert picked.rest[1][0].tolist() == [2.0, 0.0, 2.0, 1.0]
    assert picked.rest[2] is None


STEP, ONE_ROW = random_model(0, 5)
WORDS = {"start": START, "end": END, "longest": 3}
TWO_ROWS = Memory(torch.zeros(2).long(), ({"count": torch.zeros(2)}, [torch.zeros(2)], None))
test_what_means_nothing_is_named = named(
    (lambda: restrict(torch.zeros(5), top_k=0), "top_k must be an int > 0, got 0"),
    (
        lambda: restrict(torch.zeros(5), top_p=0.0),
        "top_p must be above 0 and at most 1, the share of the probability to keep",
    ),
    (lambda: restrict(torch.zeros(5), temperature=0.0), "temperature must be a finite number > 0, got 0.0"),
    (lambda: sample(STEP, ONE_ROW(), generator=seeded(), **WORDS, top_k=0), "top_k must be an int > 0, got 0"),
    (
        lambda: beam(STEP, ONE_ROW(), **WORDS | {"start": []}, width=2),
        "start must be a token, or a list of one token or more",
    ),
    (lambda: beam(STEP, TWO_ROWS, **WORDS, width=2), "one sentence"),
    (
        lambda: beam(STEP, (torch.zeros(2), torch.zeros(3)), **WORDS, width=2),
        "share their first axis, one row a sequence, got first axes of sizes 2, 3",
    ),
    (lambda: beam(STEP, (), **WORDS, width=2), "got none"),
    (lambda: beam(lambda tokens, state: (torch.zeros(3, 5), state), ONE_ROW(), **WORDS, width=2), "one row a sequence"),
    (
        lambda: select((torch.zeros(2), 5), torch.tensor([0])),
        "a nest of tuples, lists and dicts of tensors, got a int in it",
    ),
)
