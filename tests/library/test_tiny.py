"""labs/tiny, the stand-in for torch in the browser, held to torch: it says what torch says, or refuses.

Every row of the table is one use of an operation. The same code runs with both, on the same numbers, places and axes;
what it gives is compared with its type, its gradients, and with what becomes of the operands where the result is
changed in place.
"""

import re
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from labs import tiny

HERE = "labs/tiny, the course's stand-in for PyTorch in the browser,"
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 0.3, -1.7, 2.0, 3.0, -5.0, 20.0, -20.0, 40.0, -40.0, -np.inf, np.inf, np.nan]
FINITE = SPECIAL[:-3]
KINDS = {kind: f"{kind} " * 3 for kind in ("float64", "float32", "int64", "bool")} | {
    "mixed": "float32 float64 float64"
}
CLOSE = {"float64": 1e-11, "float32": 2e-5}
# How it is called, and the shapes of x, y and z; before a shape i asks for places, b for truth, before a row . for
# finite numbers,
# ~ for such whose sums cancel: they are compared with the largest. d is an axis, k a number of things. Of a tuple the
# first counts.
TABLE = """
x - True  3    x @ 2  3    0 ** x  6    2.0 ** x  6    2 / x  6    x / 0  3    x % -2.5  3    x ** -1.5  6
x // y + x  3 3    x + [1, 2, 3]  3    x == None  3    x.add(y, alpha=2)  3 3    ~x @ y  2,3 3,4    ~x @ y  3 2,3,2
~x @ y  2,1,3 2,3,2    ~x @ y  2,2,3 3,2    x @ y  2,3 2,3    x @ y  2,3 b3    ~t.mm(x, y)  2,3 3,2
~t.mv(x, y)  2,3 3    ~t.dot(x, y)  3 3    t.dot(x, y)  2,3 3    ~t.bmm(x, y)  2,2,3 2,3,2    t.bmm(x, y)  2,2,3 1,3,2
t.outer(x, y)  3 2    ~t.addmm(x, y, z)  2 3,1 1,2    ~t.baddbmm(x, y, z)  2,1,2 2,2,1 2,1,2
~t.einsum("bhd,hdm->bhm", x, y)  2,2,2 2,2,3    ~t.einsum("ij,jk", x, y)  2,3 3,2
~t.einsum("i j,i J->", x, y)  2,3 2,2    t.einsum("ji", x)  2,3    ~t.einsum("ij,ij->i", x, y)  1,3 2,3
~t.einsum("...ij,jk->...ik", x, y)  2,2,3 3,2    ~t.einsum("...i,...i", x, y)  2,3 2,3
t.einsum("...ij->...i", x)  2,2,3    ~t.einsum("ij,jk,kl", x, y, z)  2,3 3,2 2,2    t.einsum("ii->i", x)  3,3
.x.sigmoid().log()  14    .t.logsumexp(x * 0 - t.inf, d)  2,3    t.multinomial(x * 0, 1)  3    .x.clamp(y, z)  3 3 3
x.clamp(1, 0)  3    t.where(x > 0, x, 1.5)  6    x.masked_fill(y, -t.inf)  3 b3    x.masked_fill(y, z.sum())  3 b3 2
~t.lerp(x, y, z)  3 3 3    x.sum(0, 1)  2,3    x.sum(())  2,3    x.sum(0, dtype=t.float64)  2,3
x.sum(axis=0, keepdims=True)  2,3    ~x.var(False)  2,3    ~x.std(d, correction=0)  2,3    x.std(0)  1,3
x.sort(dim=d, descending=True, stable=True)[1]  2,3    x.topk(k, d)[0].detach()  2,3    x.max(d, True)[1]  2,3
x.softmax(d).detach().log()  2,3    x.log_softmax(d, dtype=t.float64).detach()  2,3    x.norm(t.inf, d)  2,3
x.norm(-t.inf)  2,3    ~t.linalg.norm(x.detach(), 2)  3,2    ~t.linalg.norm(x, 1, d)  2,3
~t.linalg.vector_norm(x, dim=d)  2,3    ~t.linalg.matrix_norm(x.detach(), 2)  2,3,2    ~t.linalg.matrix_norm(x)  2,3
t.equal(x, y)  3 3    t.allclose(x, y)  3 3    t.bincount(x, minlength=2)  i4    t.multinomial(x, 1).shape  3
t.multinomial(x.abs(), k, True).shape  2,3    .t.searchsorted(x.sort()[0], y, right=True)  2,4 2,3
.t.searchsorted(x.sort()[0], y)  4 3    t.searchsorted(x, y)  2,4 3    x.reshape(k, -1)  2,6    x.view(d, 3)  2,3
x.mT.view(-1)  2,3    x.mT.contiguous().view(-1)  2,3    x.unflatten(d, (-1, 2))  2,3,2    x.permute(d, 0)  2,3
x.T  2,3,2    x.mT  3    x.t()  2,3    x.squeeze(d)  1,3,1    x.squeeze((0, 1))  1,3,1
x.expand(k, -1, 3).clone()  2,1    x.expand(-1, 3)  3    x.roll((1, 2), (0, 1))  2,3    x.repeat(k, 2)  2,3
t.repeat(x, 2)  3    x.triu()  3    x.split([1, 2], d)[1]  3,2    t.cat([x, y, x], d)  2,3 2,1
t.stack([x, y], d)  2,3 2,3    t.hstack([x, y])  2,3 2,1    t.concatenate([x, y])  3 2    x.view_as(y)  6 2,3
x[d]  3    x[d, k]  3,4    x[::-1]  3    x[1, ..., None, :2]  2,2,3    x[y]  4,2 i3    x[y]  4,2 i
x[:, y]  2,4 i2,2    x[0, :, y]  2,3,4 i2    x[y, 1, z]  4,2,4 i2 i2    x[y, :, 0]  4,3,2 i2
x[y, None, z]  4,4 i2 i2    x[y]  2,2 b2,2    x[0, y]  2,3 b3    x[[0, 1, 0], 1]  3,2    x[[[0, 1], [1, 0]]]  3,2
x[y]  3 3    x[t.tensor([1, 0, 1], dtype=t.uint8)]  3,2    x.gather(0, y)  3,3 i3    x.gather(0, y)  3 b2
x.scatter(d, y, 2.0)  3,3 i2,2    x.scatter_add(0, y, z)  3,3 i2,2 1,2    x.index_add(d, y, z)  3,3 i3 3,3
F.embedding(y, x)  3,2 i2,2    F.embedding(y, x)  3,2 2    F.one_hot(x, k)  i3    F.one_hot(x)  i3
~F.linear(x, y, z)  2,3 4,3 4    ~F.bilinear(x, y, z)  2,2 2,3 2,2,3    ~F.layer_norm(x, (3,), y, z)  2,3 3 3
~F.layer_norm(x, (2, 3))  2,3    F.layer_norm(x, (2,))  2,3    ~F.gelu(x)  6    ~F.gelu(x, approximate="tanh")  6
.F.silu(x)  14    .F.softplus(x)  14    .F.logsigmoid(x)  14    F.relu(F.tanh(F.sigmoid(x)))  6
~F.normalize(x, dim=d)  2,3    ~F.cosine_similarity(x, y, dim=d)  2,3 2,3    .F.mse_loss(x, y)  3 3
F.dropout(x, k)  3    ~F.softmax(F.log_softmax(x, 0), d)  2,3    F.nll_loss(x, y, reduction="none")  2,3,2 i2,2
F.nll_loss(x, y, ignore_index=1)  2,3 i2    ~F.cross_entropy(x, y)  2,3 i2    ~F.cross_entropy(x, y)  3 i
F.cross_entropy(x, y)  3,4 i2    F.cross_entropy(x, y, ignore_index=0).detach()  2,3 i2
~F.cross_entropy(x, y, ignore_index=-1, label_smoothing=0.1)  2,3 i2    F.cross_entropy(x, y.int())  2,3 i2
F.cross_entropy(x, y, reduction="avg")  2,3 i2
~F.cross_entropy(x, y, label_smoothing=0.1, reduction="none")  2,3,2 2,3,2
~F.scaled_dot_product_attention(x, y, z, is_causal=True)  3,2 2,2 2,2
F.scaled_dot_product_attention(x, y, z, t.eye(2) > 0, is_causal=True)  2,3 2,3 2,2
~F.scaled_dot_product_attention(x, y, z, t.eye(2).tril(-1) > 0)  2,3 2,3 2,2
~F.scaled_dot_product_attention(x, y, z, t.zeros(2, 2, dtype=x.dtype), scale=0.3)  2,3 2,3 2,2
.t.special.entr(x)  6    y = x * 1; y += 2; y.mul_(x)  3    y = x * 1; y[0] = x[1] * 3; y * y  3
y = x * 0; y[x > 0] = 5.0; y + x  3    v = x * 1; v += y; v  3 2,3    v += y; v  3 1,3    v /= 2; v  3
v.view(-1).mul_(2); v + x  2,3    v.diagonal().fill_(2); v  2,2    v.flip(0).zero_(); v  3    v[0].add_(1); v  3
~v = x * 1; v @= y; v  2,2 2,2    v = x * 1; v[0, :, [0, 1]] = y; v  2,3,2 3,2    v = x * 1; v[0] = y; v  2,3 1,3
v = x * 1; v[[0, 1]] = y; v  3 2    v[0] = [1, 2]; v  2,2    v = x * 1; v.copy_(y)  2,3 3    v.fill_(y.sum())  3 3
v.softmax_(0)  3    v.unsqueeze_(0)  3    v.scatter_add_(1, y, x)  2,2 i2,2    x += 1; x  3    x[0] = 1; x  3
.x.long()  3    .x.float() + x.double()  3    x.to("cuda")  3    x.to("float64")  3    .x.to(y).type_as(x)  3 3
x.to(t.promote_types(x.dtype, t.float32))  3    x.new_full((2,), 4)  3    t.full_like(x, 2.5)  3
t.tensor([x[0], x[1]])  3    t.tensor([[1, 2.5]])    t.tensor([1, 2])    t.tensor([])    t.tensor("a")
t.tensor([1, 2], requires_grad=True)    t.Tensor([1, 2])    t.arange(2, 9, 3)    t.arange(3, 0)    t.eye(2, 3)
t.full((2,), 3)    t.linspace(0, 1, 5)    t.zeros(2.5)    t.randint(3, 3, (2,))    [5, 6, 7][x]  i
[5, 6, 7][t.tensor(1.0)]    x.numpy()  3    (x * 2).is_leaf  3    (x * 2).requires_grad_(False)  3
t.no_grad()(lambda: x * 2)().requires_grad  3    (x * x).backward()  3
(x * x).backward(t.ones(3, 1, dtype=x.dtype))  3    y = x.exp().sum(); y.backward(); y.backward()  3
y = x.sum(); y.backward(); y.backward()  3
y = x.exp().sum(); y.backward(retain_graph=True); y.backward(); x.grad  3
y = x.exp(); y.sum().backward(); (y * 2).sum().backward()  3
t.autograd.grad((x * x).sum(), x, create_graph=True)  3    t.autograd.grad([(x * x).sum(), y.sum()], [x, y])  3 3
t.autograd.grad(x.sum(), y)  3 3    t.autograd.grad(x.sum(), [x, y], allow_unused=True)[1] is None  3 3
(x * x.detach()).sum().backward(); (x * 3).sum().backward(); x.grad  3
(x + y).sum().backward(); x.grad.zero_(); y.grad  3 3
~(x * y).sum().backward(); nn.utils.clip_grad_norm_([x], 1.0)  3 3    ~nn.GELU("tanh")(x)  3    nn.ReLU(3, 4)
nn.MultiheadAttention(4, 2, dropout=0.5)
nn.utils.rnn.pack_padded_sequence(x, t.tensor([1, 2]), batch_first=True) is None  2,3,1
nn.GRU(3, 3).to(x.dtype)(x)  3,3    v = nn.Linear(3, 2); v.weight = t.zeros(2, 3); v.weight
nn.Linear(3, 2).load_state_dict({"weight": t.zeros(1, 3), "bias": t.zeros(2)})
v = nn.Linear(3, 2); v(t.ones(3)).sum().backward(); v.zero_grad(set_to_none=False); v.bias.grad    nn.Tanh().apply
len(list(nn.Sequential(nn.Linear(2, 1)).parameters(recurse=False)))
~t.func.functional_call(nn.Linear(2, 1).to(x.dtype), {"weight": x, "bias": x[0, :1]}, t.ones(2, dtype=x.dtype))  1,2
t.optim.Adam([nn.Parameter(t.ones(2))], amsgrad=True)    t.optim.SGD([nn.Parameter(t.ones(2))], lr=-1)
t.optim.SGD(nn.Parameter(t.ones(2)), lr=1)    F.elu(x)  3    t.cuda.is_available()    t.Generator().get_state
x.round(decimals=1)  3
~t.manual_seed(2); v = nn.GRU(2, 3, batch_first=True); v(nn.utils.rnn.pack_padded_sequence(x, t.tensor([3, 1, 2]), \
True, False))[1]  3,3,2
~g = t.Generator().manual_seed(7); t.cat([f(n, generator=g, dtype=x.dtype) for n in (1, 3, 16, 5, 21, 2) for f in \
(t.randn, t.rand)])  1
g = t.Generator().manual_seed(7); t.cat([t.randperm(9, generator=g), t.randint(3, 9, (4,), generator=g)])
"""
# Beside the table every operation is called in all of these ways, where torch takes arguments of such types.
CALLS = """
    | d | d, True | (0, 2) | k | k, d | y  2,3,2 | y  3,2 | y  i2,3,2 | d, y  i2,3,2 | d, y, z  i2,3,2 2,3,2 | y, k  \
b2,3,2 | y, z  b2,3,2 2,3,2 | y, 0.3  2,3,2 | y, z  2,3,2 2,3,2 | d, y  i2
"""
OPTIMISERS = (
    "Adam([p], 0.1, (0.8, 0.9))",
    "Adam([p], weight_decay=0.1)",
    "AdamW([p])",
    "SGD([p], 0.1)",
    "SGD([p], 0.1, 0.9)",
)
CANCEL = ["mean", "var", "std", "norm", "prod", "tanh", "lerp", "addcmul", "softmax", "log_softmax"]


