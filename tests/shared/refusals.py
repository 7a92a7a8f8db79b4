"""What a widget refuses: ValueError names the setting, at its construction and at an assignment, which changes nothing."""

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
