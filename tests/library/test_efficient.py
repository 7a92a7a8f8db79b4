"""Window, strided and linear attention against full attention with a mask, and the convolution against its sum."""

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from course_lib.attention import attend
from course_lib.checks import trusted
from course_lib.efficient import (
    convolve,
    linear_attention,
    linear_weights,
    positive,
    spread,
    strided_attention,
    strided_keys,
    window_attention,
    window_keys,
)
from tests.shared.refusals import named
from tests.shared.seeded import F64, seeded


def drawn(*shapes, seed=0, grad=True):
    generator = seeded(seed)
    return [torch.randn(*shape, **F64, generator=generator).requires_grad_(grad) for shape in shapes]


def qkv(n, m=4, c=3, batch=(2,), **options):
    return drawn((*batch, n, m), (*batch, n, m), (*batch, n, c), **options)


def same(one, other, inputs, bound=1e-12):
    """Values and gradients of a random function of both."""
    assert one.shape == other.shape
    assert (one - other).abs().max() <= bound
    direction = torch.randn(one.shape, dtype=one.dtype, generator=seeded(9))
    for a, b in zip(
        torch.autograd.grad(one, inputs, direction, retain_graph=True),
        torch.autograd.grad(other, inputs, direction, retain_graph=True),
        strict=True,
    ):
        assert (a - b).abs().max() <= bound * 10


def window_mask(n, radius):
    place = torch.arange(n)
    return (place[:, None] - place).abs() <= radius