def rows() -> list[tuple[str, str, bool]]:
    """Code, shapes, and whether torch's word on the types of arguments counts too."""
    shape, found = r"([ib]?\d[\d,]*|[ib])", []
    for entry in re.split(r"\s{2,}|\n", TABLE.strip()):
        if re.fullmatch(f"{shape}( {shape})*", entry):
            found[-1] = (found[-1][0], entry, True)
        else:
            found.append((entry, "", True))
    for name in (
        name for operations in tiny.OPERATIONS for name in operations if name != "topk"
    ):  # of equal ones any may be on top
        for call in CALLS.split("|"):
            how, _, shapes = call.strip().partition("  ")
            found.append((f"{'~' * (name in CANCEL)}x.{name}({how})", f"2,3,2 {shapes}", False))
    found += [
        (f"v.{name}_({how})", "3 3", False) for name in sorted(tiny.signs.IN_PLACE) for how in ("", "y.detach()", "k")
    ]
    steps = "[(o.zero_grad(), ((p - n) ** 2).sum().backward(), o.step()) for n in range(4)]"
    return found + [
        (f"~p = nn.Parameter(x.detach()); o = t.optim.{each}; {steps}; p", "3", True) for each in OPTIMISERS
    ]


def numbers(source, shape: str, dtype: str, usual: list[float]) -> np.ndarray:
    """An array of that shape, each entry chosen by a byte: where all are 0, all numbers occur one after the other."""
    sort, sizes = re.match(r"([ib]?)(.*)", shape).groups()
    sizes = tuple(map(int, sizes.split(","))) if sizes else ()
    pool, dtype = {"i": ([0, 1, 2, 0, 1, -1, 3], "int64"), "b": ([True, False], "bool"), "": (usual, dtype)}[sort]
    pool = [each for each in pool if dtype != "int64" or np.isfinite(each)]
    chosen = [pool[(i + next(source)) % len(pool)] for i in range(int(np.prod(sizes)))]
    return np.array(chosen).astype(dtype).reshape(sizes)


