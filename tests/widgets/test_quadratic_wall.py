"""QuadraticWall: its JavaScript has the formulas of `course_lib.costs`, its blocks are PyTorch's, its words say
Python's numbers."""

import bisect
import math

import numpy as np
import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.flop_counter import FlopCounterMode

from course_lib import costs
from course_lib.efficient import convolve
from course_lib.recurrent import RNNCell, unroll
from course_lib.transformer import FeedForward, Sublayer
from course_lib.widgets import QuadraticWall
from tests.shared.graph_node import GLUE, call, exports, js, read
from tests.shared.refusals import refused

DECLARED = QuadraticWall._settings
KINDS = DECLARED["kinds"]["takes"]

SIZES = [
    (16, 64, 4),
    (17, 64, 8),
    (100, 96, 12),
    (1000, 512, 8),
    (4096, 512, 8),
    (65_536, 1024, 16),
    (2**20, 16_384, 128),
    (99, 30, 5),
]  # n, d, h
CALLS = [
    *(("rnn", n, d) for n, d, _ in SIZES), *(("full", *each) for each in SIZES), *(("blockwise",
    *each) for each in SIZES), *(("linear", *each) for each in SIZES),
    *(("convolution", n, d, k) for n, d, _ in SIZES for k in (3, 7, 65)), *(("window", n, d, radius, h) for n, d,
    h in SIZES for radius in (1, 5, 64, 4096)),
    *(("strided", n, d, stride, h) for n, d, h in SIZES for stride in (1, 7, 1024)),
]  # fmt: skip
STATE = QuadraticWall().get_state(QuadraticWall._settings)
STATES = [STATE | change for change in (
    {}, {"n": 16}, {"n": 65_536, "layers": 1, "h": 1}, {"n": 300, "d": 96, "h": 12, "layers": 3, "radius": 7, "k": 9,
    "work": "forward"},
    {"n": 2**20, "d": 16_384, "h": 128, "layers": 128, "radius": 4096}, {"n": 1234, "d": 30, "h": 5, "kinds": ["rnn"]},
)]  # fmt: skip


def transformer(state, n=None):
    return costs.transformer(n or state["n"], state["d"], state["h"], state["layers"])


def blocks(kind, state):
    """(forward FLOPs, bytes) of the stack: for attentions, the Transformer's with another mixing layer in it."""
    n, d, h, layers = (state[name] for name in ("n", "d", "h", "layers"))
    stride = math.isqrt(n - 1) + 1
    mixing = {
        "full": lambda: costs.full(n, d, h), "blockwise": lambda: costs.blockwise(n, d, h),
        "window": lambda: costs.window(n, d, state["radius"], h), "strided": lambda: costs.strided(n, d, stride, h),
        "linear": lambda: costs.linear(n, d, h), "convolution": lambda: costs.convolution(n, d, state["k"]),
        "rnn": lambda: costs.rnn(n, d),
    }[kind]()  # fmt: skip
    whole, full = transformer(state), costs.full(n, d, h)
    flops, size = whole.flops + layers * (mixing.flops - full.flops), whole.bytes + layers * (mixing.kept - full.kept)
    if kind == "blockwise":  # its output is what W_O keeps
        size -= layers * costs.FLOAT * n * d
    if kind in (
        "convolution",
        "rnn",
    ):  # no projections: their FLOPs, the joined heads and the inputs of W_Q, W_K, W_V, and their parameters
        own = state["k"] * d * d if kind == "convolution" else 2 * d * d + d
        flops -= layers * 8 * n * d * d
        size += layers * costs.FLOAT * (own - 4 * d * d - 2 * n * d)
    return flops, size, layers * mixing.steps, mixing.path


PAGE = exports("quadratic_wall", "address", "chart", "controls", "stack", "measure", "words")
FORMULAS = js("quadratic_wall/costs.js")


def ask(*questions):
    return call(*(PAGE[name](*given) for name, *given in questions))


def test_every_formula_is_that_of_costs():
    for (name, *sizes), got in zip(CALLS, call(*(FORMULAS[name](*sizes) for name, *sizes in CALLS)), strict=True):
        want = getattr(costs, name)(*sizes)
        assert got == pytest.approx(want._asdict(), rel=1e-14), (name, sizes)


@pytest.mark.parametrize("state", STATES, ids=lambda state: f"{state['n']}-{state['d']}")
def test_a_stack_is_the_transformer_with_another_mixing_layer(state):
    stacks = dict(zip(KINDS, ask(*(["stack", kind, state] for kind in KINDS)), strict=True))
    for kind, got in stacks.items():
        flops, size, steps, path = blocks(kind, state)
        assert (got["flops"], got["bytes"], got["steps"], got["path"]) == (
            pytest.approx(flops, rel=1e-14),
            pytest.approx(size, rel=1e-14),
            steps,
            path,
        ), kind
        assert got["mixing"] + got["rest"] == pytest.approx(got["flops"], rel=1e-14)
    whole, got = transformer(state), stacks["full"]
    assert (got["flops"], got["mixing"], got["bytes"], got["parameters"]) == pytest.approx(
        (whole.flops, whole.attention, whole.bytes, whole.parameters / costs.FLOAT), rel=1e-14
    )


