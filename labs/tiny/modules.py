"""Modules: what owns parameters and finds them again by name."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from .tensor import Parameter, Tensor, no_grad


class Module:
    """Parameters, buffers and parts are found among the attributes, in the order in which they were set."""

    training = True

    def __init__(self, *_: Any, **__: Any) -> None:
        object.__setattr__(self, "_buffers", {})

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

    def _found(self, wanted: Any, once: bool) -> Iterator[tuple[str, Tensor]]:
        seen: set[int] = set()
        for prefix, module in self.named_modules():
            for name, value in vars(module).items():
                if isinstance(value, Tensor) and wanted(module, name, value) and not (once and id(value) in seen):
                    seen.add(id(value))
                    yield f"{prefix}.{name}" if prefix else name, value

    def named_parameters(self, recurse: bool = True) -> Iterator[tuple[str, Parameter]]:
        return self._found(lambda module, name, value: isinstance(value, Parameter), True)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        return (parameter for _, parameter in self.named_parameters())

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        return self._found(lambda module, name, value: name in module._buffers, True)

    def buffers(self) -> Iterator[Tensor]:
        return (buffer for _, buffer in self.named_buffers())

    def get_parameter(self, name: str) -> Parameter:
        return dict(self.named_parameters())[name]

    def state_dict(self) -> "OrderedDict[str, Tensor]":
        kept = self._found(lambda module, name, value: isinstance(value, Parameter) or module._buffers.get(name, False), False)
        return OrderedDict((name, value.detach()) for name, value in kept)

    def load_state_dict(self, state: dict[str, Tensor], strict: bool = True) -> None:
        own = self.state_dict()
        if strict and own.keys() != state.keys():
            raise RuntimeError(f"Error(s) in loading state_dict: missing or unexpected {sorted(own.keys() ^ state.keys())}")
        for name in own.keys() & state.keys():
            own[name].array[...] = state[name].array

    def train(self, mode: bool = True) -> "Module":
        for module in self.modules():
            object.__setattr__(module, "training", mode)
        return self

    def eval(self) -> "Module":
        return self.train(False)

    def zero_grad(self, set_to_none: bool = True) -> None:
        for parameter in self.parameters():
            parameter.grad = None

    def requires_grad_(self, on: bool = True) -> "Module":
        for parameter in self.parameters():
            parameter.requires_grad = on
        return self

    def to(self, dtype: Any) -> "Module":
        for parameter in self.parameters():
            parameter.array = parameter.array.astype(dtype)
        return self

    def double(self) -> "Module":
        return self.to("float64")

    def float(self) -> "Module":
        return self.to("float32")


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
    owners = {name: parameter for name, parameter in module.named_parameters() if name in values}
    before = {name: p.array for name, p in owners.items()}
    with no_grad():
        for name, p in owners.items():
            p.array = values[name].array
    try:
        return module(*(args if isinstance(args, tuple) else (args,)))
    finally:
        for name, p in owners.items():
            p.array = before[name]
