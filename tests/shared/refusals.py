"""What is refused, in a ValueError that names it: a setting of a widget, which then keeps its value; a table of
mistakes."""

from collections.abc import Callable

import pytest


def refused(make: Callable, name: str, value: object, *, as_argument: bool = True) -> None:
    widget = make()
    before = getattr(widget, name)
    with pytest.raises(ValueError, match=f"^{name} must "):
        setattr(widget, name, value)
    assert getattr(widget, name) == before
    if as_argument:
        with pytest.raises(ValueError, match=f"^{name} must "):
            make(**{name: value})


def named(*cases: tuple[Callable, str], begin: str = "") -> Callable:
    """The test of a table of mistakes (call, words as a pattern); `begin` is "^" where what is said begins with
    them."""

    @pytest.mark.parametrize(("call", "words"), cases)
    def test(call, words):
        with pytest.raises(ValueError, match=begin + words):
            call()

    return test
