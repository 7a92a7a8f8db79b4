"""labs/tiny, the stand-in for torch in the browser, held to torch: values, gradients, updates, random numbers.

Every row is one use of an operation: the same code runs with torch and with tiny, on the same float64 numbers.
"""

import copy
import re

import numpy as np
import pytest
import torch

from labs import tiny

EXACT = 1e-10
# How it is called, and the shapes of its arguments; "+" in front of a shape asks for numbers > 0.
OPERATIONS = """
x + y                                       3,4 4           x - 2 * y                               3,1 1,4
1 - x                                       3               x / y                                   2,3 +3
2 / x                                       +4              x * y                                   2,1,3 4,1
x ** 2                                      3,2             x ** -0.5                               +3
x ** y                                      +3 3            x ** 0.5                                +2,2
x @ y                                       3,4 4,2         x @ y                                   2,3,4 4,5
x @ y                                       2,1,3,4 5,4,2   x @ y                                   4 4
x @ y                                       2,3,4 4         x @ y                                   4 2,4,3
-x                                          3               x.exp()                                 3,2
x.log()                                     +3,2            t.log1p(x)                              +3
x.sqrt()                                    +4              x.rsqrt()                               +4
x.tanh()                                    3,3             t.sigmoid(5 * x)                        3,3
t.relu(x)                                   4,4             x.abs()                                 5
x.sin() + x.cos()                           4               x.square()                              4
t.erf(x)                                    4               x.reciprocal()                          +4
x.clamp(min=-0.5, max=0.5)                  9               x.clamp(min=0.1)                        9
t.maximum(x, y)                             3,4 4           t.minimum(x, y)                         3,4 3,1
t.where(x > 0, x, y)                        3,4 4           t.where(x > 0, x, 0.0)                  3,4
x.masked_fill(x > 0.3, 2.0)                 3,4             t.lerp(x, y, 0.3)                       3 3
t.addcmul(x, y, z)                          3 2,3 2,3       t.baddbmm(x, y, z)                      2,1,4 2,3,5 2,5,4
t.bmm(x, y)                                 2,3,4 2,4,5     t.addmm(x, y, z)                        4 3,5 5,4
t.einsum("bhd,hdm->bhm", x, y)              2,3,4 3,4,5     t.einsum("ij,ij->i", x, y)              3,4 3,4
x.reshape(2, -1)                            4,3             x.view(3, 4)                            2,6
x.flatten(0, 1)                             2,3,4           x.unflatten(0, (-1, 2))                 6,3
x.transpose(0, -1)                          2,3,4           x.permute(2, 0, 1)                      2,3,4
x.mT                                        2,3,4           x.T                                     3,4
x.squeeze(1)                                3,1,2           x.squeeze()                             1,3,1
x.unsqueeze(-2)                             3,2             x[:, None].expand(-1, 4, -1)            3,2
x.flip(0)                                   3,2             t.roll(x, 2, 0)                         5,2
x.movedim(0, -1)                            2,3,4           x.tril()                                3,3
x.repeat(2, 3)                              3,2             x.repeat_interleave(2, 0)               3,2
x.chunk(3, -1)[1]                           2,9             x.split([1, 3], 1)[1]                   2,4
x.unbind(-2)[1]                             2,3,4           t.cat([x, y, x], -1)                    2,3 2,1
t.stack([x, y], 1)                          2,3 2,3         t.hstack([x, y])                        2,3 2,1
x[1]                                        3,4             x[:, 1:3]                               3,4
x[..., -1]                                  2,3             x[t.tensor([0, 2, 2])]                  3,4
x[t.tensor([[0, 1], [2, 0]])]               3,4             x[t.arange(3), t.tensor([1, 0, 1])]     3,4
x[x > 0]                                    5,5             x[[0, 2, 0]]                            3,2
x.gather(1, t.tensor([[0, 2], [1, 1]]))     2,3             x.index_select(1, t.tensor([2, 2]))     2,3
x.diagonal()                                3,3             x.diagonal(0, -2, -1)                   2,3,3
x.sum()                                     3,4             x.sum(1)                                3,4
x.sum((0, 2), keepdim=True)                 2,3,4           x.mean(-1, keepdim=True)                3,4
x.mean()                                    3,4             x.var(-1)                               3,4
x.std(0, unbiased=False)                    3,4             x.prod(1)                               3,4
x.cumsum(-1)                                3,4             x.max()                                 3,4
x.max(1).values                             3,4             x.min(0).values                         3,4
x.amax(-1, keepdim=True)                    3,4             x.sort(-1).values                       3,4
x.topk(2, -1).values                        3,4             x.norm()                                3,4
x.softmax(-1)                               2,3,4           t.softmax(x, 0)                         3,4
t.log_softmax(40 * x, -1)                   3,4             x.logsumexp(-1)                         3,4
t.linalg.vector_norm(x, dim=-1)             3,4             t.special.entr(x)                       +3,4
F.layer_norm(x, (4,), y, z, 1e-5)           2,3,4 4 4       F.layer_norm(x, (4,))                   3,4
F.linear(x, y, z)                           2,3,4 5,4 5     F.embedding(t.tensor([[2, 0], [2, 1]]), x)  3,4
F.gelu(x)                                   3,4             F.gelu(x, approximate="tanh")           3,4
F.silu(x)                                   3,4             F.softplus(x)                           3,4
F.normalize(x, dim=-1)                      3,4             F.cosine_similarity(x, y, dim=-1)       3,4 3,4
F.bilinear(x, y, z)                         3,4 3,5 2,4,5   F.mse_loss(x, y)                        3 3
F.cross_entropy(x, t.tensor([1, 0, 3]))     3,4             F.cross_entropy(x, t.tensor([1, 0, 3]), ignore_index=0)   3,4
F.cross_entropy(x, t.tensor([[1, 0]]), reduction="none")   1,3,2   F.cross_entropy(x, t.tensor([1, 2]), label_smoothing=0.1)  2,3
F.cross_entropy(x, t.tensor([1, 2]), reduction="sum")      2,3     F.scaled_dot_product_attention(x, y, z, is_causal=True)   2,3,4 2,3,4 2,3,5
F.scaled_dot_product_attention(x, y, z, attn_mask=t.ones(3, 5, dtype=t.bool).tril(1))  2,3,4 2,5,4 2,5,2     F.scaled_dot_product_attention(x, y, z, scale=0.3)   3,4 2,4 2,4
"""


