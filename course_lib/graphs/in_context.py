"""What answers a query in a context, as page graphs: the networks of `course_lib.universal`."""

import torch
from torch import Tensor

from course_lib.graphs.trace import PRIMES, acting, trace
from course_lib.universal import InContextNetworks


def answering(layers: int, m: int) -> dict:
    """Inputs: x [1, 1, q, d], cloud [1, 1, n, d], points with zeros behind, and the parameters, in the order of
    `to_text`. Output: answers [1, 1, q, 1]."""
    named = dict(zip(PRIMES, ("q", "d", "n", "h", "r"), strict=False))
    network = InContextNetworks(PRIMES[1], 1, layers, d=PRIMES[1], h=PRIMES[3], m=m, r=PRIMES[4])

    def step(x: Tensor, cloud: Tensor, **given: Tensor) -> dict:
        network.d_in = network.d = x.shape[-1]  # stays free; m becomes a number, for the scores' root
        given |= {
            name: torch.stack([W[..., i] for i in range(m)], -1)
            for name, W in given.items()
            if name[:3] in ("W_Q", "W_K", "W_V")
        }
        return {"answers": acting(network, given, lambda network: network(x, cloud))}

    shapes = {name: tuple(named.get(size, size) for size in each.shape) for name, each in network.named_parameters()}
    return trace(f"in_context_{layers}_{m}", step, {"x": (1, 1, "q", "d"), "cloud": (1, 1, "n", "d")} | shapes)
