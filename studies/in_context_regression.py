"""Do softmax networks that saw contexts of 4 to 16 points of a noisy line predict as ridge regression does, and for how
many points?

    python studies/in_context_regression.py            (about eight minutes of one core)

Task: a line a + b x with a, b from N(0, 1), points x even in [-1, 1], y = a + b x + noise of deviation SIGMA. A context
is n points, a token is (x, y, 1), a query (x, 0, 0); the answer wanted is a + b x. Fixed before the first run:

Networks: `InContextNetworks` of 1 or 2 layers, tokens of width D, H heads of width M, R hidden units, UPDATES of Adam
on fresh tasks, contexts of FEWEST to MOST points. Rates: RATES; the best of a depth has the smallest error, mean over
CHOSEN_ON points, of the two SEARCH seeds. Then the SEEDS. Test: TASKS fresh tasks for each of COUNTS points, GRID
queries from -1 to 1; the statistic is the root mean square distance from the true line. Controls: the best possible
answer (ridge regression with the penalty SIGMA² in all, known n), the same with the penalty ten times too large, least
squares, the prior mean 0, and "shares": ridge that knows the shares of the points only, with one penalty a point, the
best for FEWEST to MOST points. The networks' distance from the first and the last is kept too.

Changed after the first run had begun: TASKS was lowered for the two longest contexts (memory), before any network's
error had been seen. Four layers were planned as well and are left out, for want of time: one of their four rates was
made and seen. KEEP was named when its row was the best.
"""

import math
import sys
from typing import Any

import torch
from torch import Tensor

from course_lib.checks import trusted
from course_lib.results.study import Again, Part, Study
from course_lib.results.tables import short
from course_lib.universal import InContextNetworks

SIGMA, FEWEST, MOST = 0.5, 4, 16
D, H, M, R = 16, 4, 4, 32
UPDATES, BATCH, QUERIES, WARM = 2000, 32, 8, 100
DEPTHS, RATES, SEARCH, SEEDS = (1, 2), (0.001, 0.003, 0.01, 0.03), (100, 101), (0, 1, 2, 3, 4)
COUNTS, TASKS = (2, 4, 8, 16, 32, 64, 256, 1024), (400, 400, 400, 400, 400, 400, 200, 60)
CHOSEN_ON, GRID = (4, 8, 16), 17
WRONG = 10  # times the right penalty
KEEP = (2, 0.03)  # the row of which a network is stored
KEPT, TEST_SEED = 5, 7_000_003
ALL = (*SEARCH, *SEEDS)


