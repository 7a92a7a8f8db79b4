"""What a public function does not take is refused by the name of its argument, not in words of NumPy's or PyTorch's."""

import numpy as np
import pytest
import torch

from course_lib.ablation.verdict import holm, judge, tail, welch
from course_lib.approximation.squash import logistic
from course_lib.descent import descend
from course_lib.heads import checked_tokens
from course_lib.memoryless.replay import printed

ROWS = [[1.0, 2.0], [3.0]]
CASES = {
    "t": lambda bad: tail(bad, 3),
    "df": lambda bad: tail(1.0, bad),
    "scores": lambda bad: welch(bad, [1.0, 2.0]),
    "base": lambda bad: welch([1.0, 2.0], bad),
    "x": logistic,
    "tokens": lambda bad: checked_tokens("tokens", bad, 2),
    "numbers": printed,
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("bad", ["x", ROWS], ids=["text", "uneven rows"])
def test_what_is_no_array_of_numbers(name, bad):
    with pytest.raises(ValueError, match=rf"^{name} must be a number or an array of numbers, got "):
        CASES[name](bad)


@pytest.mark.parametrize("bad", [np.ones(3), torch.ones(2, 3)], ids=["array", "tensor"])
def test_an_array_is_none_of_the_names(bad):
    with pytest.raises(ValueError, match=r"^surface must be one of "):
        descend(bad, rate=0.1, steps=1, generators=[])


@pytest.mark.parametrize("bad", [float("nan"), 1.5, "small"])
def test_what_is_no_p_is_never_significant(bad):
    for named, ask in (("p", lambda: judge(1.0, bad, 1.0)), (r"p\['a'\]", lambda: holm({"a": bad, "b": 0.2}))):
        with pytest.raises(ValueError, match=rf"^{named} must be "):
            ask()
