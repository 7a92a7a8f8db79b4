"""Positions: the laws of page 03, its numbers, and the widget beside its JavaScript."""

import math

import pytest
import torch

from course_lib.attention import MultiHeadAttention, causal_mask
from course_lib.transformer import Encoder, sinusoidal
from course_lib.widgets import Positions
from tests.shared.graph_node import call, js
from tests.shared.record import rounding
from tests.shared.seeded import F64, seeded

SMOKER = (
    ["Mikhail", "Tal", "was", "a", "bad", "smoker", "but", "a", "good"],
    ["Mikhail", "Tal", "was", "a", "good", "smoker", "but", "a", "bad"],
)
TAL_LAST = (
    ["a", "bad", "smoker", "but", "a", "good", "player", "was", "Mikhail", "Tal"],
    ["a", "good", "smoker", "but", "a", "bad", "player", "was", "Mikhail", "Tal"],
)
WORDS = sorted({*SMOKER[0], "player"})


# ---- order


def run(sentence: list[str], layers: int, mask: torch.Tensor | None = None) -> torch.Tensor:
    """The sentence's vectors after some layers with random weights and no positions: [n, d]."""
    E = torch.randn(len(WORDS), 16, generator=seeded(), **F64)
    encoder = Encoder(layers, 16, 8, 2, 32, generator=seeded(1), **F64)
    with torch.no_grad():
        return encoder(E[[WORDS.index(word) for word in sentence]], mask).output


def last_vectors_differ(layers: int, causal: bool) -> float:
    one, two = (run(sentence, layers, causal_mask(len(sentence)) if causal else None)[-1] for sentence in TAL_LAST)
    return rounding((one - two).norm().item())


def test_without_positions_a_word_has_one_vector_wherever_it_stands():  # P3
    assert sorted(SMOKER[0]) == sorted(SMOKER[1]) and sorted(TAL_LAST[0]) == sorted(TAL_LAST[1])
    one, two = (run(sentence, 2) for sentence in SMOKER)
    pairs = [(one[SMOKER[0].index(word)], two[SMOKER[1].index(word)]) for word in SMOKER[0]]
    assert rounding(max((a - b).norm().item() for a, b in pairs)) == 0
    assert last_vectors_differ(2, causal=False) == 0


def test_a_causal_mask_lets_order_in_from_the_second_layer():  # P3
    assert last_vectors_differ(1, causal=True) == 0
    assert last_vectors_differ(2, causal=True) > 0.1
    g = seeded(4)  # the last token of one causal layer, for every order of the others
    layer, x = MultiHeadAttention(8, 4, 2, generator=g, **F64), torch.randn(6, 8, generator=g, **F64)
    for _ in range(10):
        order = torch.cat([torch.randperm(5, generator=g), torch.tensor([5])])
        torch.testing.assert_close(
            layer(x[order], mask=causal_mask(6)).output[-1], layer(x, mask=causal_mask(6)).output[-1]
        )


# ---- bits