def outcome(library, code: str, arrays: list, names: dict) -> tuple:
    """What was said: a type, or an error. And the value, gradients of a weighted sum, the operands after the result was
    set to 0."""
    given = [library.tensor(array, requires_grad=array.dtype.kind == "f") for array in arrays]
    names = names | {"t": library, "F": library.nn.functional, "nn": library.nn} | dict(zip("xyz", given, strict=False))
    try:
        names["v"] = given[0].detach().clone() if given else None
        before, _, last = code.lstrip(".~").rpartition(";")
        exec(before, names)
        result = eval(last.strip(), names)
        result = (
            result[0] if isinstance(result, tuple | list) and isinstance([*result, 0][0], library.Tensor) else result
        )
        if not isinstance(result, library.Tensor):
            return repr(result) if isinstance(result, bool | int | float | tuple) else "", []
        slopes = [np.array(result.requires_grad)]
        if result.requires_grad and not any(np.isnan(array).any() for array in arrays):
            result.backward(library.tensor(np.resize([1.0, 2.0, -1.0, 0.5], tuple(result.shape)), dtype=result.dtype))
            slopes += [
                np.zeros_like(array) if each.grad is None else each.grad.numpy().copy()
                for each, array in zip(given, arrays, strict=True)
            ]
            for each in given:
                each.grad = (
                    None if each.grad is None else each.grad.mul_(2)
                )  # of two leaves that share it the other would change too
        value = result.detach().numpy().copy()
        if all(step or size == 1 for step, size in zip(result.detach().numpy().strides, value.shape, strict=True)):
            result.detach().zero_()
        return str(value.dtype), [value, *slopes, *(each.detach().numpy() for each in given)]
    except (SyntaxError, NameError):
        raise  # the row's own fault
    except Exception as error:
        return error, []