@pytest.mark.parametrize("kind", ["convolution", "rnn"])
def test_a_block_without_projections_is_what_pytorch_counts(kind):
    """FLOPs, parameters and bytes kept of one pre-norm block, n = 12, d = 8, k = 5, counted by PyTorch."""
    n, d, k, generator = 12, 8, 5, torch.Generator().manual_seed(0)
    around, thinking, forward = Sublayer(d), Sublayer(d), FeedForward(d, 4 * d, generator=generator)
    cell, W = RNNCell(d, d, generator=generator), torch.randn(k, d, d, generator=generator, requires_grad=True)
    own = [W] if kind == "convolution" else list(cell.parameters())
    parameters = [*own, *around.parameters(), *thinking.parameters(), *forward.parameters()]

    def block(x):
        normed = around.before(x)
        mixed = convolve(normed, W) if kind == "convolution" else unroll(cell, normed[None])[0][0]
        x = around.after(x, mixed)
        return thinking.after(x, forward(thinking.before(x)))

    x, kept = torch.randn(n, d, generator=generator, requires_grad=True), {}
    known = {each.untyped_storage().data_ptr() for each in parameters}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in known:
            kept[storage.data_ptr()] = storage  # held, so that its address is not given away again
        return tensor

    with FlopCounterMode(display=False) as counter, saved_tensors_hooks(pack, lambda tensor: tensor):
        y = block(x)
    got = ask(["stack", kind, STATE | {"n": n, "d": d, "h": 2, "layers": 1, "k": k}])[0]
    assert y.shape == x.shape
    assert got["flops"] == counter.get_total_flops()
    assert got["parameters"] == sum(each.numel() for each in parameters)
    assert got["bytes"] == costs.FLOAT * got["parameters"] + sum(storage.nbytes() for storage in kept.values())


def test_the_walls_are_where_costs_puts_them():
    for state, got in zip(STATES, ask(*(["figures", state, 2e10] for state in STATES)), strict=True):
        d, h, layers = state["d"], state["h"], state["layers"]
        gigabyte = costs.P100_PEAK._replace(memory=2.0**30)
        assert got["fits_p100"] == costs.longest(d, h, layers, device=costs.P100_PEAK) and got[
            "fits_page"
        ] == costs.longest(d, h, layers, device=gigabyte)
        assert got["weights"] == pytest.approx(transformer(state).maps, rel=1e-14) and got[
            "crossing"
        ] == costs.crossing(d)
        even = transformer(state, got["crossing"])
        assert even.attention == even.projections + even.feed_forward
        assert transformer(state, got["overtakes"]).attention == transformer(state, got["overtakes"]).feed_forward
        times = costs.TRAINING if state["work"] == "training" else 1
        for kind, cost in got["costs"].items():
            again = (
                2 * state["n"] ** 2 * d * layers if kind == "blockwise" and state["work"] == "training" else 0
            )  # QKᵀ once more
            flops = times * blocks(kind, state)[0] + again
            assert cost["flops"] == pytest.approx(flops, rel=1e-14)
            assert cost["peak"] == pytest.approx(costs.seconds(flops, device=costs.P100_PEAK), rel=1e-14)
            assert cost["here"] == pytest.approx(flops / 2e10, rel=1e-14)
        assert list(got["costs"]) == state["kinds"]


def test_the_words_say_it():
    told, beyond, far = call(
        *(PAGE.words(state, PAGE.figures(state, 1e10)) for state in (STATE, STATES[4], STATE | {"n": 65_536}))
    )
    whole = transformer(STATE)
    share = round(100 * whole.maps / whole.bytes)
    assert (
        told[0]
        == (
            f"At n = 4,096 the stored maps of full attention, 8 of n × n in each of 6 layers, need 3 GiB: {share} "
            f"% of what is kept."
        )
        and whole.maps == 3 * 2**30
    )

    def fits(n):
        return blocks("blockwise", STATE | {"n": n})[1] <= costs.P100.memory

    most = bisect.bisect(range(1, 10**6), False, key=lambda n: not fits(n))
    assert told[1] == (
        f"A P100’s 16 GiB would hold up to n = {costs.longest(512, 8, 6, device=costs.P100_PEAK):,}; block by "
        f"block at {most:,}. (Gradients, Adam and scratch left out.)"
    )
    assert told[2] == "Attention’s two products are 1.3 times the rest of the FLOPs; equal at n = 6d = 3,072."
    assert beyond[1] == "A P100’s 16 GiB do not hold one token with stored maps."
    assert far[1].startswith("That is beyond the wall: a P100’s 16 GiB end at n = 9,062;") and len(far) == 3


