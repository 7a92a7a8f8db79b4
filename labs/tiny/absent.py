"""What is not here, and says so: what labs/tiny lacks of torch, and what course_lib names for work that no lab in the
browser does."""

import types
from importlib.abc import MetaPathFinder
from typing import Any

HERE = "labs/tiny, the course's stand-in for PyTorch in the browser,"


def lacks(name: str) -> AttributeError:
    return AttributeError(f"{HERE} has no {name}")


class Partly:
    """Torch's has more: what is missing names the stand-in."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r} ({HERE} has a part of torch's)")


class Finder(MetaPathFinder):
    """Asked last, for `import torch.…` and `from torch.nn import …` of what is not here."""

    def find_spec(self, name: str, *_: Any) -> None:
        for package in ("torch.", f"{__package__}."):
            if name.startswith(package):  # without name=, for which `from … import` would put its own words
                raise ModuleNotFoundError(f"{HERE} has no torch.{name.removeprefix(package)}")


class Part(types.ModuleType):
    """A module of torch's, as far as it is here."""

    def __init__(self, name: str, **entries: Any) -> None:
        super().__init__(name)
        vars(self).update(entries, __path__=[])

    def __getattr__(self, name: str) -> Any:
        raise lacks(f"{self.__name__}.{name}")


class Absent:
    """Stands where a function or class would: it can be named, be a key and be inherited from, and says so when it is
    called."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> "Absent":
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._name}.{name}")

    def __mro_entries__(self, bases: tuple) -> tuple:
        return ()

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"{HERE} has no {self._name}: install the course to use it")


class AbsentModule(Part):
    """A module of such names."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}")
