"""A small stand-in for PyTorch in NumPy, with gradients: what the labs need of it where torch is not to be had, in the browser.

It is this course's own and openly so: names, shapes, conventions, default types and even the random numbers are torch's, and
the tests hold every operation to torch, values and gradients. It has no GPU, no compiler, no second derivatives, and nothing
that no lab uses. `stand_in()` makes `import torch` mean this package.

    tensor      numbers with a history, and the walk back along it
    arithmetic  entry by entry, and products        shapes      views, indices, joins
    reductions  sums, softmax, layer norm           make        tensors from numbers, and chance
    stored      the safetensors files of the course
    functional  layers as functions                 modules, layers, optim: torch.nn and torch.optim
"""

import importlib.util
import math
import sys
import types
from typing import Any

import numpy as np

from . import arithmetic, functional, layers, make, modules, optim, queries, reductions, shapes, stored
from .absent import AbsentModule
from .kinds import cast, default, set_default_dtype
from .tensor import Parameter, Size, Tensor, grad, no_grad, plain, recording

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
# What course_lib imports and no lab in the browser calls: the tracer that writes the widgets' graphs, among others.
ABSENT = (
    "_decomp", "_dynamo", "_dynamo.config", "func", "fx", "fx.experimental", "fx.experimental.proxy_tensor", "fx.passes", "overrides",
    "utils", "utils.flop_counter",
)  # fmt: skip
# The same of other packages: sympy is large, and Pyodide's Python comes without lzma.
ELSEWHERE = ("sympy", "lzma")


def attach() -> None:
    """Give the tensor all its methods."""
    for part in (arithmetic, shapes, reductions, make):
        part.attach()
    for name, short in TYPES.items():
        setattr(Tensor, short, lambda x, name=name: cast(x, np.dtype(name)))
    Tensor.to = Tensor.type = arithmetic.to
    Tensor.type_as = lambda x, other: cast(x, other.dtype)
    Tensor.cpu = lambda x: x
    Tensor.copy_ = _copy
    Tensor.fill_ = lambda x, value: x.copy_(Tensor(np.full(x.shape, plain(value), x.dtype)))
    Tensor.zero_ = lambda x: x.fill_(0)


def _copy(x: Tensor, other: Tensor) -> Tensor:
    x[...] = other
    return x


def modules_by_name() -> dict[str, types.ModuleType]:
    """torch and its modules, by the names under which they are imported."""
    me = sys.modules[__name__]
    found: dict[str, types.ModuleType] = {"": me} | {name: AbsentModule(f"torch.{name}") for name in ABSENT}

    def module(name: str, **entries: Any) -> types.ModuleType:
        made = found[name] = types.ModuleType(f"torch.{name}")
        vars(made).update(entries)
        return made

    public = lambda part: {name: value for name, value in vars(part).items() if isinstance(value, type) and name[0] != "_"}  # noqa: E731
    module("nn.functional", **{name: getattr(functional, name) for name in functional.__all__})
    module("nn.utils.rnn", pack_padded_sequence=layers.pack_padded_sequence)
    module("nn.utils", rnn=found["nn.utils.rnn"], clip_grad_norm_=functional.clip_grad_norm_)
    kinds = public(modules) | public(layers) | {"Parameter": Parameter}
    module("nn", functional=found["nn.functional"], utils=found["nn.utils"], **kinds)
    module("optim", **public(optim))
    module("autograd", grad=grad)
    module("special", entr=functional.entr)
    module("linalg", vector_norm=reductions.norm, norm=reductions.norm, matrix_norm=queries.matrix_norm, lstsq=queries.lstsq)
    back = {"threshold_backward": functional.threshold_backward, "_softmax_backward_data": functional.softmax_backward}
    module("ops", aten=AbsentModule("torch.ops.aten"))
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
    raise AttributeError(f"labs/tiny, the course's small stand-in for torch, has no torch.{name}")


def stand_in() -> None:
    """From here on `import torch` and `from torch import nn` mean this package."""
    for name, module in MODULES.items():
        sys.modules[f"torch.{name}" if name else "torch"] = module
    sys.modules |= stored.MODULES
    for name in ELSEWHERE:
        if importlib.util.find_spec(name) is None:
            sys.modules[name] = AbsentModule(name)


attach()
for _part in (arithmetic, shapes, reductions, queries):
    globals().update(_part.OPERATIONS)
globals().update(shapes.JOINS)
globals().update({_short: np.dtype(_name) for _name, _short in TYPES.items()} | {_name: np.dtype(_name) for _name in TYPES})
for _name in (
    "Generator", "arange", "as_tensor", "eye", "from_numpy", "full", "full_like", "linspace", "manual_seed", "ones", "ones_like", "rand",
    "randint", "randn", "randperm", "tensor", "zeros", "zeros_like",
):  # fmt: skip
    globals()[_name] = getattr(make, _name)
enable_grad = lambda: recording(True)  # noqa: E731
inference_mode = no_grad
get_default_dtype = default
set_num_threads, get_num_threads = lambda count: None, lambda: 1
broadcast_shapes, finfo, iinfo = np.broadcast_shapes, np.finfo, np.iinfo
dtype, device, inf, nan, pi = np.dtype, str, math.inf, math.nan, math.pi
native_layer_norm, einsum, empty = reductions.native_layer_norm, arithmetic.einsum, make.zeros
is_tensor = lambda x: isinstance(x, Tensor)  # noqa: E731
LongTensor = BoolTensor = FloatTensor = Tensor
MODULES = modules_by_name()
__all__ = ["MODULES", "Parameter", "Size", "Tensor", "set_default_dtype", "stand_in"]
