"""Networks of the universality theorem's form: torch against NumPy and loops, and what the stored study says."""

import numpy as np
import pytest
import torch

from course_lib.incontext import Heads, Measure, attention, stack, tokenwise
from course_lib.results import load
from course_lib.universal import InContextNetworks
from studies import in_context_targets as study
from tests.shared.refusals import named
from tests.shared.seeded import F64, rng, seeded

RUNS = load("in_context_targets")["runs"]


def in_numpy(networks: InContextNetworks, network: int, context, x: np.ndarray) -> np.ndarray:
    """The answers at x by course_lib.incontext, each layer composed with ⋄."""
    lift, layers, W, b = networks.exported(network)
    maps = [each for heads, token_map in layers for each in (attention(heads), tokenwise(token_map))]
    lifted = context.push(lambda atoms: atoms @ lift) if isinstance(context, Measure) else context @ lift
    return stack(*maps)(lifted, x @ lift) @ W + b


# ---- the network
@pytest.mark.parametrize(("d_in", "h", "m", "layers"), [(1, 1, 1, 1), (1, 1, 1, 3), (2, 3, 2, 2)])
def test_torch_equals_the_diamond_in_numpy(d_in, h, m, layers):
    networks = InContextNetworks(d_in, 2, layers, d=5, h=h, m=m, r=7, seeds=(0, 1), **F64)
    random = rng()
    x, cloud = random.uniform(-1, 1, (2, 3, 4, d_in)), random.uniform(-1, 1, (2, 3, 9, d_in))
    got = networks(torch.tensor(x), torch.tensor(cloud)).detach().numpy()
    for network, b in np.ndindex(2, 3):
        np.testing.assert_allclose(
            got[network, b], in_numpy(networks, network, cloud[network, b], x[network, b]), rtol=0, atol=1e-10
        )


def test_networks_trained_together_do_not_touch():
    """Network s is the same whatever stands beside it, and a cloud of one network changes no other."""
    alone, pair = (
        InContextNetworks(1, 1, 2, d=4, seeds=(7,), **F64),
        InContextNetworks(1, 1, 2, d=4, seeds=(3, 7), **F64),
    )
    random = seeded()
    x, cloud = (torch.rand(2, 5, n, 1, generator=random, **F64) for n in (3, 8))
    torch.testing.assert_close(pair(x, cloud)[1:], alone(x[1:], cloud[1:]), rtol=0, atol=1e-12)
    pair(x, cloud)[0].sum().backward()
    assert all((parameter.grad[1] == 0).all() for parameter in pair.parameters() if parameter.grad is not None)


def test_a_network_without_attention_ignores_its_cloud():
    networks = InContextNetworks(1, 1, 1, d=4, context=False)
    x, cloud = torch.rand(1, 2, 3, 1, generator=seeded()), torch.zeros(1, 2, 4, 1)
    assert torch.equal(networks(x, cloud), networks(x, cloud + 1))
    with pytest.raises(ValueError, match="context"):
        networks.exported(0)


def test_text_keeps_every_bit():
    networks, others = InContextNetworks(1, 1, 2, d=4, seeds=(0, 1)), InContextNetworks(1, 1, 2, d=4, seeds=(5,))
    others.read_text(networks.to_text(1))
    assert all(
        torch.equal(mine[0], theirs[1]) for mine, theirs in zip(others.parameters(), networks.parameters(), strict=True)
    )
    with pytest.raises(ValueError, match="text"):
        others.read_text(networks.to_text(1)[:-8])


test_errors_name_the_argument = named(
    (lambda: InContextNetworks(1, 1, 1, d=0), "d must"),
    (lambda: InContextNetworks(1, 1, 1, d=4, seeds=()), "seeds must"),
)


# ---- the proof's network


def side_by_side(sums: list[list[list[tuple[float, ...]]]]) -> list:
    """Theorem thm-products on a line: for each coordinate a sum of products of factors (a, b, c, v); tokens (x, s, p,
    g) of width 1 + 3 d'."""
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
        layers += [
            attention(Heads(reads, c * reads, reads, v * reads.swapaxes(1, 2), scale=1.0)),
            tokenwise(token_map(j + 1)),
        ]
    return layers


@pytest.mark.parametrize("outputs", [1, 2, 4])
def test_more_outputs_take_more_heads_and_no_more_layers(
    outputs,
):  # G-E48: each coordinate with factors of its own, against loops
    random = rng(outputs)
    shapes = ((2, 1, 2), (3,), (1,), (1, 2))[
        :outputs
    ]  # factors in each product of each coordinate: 5, 3, 1 and 3 in all
    sums = [[[tuple(random.normal(size=4)) for _ in range(k)] for k in shape] for shape in shapes]
    layers = side_by_side(sums)
    assert len(layers) == 2 * (5 + 1)  # attention and token map, for the five factors of the longest sum and the start
    cloud, x = random.uniform(-1, 1, (7, 1)), random.uniform(-1, 1, (3, 1))
    got = stack(*layers)(*(np.pad(points, ((0, 0), (0, 3 * outputs))) for points in (cloud, x)))[:, 1 : 1 + outputs]
    for point, values in zip(x[:, 0], got, strict=True):
        for products, value in zip(sums, values, strict=True):
            total = 0.0
            for product in products:
                term = 1.0
                for a, b, c, v in product:
                    u, U = a * point + b, a * cloud[:, 0] + b
                    weights = np.exp(c * u * U)
                    term *= u + v * (weights @ U) / weights.sum()
                total += term
            assert value == pytest.approx(total, abs=1e-10)


# ---- the study


def error(key: str, n: int) -> float:
    """Mean over the five networks of the root mean square error at n tokens."""
    return float(np.mean(RUNS[key]["own"][study.COUNTS.index(n)]))


def test_the_study_says_what_the_page_says():  # G2.4
    kernel = error("kernel | theorem | 4", 64)
    shallow = error("kernel | theorem | 1", 64)
    alone = error("kernel | no context | 1", 64)
    assert kernel < 0.6 * shallow < 0.4 * alone