def rows() -> list[tuple[str, tuple[str, ...]]]:
    found = []
    for line in OPERATIONS.strip().splitlines():
        parts = re.split(r"\s{2,}", line.strip())
        found += [(code, tuple(shapes.split())) for code, shapes in zip(parts[::2], parts[1::2], strict=True)]
    return found


def answer(library, code: str, arrays: list[np.ndarray], weights: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """The value, and the gradients of Σ weights · value."""
    given = [library.tensor(array, requires_grad=True) for array in arrays]
    result = eval(code, {"t": library, "F": library.nn.functional, "nn": library.nn} | dict(zip("xyz", given, strict=False)))
    result.backward(library.tensor(weights))
    return result.detach().numpy(), [each.grad.numpy() for each in given]


def size_of(code: str, arrays: list[np.ndarray]) -> tuple[int, ...]:
    given = dict(zip("xyz", map(torch.tensor, arrays), strict=False))
    return tuple(eval(code, {"t": torch, "F": torch.nn.functional} | given).shape)


@pytest.fixture(autouse=True)
def doubles():
    before = torch.get_default_dtype()
    for library in (torch, tiny):
        library.set_default_dtype(library.float64)
    yield
    torch.set_default_dtype(before)
    tiny.set_default_dtype(tiny.float32)


@pytest.mark.parametrize("code, shapes", rows(), ids=lambda given: given if isinstance(given, str) else " ".join(given))
def test_values_and_gradients_are_torchs(code, shapes):
    chance = np.random.default_rng(len(code))
    for _ in range(2):
        arrays = [chance.standard_normal(tuple(map(int, shape.strip("+").split(",")))) for shape in shapes]
        arrays = [np.abs(array) + 0.1 if shape[0] == "+" else array for array, shape in zip(arrays, shapes, strict=True)]
        weights = chance.standard_normal(size_of(code, arrays))
        (value, slopes), (ours, our_slopes) = (answer(library, code, arrays, weights) for library in (torch, tiny))
        assert value.shape == ours.shape and np.abs(value - ours).max(initial=0) < EXACT
        for one, other in zip(slopes, our_slopes, strict=True):
            assert one.shape == other.shape and np.abs(one - other).max() < EXACT


MIXED = ("one", "one * 2", "one * 0.5", "ints * 0.5", "ints / 2", "ints / ints", "one * ints", "one * bare", "bare * ints", "ints ** 2", "half * one", "mask * one",
         "mask.sum()", "ints.sum()", "mask + mask", "ints.sum(0) / 2", "one > 0", "ints // 2", "1 - mask.double()", "one.sum(0, dtype=t.float64)")  # fmt: skip


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_types_mix_as_in_torch(kind):
    for code in MIXED:
        found = []
        for library in (torch, tiny):
            library.set_default_dtype(getattr(library, kind))
            names = {
                "t": library,
                "one": library.tensor([1.0, 2.0], dtype=library.float32),
                "ints": library.tensor([1, 2]),
                "mask": library.tensor([True, False]),
            }
            names |= {"bare": library.tensor(2.0, dtype=library.float64), "half": library.tensor([1.0, 2.0], dtype=library.float64)}
            result = eval(code, names)
            found.append((str(result.dtype).removeprefix("torch."), result.tolist()))
        assert found[0] == found[1], code


LAYERS = {
    "nn.GRUCell(3, 4)": ("5,3 5,4", {}),
    "nn.GRU(3, 4, batch_first=True)": ("2,5,3", {}),
    "nn.Linear(3, 2)": ("4,3", {}),
    "nn.LayerNorm(3)": ("4,3", {}),
    "nn.MultiheadAttention(4, 2, batch_first=True)": ("2,3,4 2,5,4 2,5,4", {"need_weights": True, "average_attn_weights": False}),
    "nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, batch_first=True, norm_first=True)": ("2,3,4", {}),
    "nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, batch_first=True)": ("2,3,4", {}),
}


@pytest.mark.parametrize("code", LAYERS)
def test_layers_have_torchs_parameters_and_equations(code):
    shapes, how = LAYERS[code]
    theirs, ours = (eval(code, {"nn": library.nn}) for library in (torch, tiny))
    chance = np.random.default_rng(1)
    assert {name: tuple(p.shape) for name, p in theirs.named_parameters()} == {name: tuple(p.shape) for name, p in ours.named_parameters()}
    for name, parameter in ours.named_parameters():
        value = chance.standard_normal(parameter.shape)
        parameter.data, theirs.get_parameter(name).data = tiny.tensor(value), torch.tensor(value)
    arrays = [chance.standard_normal(tuple(map(int, shape.split(",")))) for shape in shapes.split()]
    results = []
    for library, layer in ((torch, theirs), (tiny, ours)):
        given = layer(*map(library.tensor, arrays), **how)
        together = given if not isinstance(given, tuple) else given[0]
        (together**2).sum().backward()
        parts = given if isinstance(given, tuple) else (given,)
        results.append([part.detach().numpy() for part in parts] + [p.grad.numpy() for _, p in sorted(layer.named_parameters())])
    for one, other in zip(*results, strict=True):
        assert one.shape == other.shape and np.abs(one - other).max() < EXACT


def test_a_packed_sequence_ends_at_its_last_token():
    chance, lengths, found = np.random.default_rng(2), [3, 1, 4], []
    values = {name: chance.standard_normal(p.shape) for name, p in torch.nn.GRU(2, 3).named_parameters()}
    x = chance.standard_normal((3, 4, 2))
    for library in (torch, tiny):
        layer = library.nn.GRU(2, 3, batch_first=True)
        for name, value in values.items():
            getattr(layer, name).data = library.tensor(value)
        pack = torch.nn.utils.rnn.pack_padded_sequence if library is torch else tiny.nn.utils.rnn.pack_padded_sequence
        found.append(layer(pack(library.tensor(x), library.tensor(lengths), batch_first=True, enforce_sorted=False))[1].detach().numpy())
    assert np.abs(found[0] - found[1]).max() < EXACT


@pytest.mark.parametrize(
    "make",
    [
        "Adam(p, lr=0.1, betas=(0.8, 0.9))",
        "Adam(p, weight_decay=0.1)",
        "AdamW(p, weight_decay=0.1)",
        "SGD(p, lr=0.1)",
        "SGD(p, lr=0.1, momentum=0.9)",
    ],
)
def test_optimisers_take_torchs_steps(make):
    start, found = np.random.default_rng(3).standard_normal((2, 3)), []
    for library in (torch, tiny):
        p = library.nn.Parameter(library.tensor(start))
        optimiser = eval(make, {"p": [p]} | vars(library.optim))
        for step in range(5):
            optimiser.zero_grad()
            ((p - step) ** 4).sum().backward()
            library.nn.utils.clip_grad_norm_([p], 2.0)
            optimiser.step()
        found.append(p.detach().numpy())
    assert np.abs(found[0] - found[1]).max() < EXACT


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_a_seed_means_the_same(kind):
    for seed in (0, 7):
        theirs, ours = (library.Generator().manual_seed(seed) for library in (torch, tiny))
        for count in (1, 3, 16, 5, 21, 2):
            a, b = (
                library.randn(count, generator=g, dtype=getattr(library, kind)).numpy() for library, g in ((torch, theirs), (tiny, ours))
            )
            assert np.abs(a - b).max() < (1e-6 if kind == "float32" else 1e-15)
            a, b = (
                library.rand(count, generator=g, dtype=getattr(library, kind)).numpy() for library, g in ((torch, theirs), (tiny, ours))
            )
            assert (a == b).all()
        assert torch.randperm(9, generator=theirs).tolist() == tiny.randperm(9, generator=ours).tolist()
        assert torch.randint(3, 9, (4,), generator=theirs).tolist() == tiny.randint(3, 9, (4,), generator=ours).tolist()


IN_PLACE = """
y = x * 1; y += 2; y.mul_(x)
y = x * 1; y[0] = x[1] * 3; y = y * y
y = x.detach().clone(); v = y.view(-1); v.mul_(2); y = y + x
y = t.zeros(2, 3); y[:, 1] = x[:, 0]; y = y * x
y = x * 0; y[x > 0] = 5.0; y = y + x
y = x.detach().clone(); y.zero_(); y.fill_(3); y.copy_(x.detach()); y = y * x
y = t.zeros(2, 3).scatter_add_(1, t.tensor([[0, 0, 1], [2, 2, 2]]), x)
y = t.zeros(3, 3).index_add_(0, t.tensor([2, 2]), x)
y = t.zeros(2, 3).scatter_(1, t.tensor([[0], [2]]), 1.0) * x
""".strip().splitlines()


@pytest.mark.parametrize("code", IN_PLACE)
def test_what_is_changed_in_place(code):
    start, found = np.random.default_rng(5).standard_normal((2, 3)), []
    for library in (torch, tiny):
        names = {"t": library, "x": library.tensor(start, requires_grad=True)}
        exec(code, names)
        (names["y"] ** 2).sum().backward()
        found.append((names["y"].detach().numpy(), names["x"].grad.numpy()))
    assert np.abs(found[0][0] - found[1][0]).max() < EXACT and np.abs(found[0][1] - found[1][1]).max() < EXACT


def test_what_has_no_gradient_is_torchs_too():
    x, ends = np.random.default_rng(6).standard_normal((3, 4)), np.linspace(0.1, 1, 10).reshape(2, 5)
    codes = ("x.argmax(-1)", "x.argmin()", "x.argsort(0)", "x.round()", "x.sign()", "(x > 0).all(1)", "(x > 0).any()", "~(x > 0) | (x < 1)", "x.max(1).indices", "x.isfinite()",
             "t.searchsorted(ends, ends[:, :2], right=True)", "t.arange(2, 9, 3)", "t.eye(3)", "t.full((2,), 3)", "t.linspace(0, 1, 5)", "F.one_hot(t.tensor([0, 2]))", "t.tensor([[1, 2.5]])",
             "t.ones_like(x)", "t.bincount(t.tensor([1, 3, 1]), minlength=5)", "x.new_full((2,), 4)", "x.long()")  # fmt: skip
    for code in codes:
        results = []
        for library in (torch, tiny):
            found = eval(code, {"t": library, "F": library.nn.functional, "x": library.tensor(x), "ends": library.tensor(ends)})
            results.append((found.tolist(), str(found.dtype).removeprefix("torch.")))
        assert results[0] == results[1], code


def test_gradients_stop_and_add_up_where_they_should():
    x = tiny.tensor([1.0, 2.0], requires_grad=True)
    with tiny.no_grad():
        assert not (x * 2).requires_grad
    (x * x.detach()).sum().backward()
    (x * 3).sum().backward()
    assert x.grad.tolist() == [4.0, 5.0]
    first, second = tiny.autograd.grad((x * x).sum(), [x, tiny.tensor([1.0], requires_grad=True)], allow_unused=True)
    assert first.tolist() == [2.0, 4.0] and second is None and x.grad.tolist() == [4.0, 5.0]
    with pytest.raises(RuntimeError, match="leaf"):
        x += 1
    with pytest.raises(NotImplementedError, match="change the whole"):
        (x * 2).view(2, 1).mul_(2)
    with pytest.raises(RuntimeError, match="scalar outputs"):
        (x * 2).backward()
    with pytest.raises(RuntimeError, match="requires grad"):
        x.numpy()
    with pytest.raises(AttributeError, match=r"no Tensor\.fft"):
        x.fft()
    with pytest.raises(AttributeError, match=r"no torch\.compile"):
        tiny.compile()
    assert copy.deepcopy(x).requires_grad


def test_the_courses_files_are_read_and_written(tmp_path):
    from safetensors.torch import load_file, save_file

    from labs.tiny import stored

    save_file({"a": torch.arange(6, dtype=torch.float16).reshape(2, 3), "b": torch.tensor([1.5])}, tmp_path / "theirs", {"run": "x"})
    with stored.safe_open(tmp_path / "theirs", "pt") as file:
        assert file.metadata() == {"run": "x"} and list(file.keys()) == ["a", "b"]
        (tmp_path / "ours").write_bytes(stored.save({name: file.get_tensor(name) for name in file.keys()}, file.metadata()))  # noqa: SIM118
    assert {name: value.tolist() for name, value in load_file(tmp_path / "ours").items()} == {"a": [[0, 1, 2], [3, 4, 5]], "b": [1.5]}
    (tmp_path / "none").write_bytes(b"no such file")
    with pytest.raises(stored.SafetensorError):
        stored.safe_open(tmp_path / "none", "pt")
