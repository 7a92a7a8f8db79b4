"""From a PyTorch function of named tensors to a page graph: core operators with symbolic sizes, as JSON.

PyTorch traces itself (make_fx with symbolic sizes, core operators only), so that the page computes with the very
function that the tests check. Every named size becomes its own symbol because the example tensors give each name
another prime; one graph then serves all sizes.

The format (version 1), a dict of plain JSON values:

- `sizes`   the names of the sizes, in order of appearance
- `inputs`  [name, shape] each; an entry of a shape is a size's name or an integer
- `nodes`   [operator, argument, …] each; a node makes the next value
- `outputs` [name, reference] each

Arguments are numbers, booleans, null, lists, or strings: `"$3"` is input number 3, `"^1"` is the value made one node
earlier (counting back lets repeated layers compress well), "Infinity" and "-Infinity" are numbers, anything else is a
size: a sum of products such as "b*n" or "n+-1". A reference in `outputs` counts back from the end of `nodes`.
"""

import json
import logging
import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import sympy
import torch
import torch._dynamo.config
from torch import nn
from torch._decomp import core_aten_decompositions
from torch.func import functional_call
from torch.fx.experimental.proxy_tensor import make_fx

from course_lib import checks

RUNTIME = Path(__file__).parents[1] / "widgets" / "runtime"
OPERATOR_TABLES = (("loops.js", "FORMULAS"), ("ops.js", "OPERATORS"))

# Not computations in float32: these carry dtype, device or memory layout, which a page graph does not have.
DROPPED_KEYWORDS = {"dtype", "layout", "device", "memory_format", "pin_memory", "non_blocking"}
PRIMES = (5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)

Shape = Sequence[str | int]


def _slice_backward(gradient, sizes, dim, start, end, step):
    """The gradient of a slice of steps of 1: that of what was left out is 0."""
    if step != 1:
        raise ValueError(f"a traced function may slice with step 1 only where it is differentiated, got step {step}")
    long = sizes[dim]
    begin = start + long if start < 0 else start
    after = long - begin - gradient.shape[dim]

    def zeros(count):
        return gradient.new_zeros([*sizes[:dim], count, *sizes[dim + 1 :]])

    parts = [*([zeros(begin)] if begin > 0 else []), gradient, *([zeros(after)] if after > 0 else [])]
    return torch.cat(parts, dim) if len(parts) > 1 else gradient


def _select_backward(gradient, sizes, dim, index):
    return _slice_backward(gradient.unsqueeze(dim), sizes, dim % len(sizes), index, index + 1, 1)


# PyTorch's own ways of these need an operator that writes into a part of a tensor.
GRADIENTS = {
    torch.ops.aten.slice_backward.default: _slice_backward,
    torch.ops.aten.select_backward.default: _select_backward,
}


@cache
def operators() -> frozenset[str]:
    """The operators graph.js has, read from its own tables: JavaScript keeps the only list."""
    found = set()
    for file, table in OPERATOR_TABLES:
        source = (RUNTIME / file).read_text(encoding="utf-8")
        body = re.search(rf"^export const {table} = \{{$(.*?)^\}};$", source, re.MULTILINE | re.DOTALL)
        if body is None:
            raise ValueError(f"{file} has no table 'export const {table} = {{' that ends with '}};' on its own line")
        found |= set(re.findall(r"^  (\w+)(?=[:(,])", body[1], re.MULTILINE))
    return frozenset(found)


