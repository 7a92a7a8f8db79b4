"""What a feed-forward layer learns: "exactly one of two" beside attention, and random facts by heart.

    python studies/feed_forward.py          (about four minutes of one core)

"exactly_one": four cases of one token, a constant second token; attention with two heads of width 1, or a feed-forward
layer, and a linear read-out, trained by Adam on the squared error: the largest error of the four before the last
update, of each seed. "by_heart": random keys with random labels, a feed-forward layer and a read-out U; the most bits
held up to each of AT updates, and the number of parameters, U's among them.
"""

import math
import sys

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from course_lib.attention import MultiHeadAttention
from course_lib.checks import trusted
from course_lib.results.study import Again, Part, Study
from course_lib.training import train
from course_lib.transformer import FeedForward

SEEDS, RATE, UPDATES = tuple(range(10)), 0.03, 1000
LAYERS = ("attention, 2 heads", "feed-forward, 2 neurons", "feed-forward, 8 neurons")
NUMBER, KINDS, WIDTH = 1600, 16, 16
AT, HIDDEN, DRAWS = (400, 1000, 2000, 4000, 8000), (4, 8, 16, 32, 64), tuple(range(3))
RATES = {4: (0.03,), 8: (0.03,), 16: (0.03,), 32: (0.03,), 64: (0.03, 0.01)}  # of each r
KEPT = 5  # first losses of a row
F64 = {"dtype": torch.float64}
TOKEN = torch.tensor(
    [[0, 0, 1, 0], [0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 0]], **F64
)  # a, b, the constant 1, room for an answer
WANTED = torch.tensor([0.0, 1.0, 1.0, 0.0], **F64)


def exactly_one(name: str, rate: float, updates: int = UPDATES) -> dict:
    """The trainings of one layer on the four cases, all seeds at once: side by side, and each by itself."""
    X = torch.stack([TOKEN, torch.zeros_like(TOKEN)], 1)  # [4, 2, d]: the second token is 0
    made, ends = [], []
    for seed in SEEDS:
        generator = torch.Generator().manual_seed(seed)
        drawn = {"generator": generator, **F64}
        made.append(
            MultiHeadAttention(4, 1, 2, **drawn)
            if name.startswith("attention")
            else FeedForward(4, int(name.split()[1]), **drawn)
        )
        ends.append(torch.randn(4, generator=generator, **F64) / 2)
    parameters, _ = stack_module_state(made)
    u, c = nn.Parameter(torch.stack(ends)), nn.Parameter(torch.zeros(len(SEEDS), **F64))
    optimiser, losses = torch.optim.Adam([*parameters.values(), u, c], lr=rate), []

    def answers(parameters: dict, u: Tensor, c: Tensor) -> Tensor:
        looked = functional_call(made[0], parameters, (X,))
        return (
            TOKEN + (looked if isinstance(looked, Tensor) else looked.output)[:, 0]
        ) @ u + c  # a feed-forward layer sees the second token too, in vain

    with trusted():
        for _ in range(updates):
            error = vmap(answers)(parameters, u, c) - WANTED  # [seeds, 4]
            loss = error.square().mean(1)
            optimiser.zero_grad()
            loss.sum().backward()
            optimiser.step()
            losses.append(loss.tolist())
    largest = error.abs().max(1).values.tolist()
    return {
        "layer": name,
        "rate": rate,
        "errors": [round(e, 4) for e in largest],
        "losses": [[round(e, 6) for e in row] for row in losses[:KEPT]],
    }


def by_heart(r: int, rate: float, seed: int, at: tuple[int, ...] = AT) -> dict:
    """One training on random facts. The keys and labels are the seed's, whatever r is."""
    generator = torch.Generator().manual_seed(seed)
    keys, labels = torch.randn(NUMBER, WIDTH, generator=generator), torch.randint(KINDS, (NUMBER,), generator=generator)
    layer, U = (
        FeedForward(WIDTH, r, generator=generator),
        nn.Parameter(torch.randn(WIDTH, KINDS, generator=generator) / WIDTH**0.5),
    )
    optimiser = torch.optim.Adam([*layer.parameters(), U], lr=rate)
    losses = train(
        layer, lambda step: keys, lambda layer, keys: F.cross_entropy(layer(keys) @ U, labels), optimiser, at[-1]
    )
    bits = [round(NUMBER * (math.log2(KINDS) - min(losses[:update]) / math.log(2))) for update in at]
    parameters = sum(p.numel() for p in layer.parameters()) + U.numel()
    return {
        "r": r,
        "rate": rate,
        "seed": seed,
        "parameters": parameters,
        "bits": bits,
        "losses": [round(loss, 5) for loss in losses[:KEPT]],
    }


STUDY = Study(
    "feed_forward",
    {"updates": UPDATES, "number": NUMBER, "kinds": KINDS, "width": WIDTH, "at": AT},
    {
        "exactly_one": Part(exactly_one, [(name, RATE) for name in LAYERS], key=("layer", "rate")),
        "by_heart": Part(
            by_heart,
            [(r, rate, seed) for r in HIDDEN for rate in RATES[r] for seed in DRAWS],
            key=("r", "rate", "seed"),
        ),
    },
    minutes=4,
    again=[
        Again(
            "exactly_one",
            [(name, RATE) for name in LAYERS],
            lambda *key: exactly_one(*key, KEPT),
            ("losses",),
            abs=1e-5,
        ),
        Again(
            "by_heart",
            [(r, 0.03, DRAWS[0]) for r in (4, 64)],
            lambda *key: by_heart(*key, (KEPT,)),
            ("losses", "parameters"),
            abs=1e-3,
        ),
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