def alike(one: np.ndarray, other: np.ndarray, close: float, loose: bool) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype or one.dtype.kind != "f":
        return one.shape == other.shape and one.dtype == other.dtype and bool((one == other).all())
    largest = np.abs(one[np.isfinite(one)]).max(initial=1) if loose else 0
    return np.isclose(one, other, close, close * largest, equal_nan=True).all()


def differences(code: str, shapes: str, strict: bool, chosen: bytes):
    """Where tiny says something else than torch, in words."""
    names, usual = {"d": chosen[0] % 6 - 3, "k": chosen[1] % 5}, FINITE if code[0] in ".~" else SPECIAL
    usual = usual[: (None, 2, 4)[chosen[-1] % 3]]  # or many are equal
    sorts = [shape for shape in shapes.split() if shape[0] not in "ib"]
    for kind in list(KINDS)[: 5 if len(sorts) > 1 else 4 if sorts else 1]:
        source = iter(chosen[2:])
        arrays = [numbers(source, *each, usual) for each in zip(shapes.split(), KINDS[kind].split(), strict=False)]
        (theirs, truth), (ours, found) = (outcome(library, code, arrays, names) for library in (torch, tiny))
        if isinstance(theirs, TypeError) and not strict:
            return
        if isinstance(ours, Exception):
            same = isinstance(theirs, Exception) or "labs/tiny" in str(ours)
        else:
            close = [2e-5 if kind == "mixed" else CLOSE.get(str(one.dtype), 0) for one in truth]
            same = ours == theirs and len(found) == len(truth)
            same = same and all(alike(*each, code[0] == "~") for each in zip(truth, found, close, strict=True))
        if not same:
            yield f"{code} with {arrays} {names}: torch {theirs} {truth}, tiny {ours} {found}"