def trace(name: str, function: Callable, inputs: Mapping[str, Shape]) -> dict:
    """Trace function(**tensors) -> dict of tensors to a page graph.

    inputs: name → shape, whose entries are names of sizes or integers. All tensors are float32; a yes-or-no input is 0
    or 1. Raises ValueError, naming the cause, where the function uses an operator that graph.js lacks, a size other
    than a sum of products, a constant tensor, or where tracing has fixed a size that should stay free.
    """
    sizes = list(dict.fromkeys(s for shape in inputs.values() for s in shape if isinstance(s, str)))
    if len(sizes) > len(PRIMES):
        raise ValueError(f"graph '{name}' must have at most {len(PRIMES)} sizes, got {sizes}")
    example = dict(zip(sizes, PRIMES, strict=False))
    tensors = [torch.rand([example.get(s, s) for s in shape]) for shape in inputs.values()]

    def positional(*args):
        return function(**dict(zip(inputs, args, strict=True)))

    # The cache of fake tensors compares symbolic shapes and takes as long as it saves: off, tracing is twice as fast.
    uncached = torch._dynamo.config.patch(fake_tensor_cache_enabled=False)
    with checks.trusted(), _quiet(), uncached:
        rules = core_aten_decompositions()
        rules.update(GRADIENTS)
        tracer = make_fx(positional, rules, tracing_mode="symbolic", _allow_non_fake_inputs=True)
        traced = tracer(*tensors)
    traced.graph.eliminate_dead_code()
    return _Writer(name, traced, inputs, sizes).graph()


class _Acting(nn.Module):
    """A module whose forward is any use of another one, so that `functional_call` can put parameters into it."""

    def __init__(self, module: nn.Module, act: Callable) -> None:
        super().__init__()
        self.module, self.act = module, act

    def forward(self):
        return self.act(self.module)


def acting(module: nn.Module, parameters: Mapping[str, torch.Tensor], act: Callable[[nn.Module], Any]) -> Any:
    """act(module), with these parameters in it."""
    return functional_call(_Acting(module, act), {f"module.{name}": tensor for name, tensor in parameters.items()}, ())


