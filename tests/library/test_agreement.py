"""What a page says of two results that are equal but for rounding: the bound that it promises, never the error."""

import numpy as np
import pytest
import torch

from course_lib.agreement import equal

THIRD = np.float64(1) / 3


@pytest.mark.parametrize(
    ("first", "second", "more", "said"),
    [
        (0.0, 0.0, {}, "1e-12"),
        (THIRD, THIRD + 3e-16, {}, "1e-12"),
        ([44.0, 1.0], [44.0, 1.0 + 9e-13], {}, "1e-12"),
        ([46.0, 1.0], [46.0, 1.0 + 9e-12], {}, "1e-11"),
        (-7000.0, -7000.0, {}, "1e-9"),
        (1.0, 1.0 + 9e-12, {"kind": "gradients"}, "1e-11"),
        (np.float32(0.1), 0.1, {}, "1e-5"),
        (torch.ones(2, 3, dtype=torch.float64, requires_grad=True), np.ones(3), {}, "1e-12"),
        (torch.tensor(0.25, dtype=torch.float32), 0.25, {"kind": "gradients"}, "1e-5"),
        ([torch.tensor(1.0, dtype=torch.float64), 2.0], [1.0, 2.0], {}, "1e-12"),
        (0.5, 0.5004, {"within": 1e-3}, "1e-3"),
        (np.zeros((0, 3)), np.zeros((0, 3)), {}, "1e-12"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_the_bound_is_said_whatever_the_error(first, second, more, said):
    assert equal(first, second, **more) == f"equal to within {said}"


@pytest.mark.parametrize(
    ("first", "second", "more"),
    [
        (1.0, 1.0 + 2e-12, {}),
        (1.0, 1.0 + 2e-11, {"kind": "gradients"}),
        (np.float32(1), np.float32(1.0001), {}),
        (1e-3, 0, {"within": 1e-4}),
    ],
)
def test_a_broken_promise_is_an_error(first, second, more):
    with pytest.raises(AssertionError, match=r"apart, and 1e-.* is promised"):
        equal(first, second, **more)


@pytest.mark.parametrize(
    ("arguments", "more", "named"),
    [((float("nan"),), {}, "first must be finite numbers, got nan"), ((0.0, float("inf")), {}, "second must be finite"),
    (("a",), {}, "first must be finite"),
     ((0.0,), {"kind": "float16"}, "kind must be one of 'values', 'gradients', 'float32', got 'float16'"), ((0.0,),
     {"within": 0}, "within must be a finite number > 0, got 0")],
)  # fmt: skip
def test_what_is_no_number_is_refused(arguments, more, named):
    with pytest.raises(ValueError, match=named):
        equal(*arguments, **more)