ROWS, PARTS = rows(), 10


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
@settings(max_examples=5)
@given(chosen=st.binary(min_size=64, max_size=64))
def test_it_says_what_torch_says_or_refuses(part, chosen):
    assert not [each for row in ROWS[part::PARTS] for each in differences(*row, chosen)]


def test_every_name_is_torchs_and_the_table_has_every_operation():
    used = " ".join(code for code, *_ in ROWS)
    for place in ("nn", "nn.functional", "nn.utils", "optim", "autograd", "special", "linalg"):
        assert not {
            name
            for name in vars(tiny.MODULES[place])
            if name[0] != "_" and not hasattr(sys.modules[f"torch.{place}"], name)
        }, place
    names = {name for operations in tiny.OPERATIONS for name in operations} | {
        f"{name}_" for name in tiny.signs.IN_PLACE
    }
    assert not {name for name in names if not hasattr(torch.Tensor, name)}
    for prefix, operations in (
        ("t", tiny.queries.OPERATIONS | tiny.shapes.JOINS),
        ("linalg", tiny.queries.LINEAR),
        ("F", vars(tiny.nn.functional)),
    ):
        assert not {name for name in operations if name[0] != "_" and f"{prefix}.{name}(" not in used}


def test_what_is_lacking_names_the_stand_in():
    lacking = {
        "from torch.nn import Softmax": "torch.nn.Softmax",
        "from torch import compile": "torch.compile",
        "import torch.fft": "torch.fft",
        "from torch.utils.data import DataLoader": "torch.utils.data",
        "torch.nn.functional.elu": "torch.nn.functional.elu",
        "torch.optim.RMSprop": "torch.optim.RMSprop",
        "torch.ones(2).fft()": "Tensor.fft",
    }
    code = (
        "import sys; from labs import tiny; tiny.stand_in(); import torch\nfor line in sys.argv[1:]:\n    try: "
        "exec(line)\n"
    )
    code += "    except (ImportError, AttributeError) as error: print(error)"
    said = subprocess.run(
        [sys.executable, "-c", code, *lacking], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert said == [f"{HERE} has no {name}" for name in lacking.values()]


# ------------------------------------------------------------------------------------------------------------ torch.nn
# and torch.optim
LAYERS = {
    "nn.GRUCell(3, 4)": ("5,3 5,4", {}),
    "nn.GRU(3, 4, batch_first=True)": ("2,5,3", {}),
    "nn.Linear(3, 2)": ("4,3", {}),
    "nn.LayerNorm(3)": ("4,3", {}),
    "nn.MultiheadAttention(4, 2, batch_first=True)": (
        "2,3,4 2,5,4 2,5,4",
        {"need_weights": True, "average_attn_weights": False},
    ),
    "nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, batch_first=True, norm_first=True)": ("2,3,4", {}),
    "nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, batch_first=True)": ("2,3,4", {}),
    "nn.Embedding(5, 3)": ("", {}),
}


@pytest.mark.parametrize("code", LAYERS)
def test_layers_have_torchs_parameters_and_equations(code):
    shapes, how = LAYERS[code]
    chance, results, drawn = np.random.default_rng(1), [], []
    arrays = [chance.standard_normal(tuple(map(int, shape.split(",")))) for shape in shapes.split()] or [
        np.array([4, 0, 4])
    ]
    for library in (torch, tiny):
        library.manual_seed(7)
        layer = eval(code, {"nn": library.nn}).double()
        drawn.append({name: p.detach().numpy().copy() for name, p in layer.named_parameters()})
        for name, p in layer.named_parameters():
            p.data = library.tensor(drawn[0][name])
        given = layer(*map(library.tensor, arrays), **how)
        parts = given if isinstance(given, tuple) else (given,)
        (parts[0] ** 2).sum().backward()
        results.append(
            [part.detach().numpy() for part in parts] + [p.grad.numpy() for _, p in sorted(layer.named_parameters())]
        )
    assert drawn[0].keys() == drawn[1].keys() and all(
        alike(drawn[0][name], drawn[1][name], 1e-6, True) for name in drawn[0]
    )
    assert all(alike(one, other, 1e-10, True) for one, other in zip(*results, strict=True))


def test_the_courses_files_are_read_and_written(tmp_path):
    from safetensors.torch import load_file, save_file

    from labs.tiny import stored

    save_file(
        {"a": torch.arange(6, dtype=torch.float16).reshape(2, 3), "b": torch.tensor([1.5])},
        tmp_path / "theirs",
        {"run": "x"},
    )
    with stored.safe_open(tmp_path / "theirs", "pt") as file:
        assert file.metadata() == {"run": "x"} and list(file.keys()) == ["a", "b"]
        (tmp_path / "ours").write_bytes(
            stored.save({name: file.get_tensor(name) for name in file.keys()}, file.metadata())  # noqa: SIM118
        )
    assert {name: value.tolist() for name, value in load_file(tmp_path / "ours").items()} == {
        "a": [[0, 1, 2], [3, 4, 5]],
        "b": [1.5],
    }
    (tmp_path / "none").write_bytes(b"no such file")
    with pytest.raises(stored.SafetensorError):
        stored.safe_open(tmp_path / "none", "pt")