def test_bytes_and_seconds_in_units_that_suit():
    asked = [("bytes", x) for x in (1, 1023, 1024, 1.5 * 2**20, 2**30, 16 * 2**30, 2**45, 1000 * 2**20)] + [("seconds",
        x) for x in (2e-6, 0.0123, 0.5, 1, 119, 120, 3600, 47 * 3600, 48 * 3600, 86_400 * 1000,
        86_400 * 365.25 * 12_345)]  # fmt: skip
    got = ask(*asked)
    assert got[:8] == ["1 B", "0.999 KiB", "1 KiB", "1.5 MiB", "1 GiB", "16 GiB", "32 TiB", "0.977 GiB"]
    assert got[8:] == [
        "2 µs",
        "12.3 ms",
        "500 ms",
        "1 s",
        "119 s",
        "2 min",
        "60 min",
        "47 h",
        "2 days",
        "2.74 years",
        "12,345 years",
    ]


def test_the_chart_holds_every_line_and_limit():
    asked = [
        ["limits", STATE, 1e10, False],
        ["limits", STATE | {"chart": "flops"}, 1e10, True],
        ["range", [3e6, 5e9], 10],
        ["range", [2**21, 2**33], 32],
        ["marks", [2**20, 2**40], True],
        ["height", "full", STATE, 4096],
        ["height", "full", STATE | {"chart": "flops"}, 4096],
        ["height", "full", STATE | {"chart": "flops", "work": "forward"}, 4096],
    ]
    inside, ops, tens, powers, marks, size, training, forward = ask(*asked)
    assert [value for value, _ in inside] == [costs.H100.memory, costs.P100.memory, 2**30] and ops == [
        [10.6e12, "P100, 1 s at its peak"],
        [1e10, "this device, 1 s"],
    ]
    assert (
        tens == pytest.approx([1e6, 1e10])
        and powers == pytest.approx([2**20, 2**35])
        and marks == [[2**20, "1 MiB"], [2**25, "32 MiB"], [2**30, "1 GiB"], [2**35, "32 GiB"], [2**40, "1 TiB"]]
    )
    assert (size, training, forward) == (
        transformer(STATE).bytes,
        3 * transformer(STATE).flops,
        transformer(STATE).flops,
    )


def test_the_device_is_measured_with_the_pages_own_product():
    size, made = 256, PAGE.product()
    _, *matrices = call(made.run(), made.get("A"), made.get("C"))
    A, C = (np.array(each).reshape(size, size) for each in matrices)
    assert A.flatten()[:3] == pytest.approx(
        [-0.5, ((7919 % 1013) / 1013) - 0.5, ((2 * 7919 % 1013) / 1013) - 0.5], abs=1e-6
    )
    assert np.allclose(C, A @ A, atol=1e-3) and np.abs(C).max() > 1
    for tick, rate in (
        (50, 2 * size**3 / 0.05),
        (7, 2 * size**3 * 7 / 0.049),
    ):  # one product a piece; seven looks of 7 ms reach the slice of 45
        told = js().Array()
        receive = PAGE.session(told.push.bind(told), {"now": GLUE.clock(tick)})
        asked = js().Array["from"](
            [{"type": "go"}, {"type": "measure"}, {"type": "measure"}], receive
        )  # twice while it measures: once
        assert call(js().Promise.all(asked), told)[1] == [{"type": "measured", "rate": pytest.approx(rate)}]


def test_the_dials_stop_at_sizes_that_are_settings():
    [known] = call({name: FORMULAS[name] for name in ("FLOAT", "TRAINING", "P100")} | {"STOPS": PAGE.STOPS})
    assert (known["FLOAT"], known["TRAINING"], known["P100"]) == (
        costs.FLOAT,
        costs.TRAINING,
        {"flops": costs.P100_PEAK.flops, "memory": costs.P100_PEAK.memory},
    )
    for name, stops in known["STOPS"].items():
        low, high = DECLARED[name]["takes"]
        assert (
            stops == sorted(set(stops)) and low <= stops[0] and stops[-1] <= high and DECLARED[name]["default"] in stops
        )
    assert known["STOPS"]["n"][0] == 16 and known["STOPS"]["n"][-1] == 2**20


def test_kinds_and_k_in_the_address_are_settings_only():
    asked = [
        ("n", "1e3"),
        ("k", "4"),
        ("k", "5"),
        ("kinds", "rnn,full"),
        ("kinds", "full,full"),
        ("kinds", ""),
        ("kinds", "flash"),
    ]
    pairs = ((8, 512), (12, 512), (7, 30), (256, 16), (5, 7))
    got = read(*(("quadratic_wall", *each) for each in asked))
    assert got == [None, None, 5, ["full", "rnn"], None, None, None]
    assert ask(*(["fitting", *pair] for pair in pairs)) == [8, 8, 6, 16, 1]


@pytest.mark.parametrize(("name", "value"), [("d", 513), ("h", 7)])
def test_a_setting_that_does_not_fit_is_named_and_changes_nothing(name, value):
    refused(QuadraticWall, name, value, as_argument=False)
    with pytest.raises(ValueError, match=r"^(d|h) must be "):
        QuadraticWall(**{name: value})


def test_the_numbers_on_the_page():  # S6
    n, *sizes = (DECLARED[name]["default"] for name in ("n", "d", "h", "layers"))
    assert costs.transformer(n, *sizes).maps == 6 * 8 * 4096**2 * 4 == 3 * 2**30
    assert costs.longest(*sizes, device=costs.P100_PEAK) == 9062 and costs.crossing(sizes[0]) == 3072
