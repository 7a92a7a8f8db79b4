"""Modules: what owns parameters and finds them again by name."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np

from .absent import Partly
from .signs import to
from .tensor import Parameter, Tensor


class Module(Partly):
    """Parameters, buffers and parts are found among the attributes, in the order in which they were set."""

    training = True

    def __init__(self) -> None:
        object.__setattr__(self, "_buffers", {})

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter | Module) and "_buffers" not in vars(self):
            raise AttributeError("cannot assign module or parameter before Module.__init__() call")
        if isinstance(vars(self).get(name), Parameter) and not isinstance(value, Parameter | None):
            raise TypeError(f"cannot assign {type(value).__name__} as parameter {name!r} (Parameter or None expected)")
        object.__setattr__(self, name, value)

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.forward(*args, **named)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        self._buffers[name] = persistent
        setattr(self, name, tensor)

    def register_parameter(self, name: str, parameter: Parameter | None) -> None:
        setattr(self, name, parameter)

    def add_module(self, name: str, module: "Module") -> None:
        setattr(self, name, module)

    def named_children(self) -> Iterator[tuple[str, "Module"]]:
        return ((name, value) for name, value in vars(self).items() if isinstance(value, Module))

    def children(self) -> Iterator["Module"]:
        return (module for _, module in self.named_children())

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, "Module"]]:
        yield prefix, self
        for name, module in self.named_children():
            yield from module.named_modules(f"{prefix}.{name}" if prefix else name)

    def modules(self) -> Iterator["Module"]:
        return (module for _, module in self.named_modules())

    def _found(self, wanted: Any, once: bool, recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
        seen: set[int] = set()
        for prefix, module in self.named_modules() if recurse else [("", self)]:
            for name, value in vars(module).items():
                if isinstance(value, Tensor) and wanted(module, name, value) and not (once and id(value) in seen):
                    seen.add(id(value))
                    yield f"{prefix}.{name}" if prefix else name, value

    def named_parameters(self, recurse: bool = True) -> Iterator[tuple[str, Parameter]]:
        return self._found(lambda module, name, value: isinstance(value, Parameter), True, recurse)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        return (parameter for _, parameter in self.named_parameters(recurse))

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        return self._found(lambda module, name, value: name in module._buffers, True)

    def buffers(self) -> Iterator[Tensor]:
        return (buffer for _, buffer in self.named_buffers())

    def get_parameter(self, name: str) -> Parameter:
        return dict(self.named_parameters())[name]

    def state_dict(self) -> "OrderedDict[str, Tensor]":
        kept = self._found(
            lambda module, name, value: isinstance(value, Parameter) or module._buffers.get(name, False), False
        )
        return OrderedDict((name, value.detach()) for name, value in kept)

    def load_state_dict(self, state: dict[str, Tensor], strict: bool = True) -> None:
        own = self.state_dict()
        if strict and own.keys() != state.keys():
            raise RuntimeError(
                f"Error(s) in loading state_dict: missing or unexpected {sorted(own.keys() ^ state.keys())}"
            )
        for name in own.keys() & state.keys():
            if own[name].shape != state[name].shape:
                raise RuntimeError(
                    f"Error(s) in loading state_dict: {name} is {own[name].shape}, got {state[name].shape}"
                )
            own[name].array[...] = state[name].array

    def train(self, mode: bool = True) -> "Module":
        for module in self.modules():
            object.__setattr__(module, "training", mode)
        return self

    def eval(self) -> "Module":
        return self.train(False)

    def zero_grad(self, set_to_none: bool = True) -> None:
        for parameter in self.parameters():
            parameter.grad = None if set_to_none or parameter.grad is None else parameter.grad.zero_()

    def requires_grad_(self, on: bool = True) -> "Module":
        for parameter in self.parameters():
            parameter.requires_grad = on
        return self

    def to(self, *how: Any, **named: Any) -> "Module":
        for _, each in (*self.named_parameters(), *self.named_buffers()):
            if each.is_floating_point():
                moved = to(each.detach(), *how, **named)
                if not moved.is_floating_point():
                    raise TypeError(f"nn.Module.to takes floating point dtypes, got {moved.dtype}")
                each.array = moved.array
        return self

    def double(self) -> "Module":
        return self.to(np.dtype("float64"))

    def float(self) -> "Module":
        return self.to(np.dtype("float32"))


class _List(Module):
    """Numbered parts."""

    def __init__(self, parts: Any = ()) -> None:
        super().__init__()
        self._count = 0
        for part in parts:
            self.append(part)

    def append(self, part: Any) -> "_List":
        setattr(self, str(self._count), part)
        self._count += 1
        return self

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, str(i)) for i in range(self._count))

    def __getitem__(self, index: Any) -> Any:
        return type(self)(list(self)[index]) if isinstance(index, slice) else list(self)[index]


class ModuleList(_List):
    pass


class ParameterList(_List):
    pass


class Sequential(_List):
    def __init__(self, *parts: Module) -> None:
        super().__init__(parts)

    def forward(self, x: Tensor) -> Tensor:
        for part in self:
            x = part(x)
        return x


class ModuleDict(Module):
    def __init__(self, parts: dict[str, Module] | None = None) -> None:
        super().__init__()
        for name, part in (parts or {}).items():
            setattr(self, name, part)

    def __getitem__(self, name: str) -> Module:
        return getattr(self, name)

    def __len__(self) -> int:
        return len(list(self.named_children()))

    def keys(self) -> list[str]:
        return [name for name, _ in self.named_children()]

    def items(self) -> list[tuple[str, Module]]:
        return list(self.named_children())

    def values(self) -> list[Module]:
        return list(self.children())


def functional_call(module: Module, values: dict[str, Tensor], args: Any) -> Any:
    """The module's answer with other values for its parameters."""
    own = dict(module.named_parameters())
    instead = {id(own[name]): value for name, value in values.items() if name in own}
    places = [
        (vars(part), name, value)
        for part in module.modules()
        for name, value in vars(part).items()
        if id(value) in instead
    ]
    for attributes, name, value in places:
        attributes[name] = instead[id(value)]
    try:
        return module(*(args if isinstance(args, tuple) else (args,)))
    finally:
        for attributes, name, value in places:
            attributes[name] = value