def tasks(*shape: int, n: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Lines [*shape, 2] as (a, b), and contexts [*shape, n, 3] of tokens (x, y, 1)."""
    line, x = torch.randn(*shape, 2, generator=generator), 2 * torch.rand(*shape, n, generator=generator) - 1
    y = line[..., :1] + line[..., 1:] * x + SIGMA * torch.randn(*shape, n, generator=generator)
    return line, torch.stack([x, y, torch.ones_like(x)], -1)


def queries(x: Tensor) -> Tensor:
    """Tokens [..., q, 3] that ask at x [..., q]."""
    return torch.stack([x, torch.zeros_like(x), torch.zeros_like(x)], -1)


def at(line: Tensor, x: Tensor) -> Tensor:
    """Heights [..., q] of lines [..., 2] at x [..., q]."""
    return line[..., :1] + line[..., 1:] * x


def ridge(context: Tensor, penalty: float) -> Tensor:
    """The line [..., 2] that minimises Σ (y - a - b x)² + penalty (a² + b²) over the points of a context [..., n,
    3]."""
    x, y = context[..., 0].double(), context[..., 1].double()
    features = torch.stack([torch.ones_like(x), x], -1)  # [..., n, 2]
    gram = features.mT @ features + penalty * torch.eye(2, dtype=torch.float64)
    return torch.linalg.solve(gram, features.mT @ y[..., None])[..., 0]


def network(layers: int) -> InContextNetworks:
    return InContextNetworks(3, 1, layers, d=D, h=H, m=M, r=R, seeds=ALL)


def train(layers: int, rate: float, until: int = UPDATES) -> tuple[InContextNetworks, list[list[float]]]:
    """The networks of all seeds, and the loss of each at each step."""
    networks = network(layers)
    optimiser, losses = torch.optim.Adam(networks.parameters(), lr=rate), []
    with trusted():
        for step in range(1, until + 1):
            generator = torch.Generator().manual_seed(step)
            n = int(torch.randint(FEWEST, MOST + 1, (1,), generator=generator))
            line, context = tasks(len(ALL), BATCH, n=n, generator=generator)
            x = 2 * torch.rand(len(ALL), BATCH, QUERIES, generator=generator) - 1
            optimiser.param_groups[0]["lr"] = (
                rate * min(1.0, step / WARM) * (0.5 + 0.5 * math.cos(math.pi * step / UPDATES))
            )
            loss = (networks(queries(x), context)[..., 0] - at(line, x)).square().mean((1, 2))  # [k]
            optimiser.zero_grad()
            loss.sum().backward()
            optimiser.step()
            losses.append(loss.tolist())
    return networks, losses


def asked(n: int) -> tuple[Tensor, Tensor, Tensor]:
    """The test's lines [b, 2], contexts [b, n, 3] and places [b, GRID]."""
    many = TASKS[COUNTS.index(n)]
    line, context = tasks(many, n=n, generator=torch.Generator().manual_seed(TEST_SEED + n))
    return line, context, torch.linspace(-1, 1, GRID).expand(many, -1)


def answers(networks: InContextNetworks, context: Tensor, x: Tensor) -> Tensor:
    """[k, b, q] of all networks in the same contexts [b, n, 3] at x [b, q]."""
    k, few = len(networks.W), max(1, 200_000 // context.shape[1] ** 2)  # scores held at a time: some tens of MB
    some = zip(context.split(few), x.split(few), strict=True)
    with torch.no_grad(), trusted():
        return torch.cat(
            [
                networks(queries(x)[None].expand(k, -1, -1, -1), part[None].expand(k, -1, -1, -1))[..., 0]
                for part, x in some
            ],
            1,
        )


def rms(values: Tensor) -> Tensor:
    """The root of the mean square over tasks and queries."""
    return values.double().square().mean((-2, -1)).sqrt()


def share_penalty() -> float:
    """The penalty a point with which ridge, knowing shares only, is best on FEWEST to MOST points: the smallest mean
    square of a list."""
    generator, squares = torch.Generator().manual_seed(TEST_SEED), {}
    drawn = [(tasks(500, n=n, generator=generator), n) for n in range(FEWEST, MOST + 1)]
    x = torch.linspace(-1, 1, GRID).double()
    for each in [SIGMA**2 / 100 * 1.15**i for i in range(40)]:
        squares[each] = sum(
            ((at(ridge(context, each * n), x) - at(line.double(), x)) ** 2).mean().item()
            for (line, context), n in drawn
        )
    return min(squares, key=squares.__getitem__)


def baselines(name: str) -> dict[str, Any]:
    """Errors for each count of an answer in closed form; for "shares" the penalty too."""
    share = share_penalty()
    total = {
        "bayes": lambda n: SIGMA**2,
        "wrong": lambda n: WRONG * SIGMA**2,
        "least squares": lambda n: 1e-9,
        "shares": lambda n: share * n,
    }
    errors = []
    for n in COUNTS:
        line, context, x = asked(n)
        got = 0 if name == "prior" else at(ridge(context, total[name](n)), x.double())
        errors.append(rms(got - at(line, x).double()).item())
    return {"errors": short(torch.tensor(errors)), **({"penalty": round(share, 5)} if name == "shares" else {})}


def run(layers: int, rate: float) -> dict[str, Any]:
    networks, losses = train(layers, rate)
    share = share_penalty()
    table: dict[str, Any] = {"errors": [], "from bayes": [], "from shares": []}
    for n in COUNTS:
        line, context, x = asked(n)
        got = answers(networks, context, x)
        table["errors"].append(short(rms(got - at(line, x))))
        table["from bayes"].append(short(rms(got - at(ridge(context, SIGMA**2), x.double()))))
        table["from shares"].append(short(rms(got - at(ridge(context, share * n), x.double()))))
    saved = {"network": networks.to_text(ALL.index(SEEDS[0]))} if (layers, rate) == KEEP else {}
    return {
        "layers": layers,
        "rate": rate,
        "first": [short(torch.tensor(each)) for each in losses[:KEPT]],
        **table,
        **saved,
    }


WANTED = [(layers, rate) for layers in DEPTHS for rate in RATES]
SETTINGS = {
    "sigma": SIGMA, "points": [FEWEST, MOST], "d": D, "h": H, "m": M, "r": R, "updates": UPDATES, "batch": BATCH,
    "depths": DEPTHS, "rates": RATES,
    "search": SEARCH, "seeds": SEEDS, "counts": COUNTS, "chosen on": CHOSEN_ON, "tasks": TASKS, "wrong": WRONG,
}  # fmt: skip
NAMES = ("bayes", "wrong", "least squares", "prior", "shares")
STUDY = Study(
    "in_context_regression",
    {"settings": SETTINGS},
    {
        "baselines": Part(baselines, {name: (name,) for name in NAMES}),
        "rows": Part(run, WANTED, key=("layers", "rate")),
    },
    minutes=8,
    again=[
        Again("baselines", NAMES, baselines, rel=1e-2),
        Again(
            "rows",
            [(layers, RATES[0]) for layers in DEPTHS],
            lambda *key: train(*key, until=KEPT)[1],
            "first",
            rel=1e-2,
        ),
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
