"""Page graphs against PyTorch: every operator on both back ends, attention by hand, the planner, and the refusals."""

import itertools
import math
import re
from functools import partial

import pytest
import torch
import torch.nn.functional as F

from course_lib.attention import attend
from course_lib.graphs import operators, trace
from course_lib.graphs.trace import GRADIENTS
from tests.shared.graph_node import GLUE, call, close, flat, js, kernel, node, stored
from tests.shared.refusals import named
from tests.shared.seeded import seeded


def tensor(answer):
    return torch.tensor([float(x) for x in answer["numbers"]]).reshape(answer["shape"])


# ---- Operators: name → a function of x and y [n, d, m] whose trace holds that operator.
UNARY = {
    "neg": torch.neg, "abs": torch.abs, "exp": torch.exp, "tanh": torch.tanh, "sigmoid": torch.sigmoid,
    "sin": torch.sin, "cos": torch.cos, "relu": torch.relu, "isnan": torch.isnan, "isinf": torch.isinf,
    "reciprocal": torch.reciprocal, "logical_not": lambda x: torch.logical_not(x > 0),
    "bitwise_not": lambda x: ~(x > 0),
    "log": lambda x: torch.log(x.abs()), "sqrt": lambda x: torch.sqrt(x.abs()), "rsqrt": lambda x: torch.rsqrt(x.abs()),
}  # fmt: skip
BINARY = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "maximum": torch.maximum,
    "minimum": torch.minimum, "eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le, "gt": torch.gt,
    "ge": torch.ge,
    "pow": lambda x, y: torch.pow(x, y) + torch.pow(x.abs(), y), "logical_and": lambda x, y: torch.logical_and(x > 0,
    y > 0),
    "logical_or": lambda x, y: torch.logical_or(x > 0, y > 0), "bitwise_and": lambda x, y: (x > 0) & (y > 0),
    "bitwise_or": lambda x, y: (x > 0) | (y > 0), "where": lambda x, y: torch.where(x > y, x * 2, y),
}  # fmt: skip
OTHERS = {
    "permute": lambda x, y: x.permute(2, 0, 1),
    "view": lambda x, y: x.reshape(-1, x.shape[2]),
    "unsqueeze": lambda x, y: x.unsqueeze(1) + y.unsqueeze(-4),
    "squeeze": lambda x, y: x.sum(1, keepdim=True).squeeze(1),
    "expand": lambda x, y: x[:, :1].expand(-1, y.shape[1], -1) + 0,
    "slice": lambda x, y: x[1:, :-1, ::2],
    "select": lambda x, y: x[:, -1] + y.select(1, 0),
    "alias": lambda x, y: torch.ops.aten.alias(x) + 1,
    "clone": lambda x, y: (x + y).clone() * 2,
    "_to_copy": lambda x, y: (x > y).to(torch.float32) + x.to(torch.bool),
    "getitem": lambda x, y: torch.ops.aten.native_layer_norm(x, [x.shape[2]], None, None, 1e-5)[2],
    "scalar_tensor": lambda x, y: torch.where(x > 0, x, 0.5),
    "full": lambda x, y: x + torch.full((x.shape[2],), 2.5),
    "full_like": lambda x, y: torch.full_like(x, 3.5) * y,
    "sum": lambda x, y: (x * y).sum((0, 2), keepdim=True) + x.sum() + y.sum(1, keepdim=True),
    "amax": lambda x, y: torch.amax(x, (0, 1)),
    "amin": lambda x, y: torch.amin(x - y, (-1,), keepdim=True),
    "any": lambda x, y: (x > 1).any(-1),
    "mean": lambda x, y: x.mean((0, -1)) + y.mean(),
    "clamp": lambda x, y: x.clamp(-0.5, 0.5) + y.clamp(min=0.1),
    "bmm": lambda x, y: torch.bmm(x, y.transpose(1, 2)),
    "mm": lambda x, y: torch.mm(x[0].T, y[:, 0].T.contiguous().T[:1].expand(x.shape[1], -1)),
    "addmm": lambda x, y: torch.addmm(x[0, 0], x[0], torch.mm(y[0].T, x[0])),
    "_softmax": lambda x, y: torch.softmax(x, -1) + torch.softmax(y, 0),
    "_log_softmax": lambda x, y: torch.log_softmax(x, 1) + torch.log_softmax(y, -1),
    "native_layer_norm": lambda x, y: (
        F.layer_norm(x, x.shape[1:], y[0], None) + F.layer_norm(x, x.shape[2:], y[0, 0], y[0, 0])
    ),
    "cat": lambda x, y: torch.cat([x, y, x], 1),
}
GROUPS = {"unary": {k: lambda x, y, f=f: f(x) for k, f in UNARY.items()}, "binary": BINARY, "others": OTHERS}
# Every operator sees x and y dense, permuted, and broadcast along one axis.
STRIDES = {
    "dense": lambda x, y: (x, y),
    "permuted": lambda x, y: (x.permute(1, 2, 0), y.permute(1, 2, 0)),
    "broadcast": lambda x, y: (x[:, :1].expand(x.shape[0], x.shape[1], x.shape[2]), y),
}