def bits(n: int, d: int) -> torch.Tensor:
    """Column i is bit i of the position, the least first: [n, d]."""
    return (torch.arange(n)[:, None] // 2 ** torch.arange(d)) % 2


def test_a_bit_is_the_sign_of_a_sine():  # P3
    sines, table = (
        torch.sin(2 * math.pi * (torch.arange(1024, **F64)[:, None] + 0.5) / 2 ** (torch.arange(10) + 1)),
        bits(1024, 10),
    )
    assert torch.equal(sines < 0, table == 1)
    assert int((table[7] != table[8]).sum()) == bin(7 ^ 8).count("1")
    assert [int("".join(map(str, row)), 2) for row in bits(64, 6).flip(1).tolist()] == list(range(64))


# ---- sinusoids


def rotation(k: int, d: int, base: float = 10_000.0) -> torch.Tensor:
    """R_k with P[p + k] = P[p] R_k, one 2 × 2 block a pair: [d, d]."""
    blocks = []
    for i in range(d // 2):
        s, c = math.sin(k * base ** (-2 * i / d)), math.cos(k * base ** (-2 * i / d))
        blocks.append(torch.tensor([[c, -s], [s, c]], **F64))
    return torch.block_diag(*blocks)


def spread(P: torch.Tensor, k: int = 3) -> float:
    """Largest minus smallest dot product of two places that are k apart."""
    dots = (P[:-k] * P[k:]).sum(1)
    return rounding((dots.max() - dots.min()).item())


def by_entry(entries: torch.Tensor, exponent: torch.Tensor, n: int = 200, d: int = 16) -> torch.Tensor:
    """Sine where the entry's number is even, cosine where it is odd, at speed 10000^(-exponent/d)."""
    angle = torch.arange(n, **F64)[:, None] * 10_000.0 ** (-exponent.double() / d)
    return torch.where(entries % 2 == 0, angle.sin(), angle.cos())


def test_the_readings_of_the_formula():  # L3.3, L-E19, P-E4
    P, i, from_one = sinusoidal(200, 64, **F64), torch.arange(16), torch.arange(1, 17)
    assert rounding((P[:-7] @ rotation(7, 64) - P[7:]).abs().max().item()) == 0
    pairs = by_entry(i, 2 * (i // 2))  # i counts pairs
    torch.testing.assert_close(pairs, sinusoidal(200, 16, **F64))
    assert spread(sinusoidal(200, 16, **F64)) == spread(pairs) == 0
    assert spread(by_entry(from_one, from_one - from_one % 2)) > 0.5  # entries count from one
    assert spread(by_entry(i, 2 * i)) > 2  # i counts entries


def profile(d: int, n: int = 101) -> torch.Tensor:
    """Dot product of positions at distance 0 … n-1, over its largest value d/2."""
    P = sinusoidal(n, d, **F64)
    return P @ P[0] / (d / 2)


def test_similarity_falls_in_waves():  # L3.3
    by_hand = [sum(math.cos(k * 10_000 ** (-2 * i / 64)) for i in range(32)) / 32 for k in range(101)]
    curve = profile(64)
    assert curve.tolist() == pytest.approx(by_hand)
    rise = int((curve[1:] > curve[:-1] + 1e-9).nonzero()[0, 0]) + 1  # the first distance at which it rises
    assert by_hand[rise] > by_hand[rise - 1] and by_hand[:rise] == sorted(by_hand[:rise], reverse=True)


def nearest(d: int, n: int = 10_000) -> tuple[int, float]:
    """How far apart the two most similar of the first n places are, and the distance of their vectors."""
    P = sinusoidal(n, d, **F64)
    away = (P[1:] - P[0]).norm(dim=1)
    return int(away.argmin()) + 1, away.min().item()


def test_no_two_places_are_alike():  # L3.3
    k, away = nearest(2)
    assert k == 710  # 355/113 is π to six decimals
    assert away == pytest.approx(2 * abs(math.sin(355)), rel=1e-6) and 0 < away < 1e-4
    truth = 16 - 2 * sum(math.cos(10_000 ** (-2 * i / 16)) for i in range(8))
    assert nearest(16)[1] == pytest.approx(math.sqrt(truth))


# ---- adding


def readable(d: int, *, scaled: bool, fitted: bool, vocab: int = 1000, places: int = 50) -> float:
    """Share of words still found in the sum of word and position: by least squares, or by dot products with the
    words."""
    E = (d**0.5 if scaled else 1.0) * torch.randn(vocab, d, generator=seeded(), **F64) / d**0.5
    P = sinusoidal(places, d, **F64)
    if fitted:
        E, P = E - E.mean(0), P - P.mean(0)
        W = torch.linalg.pinv(E.T @ E / vocab + P.T @ P / places, hermitian=True) @ E.T
    else:
        W = E.T
    of_words, of_places = E @ W, P @ W  # the reader is linear: its answers to a sum are sums
    right = sum(((of_words + row).argmax(1) == torch.arange(vocab)).sum().item() for row in of_places)
    return right / (vocab * places)


def test_a_fitted_reader_is_the_least_squares_one():
    """The page's closed form on the balanced design, against lstsq on all sums written out."""
    vocab, places, d = 30, 5, 8
    E, P = torch.randn(vocab, d, generator=seeded(), **F64), sinusoidal(places, d, **F64)
    Z = (E[:, None] + P).flatten(0, 1)
    inputs = torch.cat([Z, torch.ones(len(Z), 1, **F64)], 1)
    target = torch.eye(vocab, **F64).repeat_interleave(places, 0)
    fitted = (inputs @ torch.linalg.lstsq(inputs, target).solution).argmax(1)
    share = (fitted == torch.arange(vocab).repeat_interleave(places)).double().mean().item()
    assert readable(d, scaled=True, fitted=True, vocab=vocab, places=places) == pytest.approx(share)


def test_root_d_makes_the_word_longer_than_its_place():  # S-E2
    assert readable(32, scaled=False, fitted=False) < 0.1
    assert readable(32, scaled=True, fitted=False) > 0.9
    for d in (32, 512):
        lengths = (d**0.5 * torch.randn(2000, d, generator=seeded(), **F64) / d**0.5).norm(dim=1)
        assert (lengths.mean() / sinusoidal(1, d, **F64).norm()).item() == pytest.approx(math.sqrt(2), rel=0.02)


# ---- the widget
CASES = [
    {"kind": "sinusoidal", "n": 32, "d": 16, "base": 10_000, "position": 5, "pair": 1},
    {"kind": "sinusoidal", "n": 128, "d": 64, "base": 1e6, "position": 127, "pair": 31},
    {"kind": "sinusoidal", "n": 2, "d": 2, "base": 2, "position": 0, "pair": 0},
    {"kind": "sinusoidal", "n": 20, "d": 6, "base": 37.5, "position": 12, "pair": 2},
    {"kind": "binary", "n": 32, "d": 6, "base": 2, "position": 7, "pair": 0},
    {"kind": "binary", "n": 128, "d": 64, "base": 2, "position": 127, "pair": 63},
    {"kind": "binary", "n": 16, "d": 2, "base": 2, "position": 9, "pair": 1},
]


@pytest.fixture(scope="module")
def answers():
    def asked(case):
        at, P = case["position"], page.encode(case)
        dots = page.dots(P, at)
        pairs = case["d"] // (1 if case["kind"] == "binary" else 2)
        return {
            "P": P, "dots": dots, "pairs": page.pairsOf(case), "angles": [page.angle(case, i,
            at) for i in range(pairs)],
            "bits": [page.bit(at, i) for i in (0, 1, 5, 12)], "rise": said.rise(dots, at), "words": said.words({**case,
            "dots": dots}),
        }  # fmt: skip

    page, said = js("positions/encode.js"), js("positions/words.js")
    return call(*map(asked, CASES))


@pytest.mark.parametrize("i", range(len(CASES)))
def test_the_page_has_pytorchs_positions(answers, i):
    case, answer = CASES[i], answers[i]
    if case["kind"] == "binary":
        P = torch.tensor([[p >> c & 1 for c in range(case["d"])] for p in range(case["n"])], **F64)
    else:
        P = sinusoidal(case["n"], case["d"], base=case["base"], **F64)
    torch.testing.assert_close(torch.tensor(answer["P"], **F64), P, rtol=0, atol=1e-12)
    torch.testing.assert_close(torch.tensor(answer["dots"], **F64), P @ P[case["position"]], rtol=0, atol=1e-11)
    assert answer["pairs"] == case["d"] // (1 if case["kind"] == "binary" else 2)
    binary, p, i = case["kind"] == "binary", case["position"], range(answer["pairs"])
    hands = [2 * math.pi * (p + 0.5) / 2 ** (k + 1) if binary else p * case["base"] ** (-2 * k / case["d"]) for k in i]
    assert answer["angles"] == pytest.approx(hands)
    assert answer["bits"] == [case["position"] >> c & 1 for c in (0, 1, 5, 12)]


def test_the_words_say_what_the_numbers_are(answers):
    said = [answer["words"] for answer in answers]
    assert "is round after 19.9" in said[0] and "with itself is 8" in said[0]  # 2π·10000^(1/8)
    assert answers[0]["rise"] and f"at distance {answers[0]['rise']} it rises" in said[0]
    assert answers[0]["dots"][5 + answers[0]["rise"]] > answers[0]["dots"][4 + answers[0]["rise"]]
    assert "only falls" in said[2]
    assert "Position 7 is 111 in binary" in said[4] and "to its neighbour 8, 4 bits change" in said[4]
    assert "changes every time" in said[4] and "changes every 2 positions" in said[6]
    assert "another position has the same row" in said[6] and "another" not in said[5]


@pytest.mark.parametrize(("name", "value"), [("position", 32), ("pair", 8)])
def test_a_place_that_is_none_is_refused_at_the_start(name, value):
    """Later it is shown as the last one there is: n and d move under it."""
    with pytest.raises(ValueError, match=f"^{name} must be at most"):
        Positions(**{name: value})
    widget = Positions()
    setattr(widget, name, value)
    assert getattr(widget, name) == value
