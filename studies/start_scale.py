"""With and without the division by √m, from the first step to the last: does a softmax that starts saturated still
learn?

    python studies/start_scale.py            about 5 minutes of one CPU core

The look-up: one head, n tokens of width d with independent normal entries; a token is asked for by its own vector,
turned by a fixed rotation, and the head's average of values is to be the value of that token. Only W_Q and W_K are
learned, by Adam; the loss is the mean square error. Each width is trained at every rate, in five seeds, with the
division and without, on the same batches from the same start. The phrases: the head with W_V of the page *Attention,
derived*, from many random starts. And the explorer's own model, with its widest heads.
"""

import sys

import torch
from torch import Tensor

from course_lib.graphs.explorer import Run, Settings
from course_lib.results.study import Again, Part, Study

D, TOKENS, C, BATCH, TEST = 16, 12, 8, 32, 128  # widths of tokens and values, sequences of a step and of the measure
WIDTHS, RATES, SEEDS = (16, 64, 256, 1024), (0.001, 0.003, 0.01, 0.03), range(1, 6)
STEPS, EACH = 400, 10  # updates of a run, and from one measure to the next
PHRASE_WIDTHS, PHRASE_RATES, STARTS, PHRASE_STEPS = (2, 16, 64, 256), (0.01, 0.05), 100, 500  # starts of each seed
STUCK = 0.5  # a loss above it: the output is still (0, 0) or worse, which costs 1
EXPLORER, EXPLORER_STEPS, EXPLORER_EACH = {"m": 32}, 300, 25


def batch(draw: torch.Generator, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Tokens [count, n, d], values [count, n, c], and which token is asked for [count]."""
    X, V = torch.randn(count, TOKENS, D, generator=draw), torch.randn(count, TOKENS, C, generator=draw)
    return X, V, torch.randint(TOKENS, (count,), generator=draw)


def look_up(m: int, rate: float, steps: int = STEPS) -> list[dict]:
    """A row for each seed, with the division and without: the share of tokens found at step 0, EACH, 2·EACH, …

    The ten runs are one product of matrices with an axis for the run.
    """
    runs = [(divided, seed) for divided in (True, False) for seed in SEEDS]
    draws = [torch.Generator().manual_seed(seed) for seed in SEEDS]
    turns = torch.stack([torch.linalg.qr(torch.randn(D, D, generator=draw))[0] for draw in draws])

    def twice(parts: list[Tensor]) -> Tensor:
        return torch.stack(parts * 2)

    W_Q, W_K = ([torch.randn(D, m, generator=draw) / D**0.5 for draw in draws] for _ in range(2))
    W_Q, W_K = twice(W_Q).requires_grad_(), twice(W_K).requires_grad_()
    scale = torch.tensor([m**-0.5 if divided else 1.0 for divided, _ in runs])[:, None, None]
    tested = [batch(draw, TEST) for draw in draws]

    def read(batches: list) -> tuple[Tensor, Tensor]:
        """Each run's loss, and its share of tokens found."""
        X, V, asked = (twice(list(part)) for part in zip(*batches, strict=True))
        rows = torch.arange(X.shape[1])
        wanted = torch.stack([x[rows, t] for x, t in zip(X, asked, strict=True)])  # [runs, b, d]
        q, K = wanted @ twice(list(turns)) @ W_Q, (X.flatten(1, 2) @ W_K).unflatten(1, X.shape[1:3])
        S = (K @ q[..., None])[..., 0] * scale  # [runs, b, n]
        given = (S.softmax(-1)[:, :, None] @ V)[:, :, 0]  # [runs, b, c]
        target = torch.stack([v[rows, t] for v, t in zip(V, asked, strict=True)])
        return (given - target).square().mean((1, 2)), (S.argmax(-1) == asked).float().mean(1)

    adam, shares = torch.optim.Adam([W_Q, W_K], lr=rate), []
    for step in range(steps + 1):
        if step % EACH == 0:
            with torch.no_grad():
                shares.append(read(tested)[1])
        losses, _ = read([batch(draw, BATCH) for draw in draws])
        adam.zero_grad()
        losses.sum().backward()
        adam.step()
    found = torch.stack(shares, 1).tolist()  # [runs, measures]
    return [
        {"m": m, "rate": rate, "divided": divided, "seed": seed, "found": [round(share, 3) for share in row]}
        for (divided, seed), row in zip(runs, found, strict=True)
    ]


def phrases(m: int, rate: float, divided: bool) -> dict:
    """How many of each seed's starts are stuck after PHRASE_STEPS updates: *small house* and *small houses*, maps drawn
    with variance 1/d."""
    words = torch.tensor([[[-1.0, 0.0], [1.0, 1.0]], [[-1.0, 0.0], [1.0, -1.0]]])  # [2, n, d]
    wanted = torch.tensor([[0.0, 1.0], [0.0, -1.0]])  # [2, d], for the first word of each phrase
    draws = [torch.Generator().manual_seed(seed) for seed in SEEDS]
    maps = [
        torch.cat([torch.randn(STARTS, 1, 2, width, generator=draw) for draw in draws]) / 2**0.5 for width in (m, m, 2)
    ]
    adam = torch.optim.Adam([W.requires_grad_() for W in maps], lr=rate)
    for _ in range(PHRASE_STEPS + 1):
        Q, K, V = (words @ W for W in maps)
        A = (Q @ K.mT * (m**-0.5 if divided else 1.0)).softmax(-1)  # [starts, 2, n, n]
        losses = ((A @ V)[..., 0, :] - wanted).square().sum(-1).mean(-1)
        adam.zero_grad()
        losses.sum().backward()
        adam.step()
    return {"m": m, "rate": rate, "divided": divided, "stuck": (losses > STUCK).view(-1, STARTS).sum(1).tolist()}


def explorer(divided: bool, seed: int, steps: int = EXPLORER_STEPS) -> dict:
    """A run of the explorer: its share of right answers after every EXPLORER_EACH steps."""
    run, right = Run(Settings(**EXPLORER, scaled=divided, seed=seed)), []
    for step in range(1, steps + 1):
        run.step()
        if step % EXPLORER_EACH == 0:
            right.append(round(run.accuracy(), 4))
    return {"divided": divided, "seed": seed, "right": right}


STUDY = Study(
    "start_scale",
    {
        "d": D, "tokens": TOKENS, "c": C, "batch": BATCH, "test": TEST, "steps": STEPS, "each": EACH,
        "rates": list(RATES),
        "phrases": {"starts": STARTS, "steps": PHRASE_STEPS, "above": STUCK},
        "explorer": {**EXPLORER, "each": EXPLORER_EACH},
    },
    {
        "rows": Part(look_up, [(m, rate) for m in WIDTHS for rate in RATES], key=("m", "rate")),
        "phrases_stuck": Part(phrases, [(m, rate,
        divided) for m in PHRASE_WIDTHS for rate in PHRASE_RATES for divided in (True, False)], key=("m", "rate",
        "divided")),
        "explored": Part(explorer, [(divided, seed) for divided in (True, False) for seed in SEEDS], key=("divided",
        "seed")),
    },
    minutes=5,
    again=[
        Again("rows", [(m, 0.003) for m in WIDTHS[:3]], lambda m, rate: look_up(m, rate, 2 * EACH), ("divided", "seed",
        "found"), abs=0.02),
        Again("phrases_stuck", [(2, 0.05, True), (2, 0.05, False)], phrases, ("stuck",), abs=1),
        Again("explored", [(False, 1)], lambda *key: explorer(*key, EXPLORER_EACH), ("right",), abs=0.02),
    ],
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
