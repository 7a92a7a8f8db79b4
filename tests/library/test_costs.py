"""The formulas of cost against PyTorch's own counts, and what the stored measurements say."""

import numpy as np
import pytest
import torch

from course_lib import costs
from course_lib.checks import trusted
from course_lib.results import load
from course_lib.transformer import Block
from studies import layer_costs as tool
from tests.shared.refusals import named
from tests.shared.seeded import seeded

TABLE = load("layer_costs")
ROWS = {(row["kind"], row["n"]): row for row in TABLE["rows"]}
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


@pytest.mark.parametrize("n", [1, 64, 130])
def test_blockwise_attention_keeps_what_autograd_saves(n):
    job = tool.Job("blockwise", n)
    assert tool.kept(job) == costs.blockwise(n, tool.D).kept  # PyTorch's counter does not see the kernel's products
    assert torch.allclose(job.output(), tool.Job("full", n).output(), atol=1e-5)


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
    copies = (
        costs.FLOAT * layers * 3 * d * d
    )  # W_Q, W_K and W_V with the heads side by side: parameters, in another order
    assert tool.kept(job) - copies == formula.maps + formula.tokens
    assert formula.bytes == formula.maps + formula.tokens + formula.parameters


def test_attention_overtakes_the_rest_at_the_crossing():
    for d, r in ((512, None), (512, 2048), (64, 100)):
        n = costs.crossing(d, r)
        at = costs.transformer(n, d, 1, 2, r)
        assert at.attention == at.projections + at.feed_forward
    assert costs.crossing(512) == 6 * 512


def test_window_pairs_and_steps_are_counted():
    for n in (1, 5, 40):
        for radius in (1, 4, 39, 60):
            place = np.arange(n)
            assert costs.window_pairs(n, radius) == (abs(place[:, None] - place) <= radius).sum()
            assert costs.window_path(n, radius) == max(
                1, len(range(0, n - 1, radius))
            )  # steps from the first token to the last


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


# ---- numbers of the page


def exponent(kind: str) -> float:
    return next(fit["exponent"] for fit in TABLE["fits"] if (fit["kind"], fit["pass"]) == (kind, "training"))


def test_exponents_of_time():  # S1
    assert exponent("full") == pytest.approx(2, abs=0.1)
    assert exponent("rnn") == pytest.approx(1, abs=0.1)


def test_a_window_is_many_times_faster_and_its_memory_is_linear():  # S6
    full, window = ROWS["full", 4096], ROWS["window", 4096]
    assert full["least_ms"]["training"] / window["least_ms"]["training"] >= 8
    assert full["peak"]["training"] / window["peak"]["training"] > 9


test_errors_name_the_argument = named(
    (lambda: costs.transformer(3, 4, 3, 1), "h must be a divisor of d = 4, got 3"),
    (lambda: costs.convolution(3, 4, 4), "k must be an odd int ≥ 3: a middle, and neighbours, got 4"),
    (lambda: costs.seconds(-1), "flops must be a number ≥ 0, got -1"),
)