def strided_mask(n, stride):
    place = torch.arange(n)
    return (place[:, None] // stride == place // stride) | (place % stride == 0)


# ---- equal to full attention


@pytest.mark.parametrize(("n", "radius"), [(1, 1), (5, 1), (12, 3), (13, 3), (7, 5), (6, 6), (6, 10**6), (65, 8)])
def test_window_is_full_attention_with_a_band_as_mask(n, radius):
    q, k, v = qkv(n)
    ours, full = window_attention(q, k, v, radius), attend(q, k, v, window_mask(n, radius))
    same(ours.output, full.output, (q, k, v))
    same(spread(ours.weights, window_keys(n, radius)), full.weights, (q, k))


@pytest.mark.parametrize(("n", "stride"), [(1, 1), (5, 1), (12, 3), (13, 3), (14, 4), (7, 7), (7, 9), (64, 8), (61, 8)])
def test_strided_is_full_attention_with_its_mask(n, stride):
    q, k, v = qkv(n, batch=(2, 3))
    ours, full = strided_attention(q, k, v, stride), attend(q, k, v, strided_mask(n, stride))
    same(ours.output, full.output, (q, k, v))
    same(spread(ours.weights, strided_keys(n, stride)), full.weights, (q, k))


def test_scores_are_the_scores_where_a_query_may_look():
    q, k, v = qkv(10, batch=())
    S = attend(q, k, v).scores
    for looked, keys in (
        (window_attention(q, k, v, 3), window_keys(10, 3)),
        (strided_attention(q, k, v, 4), strided_keys(10, 4)),
    ):
        rows, columns = (keys >= 0).nonzero(as_tuple=True)
        assert torch.allclose(looked.scores[rows, columns], S[rows, keys[rows, columns]], rtol=0, atol=1e-14)
        assert (looked.weights[keys < 0] == 0).all()


# ---- linear attention


def test_linear_attention_is_its_quadratic_formula():
    q, k, v = drawn((2, 7, 4), (2, 5, 4), (2, 5, 3))
    A = linear_weights(q, k)
    assert (A > 0).all() and (A.sum(-1) - 1).abs().max() < 1e-12
    ours = linear_attention(q, k, v)
    same(ours.output, A @ v, (q, k, v))
    phi = [torch.where(x > 0, x + 1, x.exp()) for x in (q, k)]
    same(positive(q), phi[0], (q,))
    assert torch.allclose(ours.state, torch.einsum("bsm,bsc->bmc", phi[1], v), rtol=0, atol=1e-12)
    assert torch.allclose(ours.normaliser, torch.einsum("bnm,bsm->bn", *phi), rtol=0, atol=1e-12)


# ---- convolution


@pytest.mark.parametrize("dilation", [1, 2, 5])
@pytest.mark.parametrize("k", [1, 3, 5])
def test_convolution_is_one_map_a_place(k, dilation):
    x, W, b = drawn((2, 9, 3), (k, 3, 4), (4,))
    expected = []
    for i in range(9):
        places = [(a, i + (a - (k - 1) // 2) * dilation) for a in range(k)]
        expected.append(b + sum(x[:, j] @ W[a] for a, j in places if 0 <= j < 9))
    same(convolve(x, W, b, dilation=dilation), torch.stack(expected, 1), (x, W, b))
    same(convolve(x[0], W), convolve(x, W)[0], (x, W))


# ---- no n × n, forward or backward


class Largest(TorchDispatchMode):
    """The most numbers that any result of any operation has."""

    numbers = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        each = result if isinstance(result, tuple | list) else (result,)
        self.numbers = max(
            [
                self.numbers,
                *(x.untyped_storage().nbytes() // x.element_size() for x in each if isinstance(x, torch.Tensor)),
            ]
        )
        return result


@pytest.mark.parametrize(
    ("layer", "bound"),
    [
        (lambda q, k, v: window_attention(q, k, v, 8).output, 3 * 8),
        (lambda q, k, v: strided_attention(q, k, v, 32).output, 2 * 32),
        (lambda q, k, v: linear_attention(q, k, v).output, 8),
    ],
    ids=["window", "strided", "linear"],
)
def test_nothing_grows_with_the_square(layer, bound):
    n = 1024
    inputs = qkv(n, 4, 4, batch=())
    with Largest() as seen:
        layer(*inputs).sum().backward()
    assert seen.numbers <= bound * (n + 2 * 8)
    with Largest() as seen:
        attend(*inputs).output.sum().backward()
    assert seen.numbers == n * n


# ---- errors by name

X = torch.zeros(3, 4)
test_errors_name_the_argument = named(
    (
        lambda: linear_attention(X, torch.zeros(3, 5), X),
        r"k must be of size 4 \(the width m of q\) on axis -1, got shape \[3, 5\]",
    ),
    (lambda: linear_attention(X, X[:0], X[:0]), r"k must be of size > 0 \(the number s of keys\) on axis -2"),
    (
        lambda: window_attention(X, X[:2], X[:2], 1),
        r"k must be of size 3 \(the number n of queries: each token asks and is asked\) on axis -2, got shape \[2, 4\]",
    ),
    (lambda: window_attention(X + 1e30, X + 1e30, X, 1), "scores must be finite in every entry, got 7 of 9"),
    (
        lambda: spread(X, torch.zeros(3, 3, dtype=torch.int64)),
        (
            r"keys must be a tensor of int64, of the shape of one weight matrix, \[3, 4\], got torch.int64 of shape "
            r"\[3, 3\]"
        ),
    ),
    (lambda: spread(X, torch.full((3, 4), 3)), "keys must be from -1 to 2 in every entry, got 3"),
    (lambda: convolve(X, torch.zeros(2, 4, 4)), r"W must be a tensor \[k, d, c\] with odd k, got shape \[2, 4, 4\]"),
)


class Reads(TorchFunctionMode):
    """Counts the looks at the data: `bool(tensor)`."""

    count = 0

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.count += function is torch.Tensor.__bool__
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize(
    "layer",
    [lambda: window_attention(X, X, X, 2), lambda: strided_attention(X, X, X, 2), lambda: linear_attention(X, X, X)],
)
def test_trusted_reads_no_data(layer):
    with Reads() as reads, trusted():
        layer()
    assert reads.count == 0
    with Reads() as reads:
        layer()
    assert reads.count >= 3
