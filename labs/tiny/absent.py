"""What can be imported and not used: parts of torch that modules of the course name, for work that no lab in the browser does."""

import types
from typing import Any


class Absent:
    """Stands where a function or class would: it can be named, be a key and be inherited from, and says so when it is called."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> "Absent":
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._name}.{name}")

    def __mro_entries__(self, bases: tuple) -> tuple:
        return ()

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"{self._name} is not in the browser: install the course to use it")


class AbsentModule(types.ModuleType):
    """A module of such names."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}")
