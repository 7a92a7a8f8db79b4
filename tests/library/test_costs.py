"""The formulas of cost against PyTorch's own counts, and the stored measurements against both."""

import math

import numpy as np
import pytest
import torch

from course_lib import costs
from course_lib.attention import attend
from course_lib.checks import trusted
from course_lib.efficient import linear_weights
from course_lib.results import load
from course_lib.transformer import Block
from studies import layer_costs as tool
from tests.shared.seeded import normal, seeded

TABLE = load("layer_costs")
ROWS = {(row["kind"], row["n"]): row for row in TABLE["rows"]}
LENGTHS = TABLE["settings"]["lengths"]

# ---- formulas against PyTorch


@pytest.mark.parametrize("n", [1, 7, 64, 100, 130])
@pytest.mark.parametrize("kind", tool.KINDS)
def test_flops_kept_and_steps_are_pytorchs(kind, n):
    job, formula = tool.Job(kind, n), tool.formula(kind, n)
    assert tool.flops(job.forward) == formula.flops
    zero_state = 2 * tool.D**2 if kind == "rnn" else 0
    assert tool.flops(job.training) == costs.TRAINING * formula.flops - zero_state
    assert tool.kept(job) == formula.kept
    assert tool.steps(job.output()) == formula.steps


@pytest.mark.parametrize(("n", "d", "h", "layers", "r"), [(32, 16, 2, 1, 40), (50, 32, 4, 3, None)])
def test_a_transformer_is_what_its_blocks_cost(n, d, h, layers, r):
    g = seeded()
    blocks = [Block(d, d // h, h, r or 4 * d, norm="post", generator=g) for _ in range(layers)]
    x = torch.randn(n, d, generator=g).requires_grad_()

    def forward():
        y = x
        with trusted():  # the checks would be recorded too
            for block in blocks:
                y = block(y).output
        return y

    formula = costs.transformer(n, d, h, layers, r)
    assert tool.flops(forward) == formula.flops == formula.projections + formula.attention + formula.feed_forward
    assert tool.flops(lambda: forward().sum().backward()) == costs.TRAINING * formula.flops
    parameters = [parameter for block in blocks for parameter in block.parameters()]
    assert formula.parameters == costs.FLOAT * sum(parameter.numel() for parameter in parameters)
    job = type("Job", (), {"output": staticmethod(forward), "parameters": parameters})
    copies = costs.FLOAT * layers * 3 * d * d  # W_Q, W_K and W_V with the heads side by side: parameters, in another order
    assert tool.kept(job) - copies == formula.maps + formula.tokens
    assert formula.bytes == formula.maps + formula.tokens + formula.parameters


def test_attention_overtakes_the_rest_at_the_crossing(record):
    for d, r in ((512, None), (512, 2048), (64, 100)):
        n = costs.crossing(d, r)
        at = costs.transformer(n, d, 1, 2, r)
        assert at.attention == at.projections + at.feed_forward
    assert record("S1.crossing", costs.crossing(512)) == 6 * 512


def test_window_pairs_are_counted():
    for n in (1, 5, 40):
        for radius in (1, 4, 39, 60):
            place = np.arange(n)
            assert costs.window_pairs(n, radius) == (abs(place[:, None] - place) <= radius).sum()


def test_dilated_paths_are_the_digits_of_the_distance():
    for k in (2, 3, 5):
        for n in (1, 2, k, k + 1, 82, 244):
            reached, layers = {0}, 0
            while n - 1 not in reached or layers == 0:
                reached = {t + a * k**layers for t in reached for a in range(k) if t + a * k**layers < n}
                layers += 1
            assert costs.dilated_path(n, k) == layers == max(1, math.ceil(round(math.log(n, k), 9)))


def test_seconds_and_memory_of_a_device():
    assert costs.seconds(9.5e12) == 1 and costs.seconds(10.6e12, device=costs.P100_PEAK) == 1
    assert costs.seconds(0, 732e9) == 1 and costs.seconds(9.5e12, 2 * 732e9) == 2
    # The published FLOPs are hours times eight devices times this peak.  [Vaswani et al. 2017, tab. 2 and §5.2]
    assert 12 * 3600 * 8 * costs.P100.flops == pytest.approx(3.3e18, rel=0.01)
    assert 3.5 * 86400 * 8 * costs.P100.flops == pytest.approx(2.3e19, rel=0.01)
    n = costs.longest(512, 8, 6)
    assert costs.transformer(n, 512, 8, 6).bytes <= costs.P100.memory < costs.transformer(n + 1, 512, 8, 6).bytes
    assert costs.longest(512, 8, 6, device=costs.P100._replace(memory=1e6)) == 0
    assert costs.longest(512, 8, 6, device=costs.P100._replace(memory=4 * costs.P100.memory)) < 2.1 * n


# ---- the stored table


def test_memory_of_full_attention_is_quadratic_and_all_others_grow_by_two():
    for kind in tool.KINDS:
        growth = ROWS[kind, 4096]["peak"]["training"] / ROWS[kind, 2048]["peak"]["training"]
        low, high = {"full": (3.8, 4.0), "strided": (2.0, 2.9)}.get(kind, (1.9, 2.05))
        assert low <= growth <= high, kind


# ---- numbers of the page


def test_sequential_steps_are_n_for_a_recurrent_layer_and_constant_for_the_rest():  # S1
    for n in LENGTHS:
        assert ROWS["rnn", n]["steps"] == n
        assert {ROWS[kind, n]["steps"] for kind in tool.KINDS if kind != "rnn"} == {1, 2}
    assert ROWS["full", 4096]["steps"] == 2


def test_pytorch_counts_the_flops_of_the_formulas():  # S1, the forward FLOPs of the stored table
    for (kind, n), row in ROWS.items():
        assert row["flops"]["forward"] == tool.formula(kind, n).flops, (kind, n)


def exponent(kind: str, name: str = "training") -> float:
    return next(fit["exponent"] for fit in TABLE["fits"] if (fit["kind"], fit["pass"]) == (kind, name))


def test_exponents_of_time(record):  # S1
    assert record("S1.exponent_full", exponent("full")) == pytest.approx(2, abs=0.1)
    assert record("S1.exponent_rnn", exponent("rnn")) == pytest.approx(1, abs=0.1)
    for kind in ("convolution", "window", "strided", "linear"):  # below the formula: overheads at small n
        assert 0.6 < exponent(kind) < 1.1, kind
    assert exponent("window") < exponent("full") - 1


def test_the_default_allocator_hid_the_square():
    default = TABLE["default"]
    assert {(row["kind"], row["n"]) for row in default["rows"]} == set(ROWS) and len(default["fits"]) == len(TABLE["fits"])
    first = {(row["kind"], row["n"]): row["least_ms"]["training"] for row in default["rows"]}
    assert first["full", 4096] > 1.5 * ROWS["full", 4096]["least_ms"]["training"]
    assert first["window", 4096] == pytest.approx(ROWS["window", 4096]["least_ms"]["training"], rel=0.1)


def test_a_window_is_many_times_faster_and_its_memory_is_linear(record):  # S6; how memory grows: above
    full, window = ROWS["full", 4096], ROWS["window", 4096]
    assert record("S6.time", full["least_ms"]["training"] / window["least_ms"]["training"]) >= 8
    assert record("S6.peak", full["peak"]["training"] / window["peak"]["training"]) > 9


def test_a_stack_of_windows_that_joins_all_costs_as_much_as_full_attention():  # L2.7, S-E1: pairs, over the n² of one full layer
    n, radius = 4096, 64
    assert costs.window_path(n, radius) == math.ceil((n - 1) / radius)
    assert 1.9 < costs.window_path(n, radius) * costs.window_pairs(n, radius) / n**2 < 2.1


def test_retrieval_lost_by_window_and_linear_attention():  # S6
    q = normal(64, 8)
    assert torch.linalg.matrix_rank(linear_weights(q, q)) == 8 and torch.linalg.matrix_rank(attend(q, q, q).weights) == 64


ERRORS = [
    (lambda: costs.full(0, 4), "n must be an int > 0, got 0"),
    (lambda: costs.rnn(3, 2.0), r"d must be an int > 0, got 2\.0"),
    (lambda: costs.linear(3, 4, 3), "h must be a divisor of d = 4, got 3"),
    (lambda: costs.transformer(3, 4, 3, 1), "h must be a divisor of d = 4, got 3"),
    (lambda: costs.convolution(3, 4, 4), "k must be an odd int ≥ 3: a middle, and neighbours, got 4"),
    (lambda: costs.convolution(3, 4, 1), "k must be an odd int ≥ 3"),
    (lambda: costs.dilated_path(3, 1), "k must be an int > 1, got 1"),
    (lambda: costs.window_path(3, 0), "radius must be an int > 0, got 0"),
    (lambda: costs.strided(3, 4, -1), "stride must be an int > 0, got -1"),
    (lambda: costs.transformer(3, 4, 1, True), "layers must be an int > 0, got True"),
    (lambda: costs.seconds(-1), "flops must be a number ≥ 0, got -1"),
    (lambda: costs.seconds(1, math.nan), "moved must be a finite number, got nan"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
