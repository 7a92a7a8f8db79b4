"""At the ends of what a function takes, in every type: value and gradient beside PyTorch's, or the formula's in double
precision."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import course_lib
from course_lib.attention import attend, softmax
from course_lib.decoding import beam, restrict, sample
from course_lib.efficient import linear_attention, linear_weights, positive, strided_attention, window_attention
from course_lib.gradients import total_norm
from course_lib.pretrained.smollm import rms_norm
from course_lib.scores import Cosine
from course_lib.training import cross_entropy
from tests.shared.seeded import seeded

TYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
MASK = torch.tensor([[True, False, False], [False, True, True], [True, True, False], [False, False, True]])
BAND = torch.ones(3, 3, dtype=torch.bool).tril(1).triu(-1)
ONE, EYE = torch.ones(3, 1), torch.eye(3)
TARGETS = torch.arange(2048) % 32


def ends(dtype):
    """Scores [4, 3]: the largest and the lowest number in every place, once each of them alone is allowed."""
    high = torch.finfo(dtype).max
    return torch.tensor([[0, high, -high], [high, 0, -high], [-high, -high, high], [high, high, -high]], dtype=dtype)


def below(dtype, part=1.0):
    """Rows of negative numbers whose exponentials the type still holds, and some above 0."""
    low = math.log(torch.finfo(dtype).tiny) * part
    return torch.tensor([[low, low / 2], [-1.0, 0.0], [0.5, 20.0]], dtype=dtype)


def by_formula(q):
    weights = torch.where(q < 0, q.exp(), q + 1)
    weights = weights @ weights.mT
    return weights / weights.sum(-1, keepdim=True)


def masked(x):
    return torch.softmax(x.masked_fill(~MASK, -torch.inf), -1)


def banded(x):
    return F.scaled_dot_product_attention(ONE.to(x), x, EYE.to(x), BAND)


# name → what is held, the truth in double precision, and the entries
CASES = {
    "softmax": (lambda x: softmax(x, MASK), masked, ends),
    "softmax, cold": (lambda x: softmax(x, MASK, temperature=2.0**-13), lambda x: masked(x * 2**13),
    lambda t: ends(t) * 2**-14),
    "attend": (lambda x: attend(ONE.to(x), x, EYE.to(x), BAND).output, banded, lambda t: ends(t)[0, [0, 2, 1], None]),
    "window": (lambda x: window_attention(ONE.to(x), x, EYE.to(x), 1).output, banded, lambda t: ends(t)[2, [0, 0, 0],
    None]),
    "strided": (
        lambda x: strided_attention(ONE.to(x), x, EYE.to(x), 2).output,
        lambda x: F.scaled_dot_product_attention(ONE.to(x), x, EYE.to(x), torch.tensor([[1, 1, 1], [1, 1, 1], [1, 0,
        1]]).bool()),
        lambda t: ends(t)[2, [0, 0, 0], None],
    ),
    "rms_norm": (
        lambda x: rms_norm(x, torch.tensor([1.0, 2.0, 3.0, 4.0]).to(x), 1e-5),
        lambda x: F.rms_norm(x, (4,), torch.tensor([1.0, 2.0, 3.0, 4.0]).to(x), 1e-5),
        lambda t: torch.tensor([[300.0, -300.0, 250.0, 1.0], [6e4, 1.0, 0.0, -6e4], [0.0, 0.0, 0.0, 0.0]], dtype=t),
    ),
    "cosine": (
        lambda x: Cosine()(x, x),
        lambda x: F.cosine_similarity(x[:, None], x, -1, 1e-8),
        lambda t: torch.tensor([[6e4, 3e4], [0.1, 0.0], [-2e4, 6e4]], dtype=t),
    ),
    "positive": (positive, lambda x: torch.where(x < 0, x.exp(), x + 1), below),
    "linear weights": (lambda x: linear_weights(x, x), by_formula, lambda t: below(t, 0.3)),
    "linear attention": (lambda x: linear_attention(x, x, EYE.to(x)).output, by_formula, lambda t: below(t, 0.3)),
    "cross_entropy": (
        lambda x: cross_entropy(x, TARGETS, ignore=-1), lambda x: F.cross_entropy(x, TARGETS),
        lambda t: 60 * (torch.eye(32, dtype=t)[TARGETS + 1 & 31]),
    ),
    "total_norm": (lambda x: total_norm([x, x]), lambda x: math.sqrt(2) * x.norm(), lambda t: torch.full((4,), 300.0,
    dtype=t)),
}  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_value_and_gradient_at_the_ends(name, dtype):
    ours, truth, entries = CASES[name]
    x = entries(dtype).requires_grad_()
    z = x.detach().double().requires_grad_()
    got, want = ours(x), truth(z)
    slack = {
        "rtol": 16 * torch.finfo(dtype).eps,
        "atol": 16 * torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps,
    }
    torch.testing.assert_close(got.double(), want, **slack)
    for y in (got, want):
        (y * torch.arange(1, y.numel() + 1).view_as(y) / y.numel()).sum().backward()
    near = torch.finfo(dtype).eps * (1 + z.grad.abs().max().item())  # a gradient is a difference of numbers near 1
    torch.testing.assert_close(x.grad.double(), z.grad, rtol=slack["rtol"], atol=16 * near)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize(
    "dial",
    [{"temperature": t} for t in (5e-324, 1e-45, 1e300, 1.7e308)]
    + [{"top_p": p} for p in (5e-324, 1e-7, 1 - 2**-53, 1)],
    ids=str,
)
def test_every_temperature_and_every_top_p_leaves_chances(dial, dtype):
    logits = torch.tensor([-math.inf, 1, torch.finfo(dtype).max, -3, torch.finfo(dtype).max], dtype=dtype)
    chances = restrict(logits, **dial)
    assert (
        chances.dtype == dtype
        and chances.sum().item() == pytest.approx(1, abs=1e-3)
        and chances[0] == 0
        and chances[2] == chances.max()
    )
    drawn = sample(
        lambda tokens, state: (logits[None], state),
        torch.zeros(1),
        start=0,
        end=9,
        longest=1,
        generator=seeded(),
        **dial,
    )
    assert chances[drawn.tokens[0][0]] > 0


def test_what_no_type_holds_is_refused_by_name():
    far = torch.full((2, 3), -400.0, dtype=torch.float64)
    for call in (lambda: linear_attention(far, far, far), lambda: linear_weights(far, far)):
        with pytest.raises(ValueError, match=r"log Σ φ.* must be finite in every entry, got 2 of 2"):
            call()
    for power in (-0.1, 11, 1e308):
        with pytest.raises(ValueError, match="length_power must be from 0 to 10"):
            beam(None, torch.zeros(1), start=1, end=2, longest=3, width=2, length_power=power)


def test_no_module_asks_for_pythons_own_int():
    """An int from an array is one."""
    files = Path(course_lib.__file__).parent.rglob("*.py")
    asks = re.compile(r"isinstance\((?!value\b)\w+, int\)")  # `value`: of JSON and of tensors, where nothing is refused
    assert [str(path) for path in files if asks.search(path.read_text(encoding="utf-8"))] == []
    assert restrict(torch.zeros(5), top_k=np.int64(2)).tolist() == [0.5, 0.5, 0, 0, 0]