def apply_group(functions, x, y):
    return {
        f"{operator} {kind}": function(*spread(x, y)) * 1.0
        for operator, function in functions.items()
        for kind, spread in STRIDES.items()
    }


@pytest.fixture(scope="module")
def operator_graphs():
    """One graph a group: tracing one function at a time would take three times as long."""
    shapes = dict.fromkeys(("x", "y"), ("n", "d", "m"))
    return {name: trace(name, partial(apply_group, functions), shapes) for name, functions in GROUPS.items()}


GRAPH = js("runtime/graph.js")


def ran(graph: dict, sizes: dict, inputs: dict, outputs: list[str], **options: object) -> dict:
    """What the page makes of these inputs: name → shape and numbers."""
    made = GRAPH.evaluator(graph, sizes, options)
    given = [made.set(name, js().Array["from"](numbers, js().Number)) for name, numbers in flat(inputs).items()]
    return {
        "given": given,
        "run": made.run(),
        **{name: {"shape": made.shape(name), "numbers": made.get(name)} for name in outputs},
    }


def test_the_operator_list_is_javascripts_own():
    tables = js("runtime/loops.js").FORMULAS, js("runtime/ops.js").OPERATORS
    assert operators() == set().union(*call(*map(js().Object.keys, tables)))


def test_every_operator_is_tested_by_name(operator_graphs):
    assert set().union(*GROUPS.values()) == operators()
    for name, functions in GROUPS.items():
        assert set(functions) <= {node[0] for node in operator_graphs[name]["nodes"]}


@pytest.mark.parametrize("generate", [True, False], ids=["text", "closures"])
def test_every_operator_agrees_with_pytorch(operator_graphs, generate):
    generator = seeded(1)
    special = torch.tensor([math.nan, math.inf, -math.inf, 0.0, 1.0])
    asked, wants = [], []
    for name, (n, d, m) in itertools.product(GROUPS, [(2, 3, 4), (5, 2, 7), (4, 4, 4), (3, 5, 8)]):
        x, y = (torch.randn(n, d, m, generator=generator) for _ in range(2))
        if name != "others":
            x[0, 0], y[0, 1] = special[torch.arange(m) % 5], special[torch.arange(m) % 5]
            y[0, 0], y[1, 1] = special[torch.arange(m) % 3], x[1, 1]
        wants.append(apply_group(GROUPS[name], x, y))
        asked.append(
            ran(operator_graphs[name], {"n": n, "d": d, "m": m}, {"x": x, "y": y}, list(wants[-1]), generate=generate)
        )
    for want, got in zip(wants, call(*asked), strict=True):
        for what, expected in want.items():
            assert close(tensor(got[what]), expected), (what, x.shape)


def test_rows_of_large_numbers_stay_exact():
    """A softmax takes the largest score off first; a layer norm takes off the mean before it squares."""
    rows = trace(
        "rows",
        lambda x: {"softmax": x.softmax(-1), "log": x.log_softmax(-1), "norm": F.layer_norm(x, x.shape[-1:])},
        {"x": ("n", "d")},
    )
    x = torch.tensor(
        [[1000.0, 999.0, 0.0, -1000.0], [-2000.0, -2001.0, -2000.5, -2003.0], [8191.0, 8192.0, 8193.0, 8190.0]]
    )
    want = {
        "softmax": x.double().softmax(-1),
        "log": x.double().log_softmax(-1),
        "norm": F.layer_norm(x.double(), (4,)),
    }
    (got,) = call(ran(rows, {"n": 3, "d": 4}, {"x": x}, list(want)))
    assert all(close(tensor(got[name]).double(), expected) for name, expected in want.items())


