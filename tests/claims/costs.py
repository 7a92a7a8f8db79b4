"""Chapter 3's page on cost: formulas, and the stored measurements of `studies/layer_costs.py`."""

from functools import cache
from typing import Any

import torch

from course_lib import costs
from course_lib.attention import attend
from course_lib.efficient import linear_weights
from course_lib.results import load

from . import claim

N, RADIUS = 4096, 64


@cache
def table() -> dict[str, Any]:
    return load("layer_costs")


def row(kind: str, n: int = N) -> dict[str, Any]:
    return next(row for row in table()["rows"] if (row["kind"], row["n"]) == (kind, n))


def exponent(kind: str, name: str = "training") -> float:
    return next(fit["exponent"] for fit in table()["fits"] if (fit["kind"], fit["pass"]) == (kind, name))


def growth_of_memory(kind: str) -> float:
    return row(kind)["peak"]["training"] / row(kind, N // 2)["peak"]["training"]


# --- S1: the table of complexity -------------------------------------------------------------------------------------


@claim("S1.flops")
def flops_pytorch_counts_otherwise() -> int:
    """Rows of the stored table whose forward FLOPs are not those of the formula."""
    d, k, radius = (table()["settings"][name] for name in ("d", "k", "radius"))
    strides = dict(zip(table()["settings"]["lengths"], table()["settings"]["strides"], strict=True))
    of = {
        "rnn": lambda n: costs.rnn(n, d), "convolution": lambda n: costs.convolution(n, d, k), "full": lambda n: costs.full(n, d),
        "window": lambda n: costs.window(n, d, radius), "strided": lambda n: costs.strided(n, d, strides[n]), "linear": lambda n: costs.linear(n, d),
    }  # fmt: skip
    return sum(row["flops"]["forward"] != of[row["kind"]](row["n"]).flops for row in table()["rows"])


@claim("S1.steps_rnn")
def steps_of_the_recurrent_layer() -> int:
    return row("rnn")["steps"]


@claim("S1.steps_full")
def steps_of_full_attention() -> int:
    return row("full")["steps"]


@claim("S1.exponent_full")
def exponent_of_full_attention() -> float:
    return exponent("full")


@claim("S1.exponent_rnn")
def exponent_of_the_recurrent_layer() -> float:
    return exponent("rnn")


@claim("S1.exponent_window")
def exponent_of_the_window() -> float:
    return exponent("window")


@claim("S1.crossing")
def tokens_from_which_attention_costs_most() -> int:
    return costs.crossing(512)


# --- S6: the wall, and ways round it ---------------------------------------------------------------------------------


@claim("S6.memory_full")
def growth_of_memory_of_full_attention() -> float:
    return growth_of_memory("full")


@claim("S6.memory_window")
def growth_of_memory_of_the_window() -> float:
    return growth_of_memory("window")


@claim("S6.time")
def full_over_window_in_time() -> float:
    return row("full")["least_ms"]["training"] / row("window")["least_ms"]["training"]


@claim("S6.peak")
def full_over_window_in_memory() -> float:
    return row("full")["peak"]["training"] / row("window")["peak"]["training"]


@claim("S6.rank_linear")
def rank_of_linear_weights() -> int:
    q = torch.randn(64, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return int(torch.linalg.matrix_rank(linear_weights(q, q)))


@claim("S6.rank_softmax")
def rank_of_softmax_weights() -> int:
    q = torch.randn(64, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return int(torch.linalg.matrix_rank(attend(q, q, q).weights))


# --- L2.7: distance against cost -------------------------------------------------------------------------------------


@claim("L2.7.stack")
def pairs_of_the_joining_stack() -> float:
    """Pairs in as many window layers as it takes to join the first token to the last, over the n² of one full layer."""
    return costs.window_path(N, RADIUS) * costs.window_pairs(N, RADIUS) / N**2


@claim("L2.7.strided")
def pairs_of_two_strided_layers() -> float:
    """The same for the two layers that strided attention takes, with stride √n."""
    return 2 * N * (RADIUS + N // RADIUS) / N**2


@claim("S-E1.gradient")
def layers_by_gradient() -> int:
    """Layers of radius 8 until the last of 65 tokens has a gradient with respect to all."""
    return next(row["layers"] for row in table()["paths"] if (row["kind"], row["size"]) == ("window", 8))