def parameter_shapes(module: nn.Module, sizes: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Each parameter's shape in names of sizes, for a module made with these `sizes`, all different."""
    named = {size: name for name, size in sizes.items()}
    return {name: tuple(named[size] for size in parameter.shape) for name, parameter in module.named_parameters()}


def dumps(graph: dict) -> str:
    """The graph as JSON text: the same graph always gives the same bytes, one line, ending in a newline."""
    return json.dumps(graph, separators=(",", ":"), ensure_ascii=True, allow_nan=False) + "\n"


@contextmanager
def _quiet():
    """Tracing logs every guard it meets; none of that is news to a reader of this package."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


class _Writer:
    """Writes one traced module in the format above."""

    def __init__(self, name, traced, inputs, sizes):
        self.name, self.traced, self.inputs, self.sizes = name, traced, inputs, sizes
        self.symbols: dict[sympy.Symbol, str] = {}
        self.places: dict[torch.fx.Node, int] = {}  # number of an input (from 0), or of a node after all inputs
        self.nodes: list[list] = []

    def graph(self) -> dict:
        placeholders = [n for n in self.traced.graph.nodes if n.op == "placeholder"]
        for place, (node, shape) in enumerate(zip(placeholders, self.inputs.values(), strict=True)):
            self._name_symbols(node, shape)
            self.places[node] = place
        for node in self.traced.graph.nodes:
            if node.op == "output":
                results = self._outputs(node.args[0])
            elif node.op != "placeholder" and not self._is_size(node) and self._constant(node) is None:
                self._write(node)
        return {
            "format": 1, "name": self.name, "sizes": self.sizes,
            "inputs": [[name, list(shape)] for name, shape in self.inputs.items()],
            "nodes": self.nodes, "outputs": results,
        }  # fmt: skip

    def _name_symbols(self, node, shape):
        for given, traced in zip(shape, node.meta["val"].shape, strict=True):
            if not isinstance(given, str):
                continue
            expression = sympy.sympify(traced.node.expr if isinstance(traced, torch.SymInt) else traced)
            if not expression.is_Symbol:
                raise ValueError(
                    f"size '{given}' of graph '{self.name}' was fixed at {expression} by the traced function"
                )
            self.symbols[expression] = given

    def _outputs(self, results) -> list:
        if not isinstance(results, Mapping):
            raise ValueError(
                f"the function of graph '{self.name}' must return a dict of named tensors, got {type(results)}"
            )
        return [[name, self._encode(value)] for name, value in results.items()]

    def _write(self, node):
        operator = node.target.__name__ if node.op == "call_function" else str(node.target)
        operator = operator.split(".")[0]
        if operator not in operators():
            raise ValueError(f"graph '{self.name}' needs operator '{operator}', which graph.js does not have")
        arguments = [self._encode(a) for a in self._positional(node, operator)]
        if operator == "_to_copy" and node.meta["val"].dtype == torch.bool:
            operator, arguments = "ne", [arguments[0], 0]  # true is 1, whatever number it was
        self.places[node] = len(self.inputs) + len(self.nodes)
        self.nodes.append([operator, *arguments])

    def _positional(self, node, operator) -> list:
        """All arguments in the order of the operator's schema; trailing defaults are left out."""
        for value in (*node.args, *node.kwargs.values()):
            if isinstance(value, torch.dtype) and not (value.is_floating_point or value == torch.bool):
                raise ValueError(
                    f"operator '{operator}' of graph '{self.name}' makes {value}; graph.js has float32 only"
                )
        arguments = list(node.args)
        kept = {k: v for k, v in node.kwargs.items() if k not in DROPPED_KEYWORDS}
        if kept:
            order = [a.name for a in node.target._schema.arguments if a.name not in DROPPED_KEYWORDS]
            defaults = {a.name: a.default_value for a in node.target._schema.arguments}
            last = max(order.index(k) for k in kept)
            arguments += [kept.get(k, defaults[k]) for k in order[len(arguments) : last + 1]]
        return arguments

    def _encode(self, value):
        if isinstance(value, torch.fx.Node):
            if self._is_size(value):
                return self._size(value.meta["val"])
            constant = self._constant(value)
            if constant is not None:
                return self._encode(constant)
            place = self.places[value]
            if place < len(self.inputs):
                return f"${place}"
            return f"^{len(self.inputs) + len(self.nodes) - place}"
        if isinstance(value, list | tuple):
            return [self._encode(v) for v in value]
        if isinstance(value, torch.SymInt | torch.SymFloat):
            return self._size(value)
        if isinstance(value, float) and math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
            return int(value)
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, torch.dtype | torch.device | torch.layout | torch.memory_format):
            return None
        raise ValueError(f"graph '{self.name}' has an argument that JSON cannot hold: {value!r}")

    def _is_size(self, node) -> bool:
        return isinstance(node.meta.get("val"), torch.SymInt | torch.SymFloat | torch.SymBool | int | float)

    def _constant(self, node) -> float | None:
        """A tensor without dimensions that the function made from a number is that number."""
        if node.op != "get_attr":
            return None
        tensor = getattr(self.traced, node.target)
        if tensor.numel() != 1:
            raise ValueError(f"graph '{self.name}' holds a constant of shape {list(tensor.shape)}: make it an input")
        return tensor.item()

    def _size(self, value) -> str | int:
        if isinstance(value, int | float):
            return value
        expression = sympy.expand(value.node.expr)
        if isinstance(value, torch.SymFloat):
            expression = expression.replace(lambda e: type(e).__name__ == "ToFloat", lambda e: e.args[0])
        terms = []
        for term in sympy.Add.make_args(expression):
            factors = []
            for base, power in term.as_powers_dict().items():
                known = base in self.symbols or base.is_Integer
                if not known or not (power.is_Integer and power > 0):
                    raise ValueError(
                        f"graph '{self.name}' uses the size {value.node.expr} with {self.symbols}; only sums "
                        f"of products of "
                        "sizes can be written, so make the number an input"
                    )
                factors += [self.symbols.get(base, str(base))] * int(power)
            terms.append("*".join(sorted(factors)))
        text = "+".join(sorted(terms))
        return int(text) if re.fullmatch(r"-?\d+", text) else text