# ---- attend_by_hand
def attend_cases():
    sizes = [
        (1, 1, 1),
        (2, 1, 3),
        (3, 2, 2),
        (6, 4, 2),
        (5, 5, 5),
        (7, 3, 1),
        (12, 16, 8),
        (4, 8, 16),
        (9, 2, 7),
        (16, 32, 16),
    ]
    for seed, (n, d, m) in enumerate(sizes):
        generator = seeded(seed)
        tensors = {"x": torch.randn(n, d, generator=generator)}
        tensors |= {w: torch.randn(d, m, generator=generator) / d**0.5 for w in ("W_Q", "W_K", "W_V")}
        tensors["mask"] = (torch.rand(n, n, generator=generator) > 0.3).float()
        tensors["mask"][n // 2] = 0  # a row that may look nowhere
        tensors |= {"scale": torch.tensor(m**-0.5), "temperature": torch.tensor(0.5 + seed / 4)}
        yield {"n": n, "d": d, "m": m}, tensors


ATTEND = stored("attend_by_hand")


def test_attend_by_hand_agrees_with_attend():
    for sizes, t in attend_cases():
        q, k, v = (t["x"] @ t[w] for w in ("W_Q", "W_K", "W_V"))
        seen = attend(q, k, v, t["mask"] > 0.5, scale=t["scale"], temperature=t["temperature"])
        want = {"q": q, "k": k, "v": v} | seen._asdict()
        ways = ({"generate": True}, {"generate": False}, {"generate": True, "kernel": kernel()})
        text, closures, compiled = call(*(ran(ATTEND, sizes, t, list(want), **way) for way in ways))
        assert text == closures, sizes
        for got in (text, compiled):
            assert all(close(tensor(got[name]), expected) for name, expected in want.items()), sizes
        assert tensor(text["weights"])[sizes["n"] // 2].eq(0).all()


# ---- Gradients of slices, which PyTorch writes into a part of a tensor of zeros and a page graph joins from parts
@pytest.mark.parametrize(
    ("dim", "start", "end"),
    [(0, 0, 2), (1, 2, 5), (1, 1, 3), (1, -2, 5), (1, -4, -1), (-1, -1, 4), (2, 0, 9), (0, 0, 3)],
)
def test_the_gradient_of_a_slice_is_pytorchs(dim, start, end):
    x = torch.arange(60.0).reshape(3, 5, 4)
    operator, gradient = torch.ops.aten.slice_backward.default, 1 + torch.ops.aten.slice.Tensor(x, dim, start, end)
    given = gradient, x.shape, dim % 3, start, end, 1
    assert torch.equal(GRADIENTS[operator](*given), operator(*given))


@pytest.mark.parametrize(("dim", "index"), [(0, 0), (1, 3), (1, -2), (-1, -4), (2, 3)])
def test_the_gradient_of_an_entry_is_pytorchs(dim, index):
    x = torch.arange(60.0).reshape(3, 5, 4)
    operator, given = torch.ops.aten.select_backward.default, (1 + x.select(dim, index), x.shape, dim, index)
    assert torch.equal(GRADIENTS[operator](*given), operator(*given))


# ---- Refusals
TABLE = torch.arange(3.0)
test_what_a_graph_cannot_hold_is_refused_in_words = named(
    (lambda: trace("wave", lambda x: {"y": torch.atan(x)}, {"x": ("n",)}), r"graph 'wave' needs operator 'atan'"),
    (lambda: trace("table", lambda x: {"y": x + TABLE}, {"x": ("n", 3)}), r"constant of shape \[3\]"),
    (lambda: trace("root", lambda x: {"y": x / x.shape[0] ** 0.5}, {"x": ("n",)}), "only sums of products"),
    (lambda: trace("integers", lambda x: {"y": x.to(torch.int64)}, {"x": ("n",)}), "float32 only"),
    (
        lambda: trace("root", lambda x: {"y": x / math.sqrt(x.shape[0])}, {"x": ("n",)}),
        "size 'n' of graph 'root' was fixed at 5",
    ),
    (lambda: trace("nameless", lambda x: x, {"x": ("n",)}), "must return a dict of named tensors"),
)


def test_a_page_hears_in_words_what_is_wrong():
    shapes = {"n": 2, "d": 1, "m": 1}
    alien, made = stored("attend_by_hand"), GRAPH.evaluator(ATTEND, shapes, {})
    alien["nodes"][0][0] = "fft"
    made_of = [(ATTEND, shapes | {"n": 0}, {}), (ATTEND, shapes, {"outputs": ["loss"]}), (alien, shapes, {})]
    answers = call(
        *(GLUE.refused(made.set, name, [1]) for name in "xz"),
        *(GLUE.refused(GRAPH.evaluator, *given) for given in made_of),
    )
    words = [
        r"shape \[2,1\] takes 2 numbers, got 1", "no input 'z', it has x",
        r"size 'n' .* must be a whole number > 0, got 0",
        "no output 'loss', it has q", "does not have the operator 'fft'",
    ]  # fmt: skip
    for answer, expected in zip(answers, words, strict=True):
        assert re.search(expected, answer or ""), answer


# ---- The planner's own promises
def test_planner_updates_in_place_prunes_and_grows():
    assert node("planner.mjs", None) == []
