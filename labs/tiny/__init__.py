"""A small stand-in for PyTorch in NumPy, with gradients: what the labs need of it where torch is not to be had, in the
browser.

It is this course's own and openly so: names, shapes, conventions, default types and even the random numbers are
torch's, and the tests hold every operation to torch: it says what torch says, values and gradients, or refuses in
words. It has no GPU, no compiler, no second derivatives, and nothing that no lab uses. `stand_in()` makes `import
torch` mean this package.

    tensor      numbers with a history              graph       the walk back along it
    arithmetic  entry by entry                      products    matmul, einsum
    shapes      views, pieces, joins                indices     x[…], gather, scatter
    reductions  sums, softmax, layer norm           signs       x + y, x += y, x.add_(y)
    make        tensors from numbers, and chance    kinds       which numbers an operation takes
    stored      the safetensors files of the course
    functional  layers as functions                 modules, layers, optim: torch.nn and torch.optim
"""

import importlib.util
import math
import sys
import types
from typing import Any

import numpy as np

from . import absent as _absent
from . import (
    arithmetic,
    functional,
    graph,
    indices,
    layers,
    make,
    modules,
    optim,
    products,
    queries,
    reductions,
    shapes,
    signs,
    stored,
)
from . import kinds as _kinds
from . import tensor as _tensor
from .kinds import set_default_dtype
from .products import einsum
from .tensor import Size, Tensor, no_grad

__version__ = "0 (labs/tiny, the course's stand-in for torch)"
TYPES = {
    "float64": "double",
    "float32": "float",
    "float16": "half",
    "int64": "long",
    "int32": "int",
    "int16": "short",
    "uint8": "byte",
    "bool": "bool",
}
OPERATIONS = (arithmetic.OPERATIONS, products.OPERATIONS, indices.OPERATIONS, shapes.OPERATIONS, reductions.OPERATIONS)
METHODS_ONLY = ("view", "expand", "repeat")  # torch has no function of these names
# What course_lib imports and no lab in the browser calls: the tracer that writes the widgets' graphs, among others.
ABSENT = (
    "_decomp", "_dynamo", "_dynamo.config", "func", "fx", "fx.experimental", "fx.experimental.proxy_tensor",
    "fx.passes", "overrides",
    "utils", "utils.flop_counter",
)  # fmt: skip
# The same of other packages: sympy is large, and Pyodide's Python comes without lzma.
ELSEWHERE = ("sympy", "lzma")


def attach() -> None:
    """Give the tensor all its methods."""
    for operations in OPERATIONS:
        for name, function in operations.items():
            setattr(Tensor, name, function)
    for part in (graph, indices, make, shapes, signs):
        part.attach()
    for name, short in TYPES.items():
        setattr(Tensor, short, lambda x, name=name: _kinds.cast(x, np.dtype(name)))
    Tensor.type_as = lambda x, other: _kinds.cast(x, other.dtype)
    Tensor.cpu = lambda x: x


def modules_by_name() -> dict[str, types.ModuleType]:
    """torch and its modules, by the names under which they are imported."""
    me = sys.modules[__name__]
    found: dict[str, types.ModuleType] = {"": me} | {name: _absent.AbsentModule(f"torch.{name}") for name in ABSENT}

    def module(name: str, **entries: Any) -> None:
        found[name] = _absent.Part(f"torch.{name}", **entries)

    def kinds_of(whole: type, *parts: types.ModuleType) -> dict[str, type]:
        values = [value for part in parts for value in vars(part).values() if isinstance(value, type)]
        named = {value.__name__: value for value in values if issubclass(value, whole) and value.__name__[0] != "_"}
        for name, value in named.items():
            value.__init__ = _kinds.held({name: value.__init__}, warns=False)[name]
        return named

    module("nn.functional", **{name: getattr(functional, name) for name in functional.__all__})
    module("nn.utils.rnn", pack_padded_sequence=layers.pack_padded_sequence)
    module("nn.utils", rnn=found["nn.utils.rnn"], clip_grad_norm_=functional.clip_grad_norm_)
    kinds = kinds_of(modules.Module, modules, layers) | {"Parameter": _tensor.Parameter}
    module("nn", functional=found["nn.functional"], utils=found["nn.utils"], **kinds)
    module("optim", **kinds_of(optim.Optimizer, optim))
    module("autograd", grad=graph.grad)
    module("special", entr=functional.entr)
    module("linalg", **queries.LINEAR)
    back = {"threshold_backward": functional.threshold_backward, "_softmax_backward_data": functional.softmax_backward}
    module("ops", aten=_absent.AbsentModule("torch.ops.aten"))
    vars(found["ops"].aten).update(native_layer_norm_backward=_norm_back, **back)
    found["_decomp"].core_aten_decompositions = dict
    found["func"].functional_call = modules.functional_call
    for name, made in found.items():
        parent, _, last = name.rpartition(".")
        if name:
            setattr(found[parent], last, made)
    return found


def _norm_back(g: Tensor, x: Tensor, shape: Any, middle: Tensor, inverse: Tensor, *_: Any) -> tuple[Tensor]:
    axes = tuple(range(-len(shape), 0))
    return (Tensor(reductions.norm_back(g.array, (x.array - middle.array) * inverse.array, inverse.array, axes)),)


def __getattr__(name: str) -> Any:
    raise _absent.lacks(f"torch.{name}")


def stand_in() -> None:
    """From here on `import torch` and `from torch import nn` mean this package."""
    for name, module in MODULES.items():
        sys.modules[f"torch.{name}" if name else "torch"] = module
    sys.modules |= stored.MODULES
    sys.meta_path.append(_absent.Finder())
    for name in ELSEWHERE:
        if importlib.util.find_spec(name) is None:
            sys.modules[name] = _absent.AbsentModule(name)


attach()
for _operations in (*OPERATIONS, queries.OPERATIONS, shapes.JOINS):
    globals().update({_name: _each for _name, _each in _operations.items() if _name not in METHODS_ONLY})
globals().update(
    {_name: np.dtype(_type) for _type, _short in TYPES.items() for _name in (_type, _short) if _name != "byte"}
)
for _name in (
    "Generator", "arange", "as_tensor", "eye", "from_numpy", "full", "full_like", "linspace", "manual_seed", "ones",
    "ones_like", "rand",
    "randint", "randn", "randperm", "tensor", "zeros", "zeros_like",
):  # fmt: skip
    globals()[_name] = (
        make.Generator if _name == "Generator" else _kinds.held({_name: getattr(make, _name)}, warns=False)[_name]
    )
enable_grad = lambda: _tensor.recording(True)
inference_mode = no_grad
get_default_dtype, promote_types = _kinds.default, _kinds.wider
set_num_threads, get_num_threads = lambda count: None, lambda: 1
broadcast_shapes, finfo, iinfo = lambda *shapes: Size(np.broadcast_shapes(*shapes)), np.finfo, np.iinfo
dtype, device, inf, nan, pi = np.dtype, str, math.inf, math.nan, math.pi
native_layer_norm, empty = reductions.native_layer_norm, make.zeros
is_tensor = lambda x: isinstance(x, Tensor)
MODULES = modules_by_name()
__all__ = ["MODULES", "Size", "Tensor", "einsum", "no_grad", "set_default_dtype", "stand_in"]
