"""Chapter 5's page on universality: what networks cannot see, and the stored study of trained ones (G2.4)."""

import math

import numpy as np
import torch

from course_lib.incontext import Heads, Measure, attention, tokenwise
from course_lib.results import load
from course_lib.universal import InContextNetworks

from . import claim, rounding

COUNTS = (2, 4, 8, 16, 64, 256, 1024, 4096)


def runs() -> dict:
    return load("in_context_targets")["runs"]


def error(key: str, n: int, part: str = "own") -> float:
    """Mean over the five networks of the root mean square error at n tokens."""
    return float(np.mean(runs()[key][part][COUNTS.index(n)]))


def stored_network(target: str, layers: int) -> InContextNetworks:
    network = InContextNetworks(1, 1, layers, d=4)
    network.read_text(runs()[f"{target} | theorem | {layers}"]["network"])
    return network


def runs_of_one_layer() -> list[str]:
    """The networks of one layer on the kernel target that have attention."""
    return [key for key in runs() if key.startswith("kernel") and key.endswith("| 1") and "no context" not in key]


@claim("G2.4.split")
def change_when_every_token_is_doubled() -> float:
    network, random = stored_network("kernel", 4).double(), torch.Generator().manual_seed(0)
    x, cloud = (2 * torch.rand(1, 1, n, 1, generator=random, dtype=torch.float64) - 1 for n in (33, 20))
    with torch.no_grad():
        return rounding((network(x, cloud) - network(x, cloud.repeat(1, 1, 2, 1))).abs().max().item(), 1e-10)


@claim("G2.4.jump")
def jump_of_the_maximum() -> float:
    """(1 - 1/k) δ₀ + (1/k) δ₁ converges to δ₀; the maximum of the atoms does not."""
    near, limit = Measure([[0.0], [1.0]], [1 - 1e-6, 1e-6]), Measure([[0.0]])
    return float(near.atoms[near.weights > 0].max() - limit.atoms.max())


@claim("G2.4.smooth")
def jump_of_the_smoothed_rank(k: int = 1000) -> float:
    """The rank of 0 in δ_{1/k}, less that in δ₀."""
    return abs(1 / (1 + math.exp(1 / k / 0.1)) - 0.5)


@claim("G2.4.one_layer")
def least_error_of_one_layer() -> float:
    """δ₀ and ½δ₋₁ + ½δ₁ have one mean; the kernel target at 0 has two values. Half of their distance."""
    return (1 - math.exp(-1 / (2 * 0.25**2))) / 2


# --- the stored study ---------------------------------------------------------------------------------------------------


@claim("G2.4.centred")
def error_of_centred_one_layer() -> float:
    return error("centred | theorem | 1", 64)


@claim("G2.4.rank")
def error_of_rank_four_layers() -> float:
    return error("rank | theorem | 4", 64)


@claim("G2.4.kernel")
def error_of_kernel_four_layers() -> float:
    return error("kernel | theorem | 4", 64)


@claim("G2.4.shallow")
def error_of_kernel_one_layer() -> float:
    return error("kernel | theorem | 1", 64)


@claim("G2.4.alone")
def error_of_kernel_without_context() -> float:
    return error("kernel | no context | 1", 64)


@claim("G2.4.few")
def error_of_kernel_at_2_tokens() -> float:
    return error("kernel | theorem | 4", 2)


@claim("G2.4.many")
def error_of_kernel_at_4096_tokens() -> float:
    return error("kernel | theorem | 4", 4096)


def side_by_side(sums: list[list[list[tuple[float, ...]]]]) -> list:
    """Theorem thm-products on a line: for each coordinate a sum of products of factors (a, b, c, v); tokens (x, s, p, g) of width 1 + 3 d'."""
    count, steps = len(sums), max(sum(map(len, products)) for products in sums)
    rows = []  # of each coordinate: its factors, each with whether it is the last of its product
    for products in sums:
        row = [(factor, i == len(product) - 1) for product in products for i, factor in enumerate(product)]
        rows.append(row + [((0.0, 0.0, 0.0, 0.0), True)] * (steps - len(row)))  # further products of the one factor 0

    def token_map(done):  # after `done` factors: multiply, add where a product ends, begin the next factor
        def f(z):
            x, s, p, g = z[:, :1], *np.split(z[:, 1:], 3, 1)
            if done:
                ends = np.array([row[done - 1][1] for row in rows])
                p = p * g
                s, p = s + p * ends, np.where(ends, 1.0, p)
            else:
                s, p = np.zeros_like(s), np.ones_like(p)
            a, b, _, _ = np.transpose([row[done % steps][0] for row in rows])
            return np.concatenate([x, s, p, a * x + b], 1)

        return f

    reads = np.eye(1 + 3 * count)[1 + 2 * count :, :, None]  # head i sees g_i and nothing else: [d', 1 + 3 d', 1]
    nothing = attention(Heads(*(np.zeros_like(reads),) * 3, np.zeros_like(reads.swapaxes(1, 2)), scale=1.0))
    layers = [nothing, tokenwise(token_map(0))]
    for j in range(steps):
        c, v = (np.array([row[j][0][k] for row in rows])[:, None, None] for k in (2, 3))
        layers += [attention(Heads(reads, c * reads, reads, v * reads.swapaxes(1, 2), scale=1.0)), tokenwise(token_map(j + 1))]
    return layers


def layers_for_outputs(outputs: int) -> int:
    """Layers for as many coordinates, of which the longest sum has five factors."""
    return len(side_by_side([[[(1.0, 0.0, 1.0, 1.0)] * 2, [(1.0, 0.0, 1.0, 1.0)] * 3]] * outputs)) // 2


@claim("G-E48.one")
def layers_for_one_coordinate() -> int:
    return layers_for_outputs(1)


@claim("G-E48.four")
def layers_for_four_coordinates() -> int:
    return layers_for_outputs(4)


@claim("G2.4.proof")
def layers_of_the_networks_from_the_proof(products: int = 300, factors: int = 3) -> int:
    """One layer a factor, and the first; the tests build a small one."""
    return products * factors + 1
