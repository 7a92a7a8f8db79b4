"""Recall against the size of the state: softmax attention beside three recurrences with a state of fixed size.

    python studies/linear_recurrences.py

A text is WRITES tokens, each with a key (one of KEYS letters) and a value (one of VALUES letters), and then keys that
are asked: the right answer is the value that was written last with that key. In the task "once" there are WRITES
different keys, and all are asked. In "twice" there are half as many, each written twice in a random order, with values
drawn anew; each is asked once. One layer is trained, with nothing round it but an embedding, a norm and a read-out, so
that what is measured is what the layer holds.

Everything up to the statistic was fixed before the first run of the table. One seed, used nowhere else, had been tried
with m of 8 and 32, two rates and 300 updates. Every layer learned, and with m = 8 all were above 0.9 at "once": so 4
and 16 were added to the sizes, and nothing else was changed.

Model. A token is the sum of the vectors of its key and its value, and the sinusoids of its place. One that asks has
its key and the place WRITES, and writes nothing. Queries and keys have m entries, values d. Softmax attends to all
tokens that were written; in the other layers the query reads the state after the last of them. "linear": the state is
the sum of v kᵀ. "decay": each token multiplies the state by a number in (0, 1) first, a sigmoid of the token. "delta":
each token takes away a part of what the state says at its key (the part is a sigmoid of the token), and puts the same
part of its value there. These three norm queries and keys to length 1. What the layer gives is normed (LayerNorm
without numbers) and read out, so the width and all else are equal; a gate costs d + 1 numbers, and each of the m
entries costs 2d.
Size. A state has m · d numbers, for m of STATES; softmax keeps WRITES · (m + d).
Rates. Each of RATES is tried by the SEARCH seeds, and the largest mean share of right answers wins; then come the
SEEDS, which the search has not seen.
Statistic. The share of right answers in TEST fresh texts; Welch's test of the pairs COMPARED at each task and size,
with Holm's correction over all of them, level 0.05.

"alike" was added after the table had been looked at. Some trainings of the recurrences, and none of softmax, had ended
far below the others of their row; in one that was opened, queries and keys of the same letter had negative products.
So the SEEDS of every row are trained again with W_K equal to W_Q at the start, at ALIKE_RATE, which most rows had
chosen (no search), on the same texts, with the same statistic and pairs, and a Holm correction of its own.
"""

import sys
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor

from course_lib.results.study import Again, Part, Study
from course_lib.transformer import sinusoidal

LAYERS, TASKS, STATES = ("softmax", "linear", "decay", "delta"), ("once", "twice"), (4, 8, 16, 32)
KEYS, VALUES, WRITES, D = 32, 16, 16, 64
BATCH, UPDATES, TEST = 32, 600, 512
RATES, SEARCH, SEEDS = (0.001, 0.003, 0.01), (100, 101), (0, 1, 2, 3, 4)
COMPARED = (
    ("linear", "softmax"),
    ("delta", "softmax"),
    ("decay", "linear"),
    ("delta", "linear"),
)  # the first minus the second
ALIKE_RATE = 0.003
KEPT = 3  # first losses of a row


def texts(task: str, b: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Keys and values that are written [b, WRITES], keys that are asked and their right answers [b, WRITES or half of
    it]."""
    different = WRITES if task == "once" else WRITES // 2
    asked = torch.rand(b, KEYS, generator=generator).argsort(-1)[:, :different]
    order = torch.rand(b, WRITES, generator=generator).argsort(-1) % different
    keys = asked.gather(1, order)
    values = torch.randint(VALUES, (b, WRITES), generator=generator)
    last = ((keys[:, None] == asked[:, :, None]) * torch.arange(1, WRITES + 1)).argmax(-1)
    return keys, values, asked, values.gather(1, last)


def parameters(m: int, seed: int) -> dict[str, Tensor]:
    """All numbers of a model with queries and keys of m entries."""
    draw = torch.Generator().manual_seed(seed)

    def normal(*shape: int, scale: float = 1.0) -> Tensor:
        return scale * torch.randn(*shape, generator=draw)

    within = D**-0.5
    return {
        "key": normal(KEYS, D), "value": normal(VALUES, D), "W_V": normal(D, D, scale=within), "U": normal(D, VALUES,
        scale=within),
        "gate": normal(D, scale=0.1 * within), "bias": torch.zeros(()), "W_Q": normal(D, m, scale=within),
        "W_K": normal(D, m, scale=within),
    }  # fmt: skip


def read(layer: str, q: Tensor, k: Tensor, v: Tensor, gate: Tensor) -> Tensor:
    """What queries [..., a, m] read [..., a, c] after all n tokens, with keys [..., n, m], values [..., n, c] and
    logits of their gates [..., n].

    Parallel forms; each is a recurrence over the tokens with a state of m · c numbers, except softmax.
    """
    if layer == "softmax":
        return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v
    q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
    if layer == "decay":  # what is left of a token at the end: the product of the numbers after its own
        kept = F.logsigmoid(gate + 4)  # 0.98 for each token at the start
        v = (kept.flip(-1).cumsum(-1).flip(-1) - kept).exp()[..., None] * v
    if layer == "delta":  # u_t = β_t (v_t − Σ_{i<t} (k_t·k_i) u_i): a triangular system
        part = gate.sigmoid()[..., None]
        within = (part * (k @ k.mT)).tril(-1) + torch.eye(k.shape[-2], dtype=k.dtype)
        v = torch.linalg.solve_triangular(within, part * v, upper=False)
    return (q @ k.mT) @ v


def answers(layer: str, own: dict[str, Tensor], keys: Tensor, values: Tensor, asked: Tensor) -> Tensor:
    """Logits [s, b, asked, VALUES] of s models, each with texts [s, b, …] of its own."""
    place, models = sinusoidal(WRITES + 1, D).to(own["key"]), torch.arange(len(keys))[:, None, None]
    x = own["key"][models, keys] + own["value"][models, values] + place[:WRITES]
    query = own["key"][models, asked] + place[WRITES]
    q, k, v = (a @ own[name][:, None] for a, name in ((query, "W_Q"), (x, "W_K"), (x, "W_V")))
    gate = (x @ own["gate"][:, None, :, None])[..., 0] + own["bias"][:, None, None]
    return F.layer_norm(read(layer, q, k, v, gate), (D,)) @ own["U"][:, None]


@cache
def pool(task: str, seed: int) -> tuple[Tensor, ...]:
    """The UPDATES batches of a seed, the same for all layers and sizes."""
    generator = torch.Generator().manual_seed(1000 + seed)
    return tuple(
        torch.stack(part) for part in zip(*(texts(task, BATCH, generator) for _ in range(UPDATES)), strict=True)
    )


def run(
    task: str,
    layer: str,
    m: int,
    rate: float,
    updates: int = UPDATES,
    seeds: tuple[int, ...] = (*SEARCH, *SEEDS),
    alike: bool = False,
) -> list[dict]:
    """The trainings of one layer at one rate, all seeds side by side and each by itself: a row of the table for each
    seed. alike: W_K starts as W_Q."""
    made = [parameters(m, seed) for seed in seeds]
    if alike:
        made = [each | {"W_K": each["W_Q"].clone()} for each in made]
    own = {name: torch.stack([each[name] for each in made]).requires_grad_() for name in made[0]}
    optimiser = torch.optim.Adam(own.values(), lr=rate)
    data = [torch.stack(part) for part in zip(*(pool(task, seed) for seed in seeds), strict=True)]  # [s, updates, b, …]
    losses = []
    for update in range(updates):
        keys, values, asked, right = (part[:, update] for part in data)
        logits = answers(layer, own, keys, values, asked)
        each = F.cross_entropy(logits.flatten(0, 2), right.flatten(), reduction="none").view(len(seeds), -1).mean(1)
        optimiser.zero_grad()
        each.sum().backward()
        optimiser.step()
        if update < KEPT:
            losses.append(each.tolist())
    test = [
        torch.stack(part)
        for part in zip(*(texts(task, TEST, torch.Generator().manual_seed(5000 + seed)) for seed in seeds), strict=True)
    ]
    with torch.no_grad():
        share = (answers(layer, own, *test[:3]).argmax(-1) == test[3]).double().mean((1, 2)).tolist()
    count = sum(
        each.numel() for name, each in made[0].items() if layer in {"decay", "delta"} or name not in {"gate", "bias"}
    )
    common = {"task": task, "layer": layer, "m": m, "rate": rate}
    return [
        common
        | {"seed": seed, "parameters": count, "right": round(share[s], 4), "losses": [round(e[s], 5) for e in losses]}
        for s, seed in enumerate(seeds)
    ]


def run_alike(task: str, layer: str, m: int) -> list[dict]:
    return run(task, layer, m, ALIKE_RATE, seeds=SEEDS, alike=True)


WANTED = [(task, layer, m, rate) for task in TASKS for layer in LAYERS for m in STATES for rate in RATES]
SETTINGS = {
    "layers": LAYERS, "tasks": TASKS, "states": STATES, "keys": KEYS, "values": VALUES, "writes": WRITES, "d": D,
    "batch": BATCH, "updates": UPDATES, "test": TEST,
    "rates": RATES, "search": SEARCH, "seeds": SEEDS, "compared": COMPARED,
}  # fmt: skip
ALIKE = [(task, layer, m) for task in TASKS for layer in LAYERS for m in STATES]
PARTS = {
    "rows": Part(run, WANTED, key=("task", "layer", "m", "rate")),
    "alike": Part(run_alike, ALIKE, key=("task", "layer", "m")),
}
STUDY = Study(
    "linear_recurrences",
    SETTINGS,
    PARTS,
    minutes=25,
    again=[
        Again(
            "rows",
            [(task, layer, STATES[1], RATES[-1]) for task in TASKS for layer in LAYERS],
            lambda *key: run(*key, KEPT, SEARCH[:1]),
            ("losses", "parameters"),
            abs=1e-3,
        ),
        Again(
            "alike",
            [("twice", layer, 8) for layer in LAYERS],
            lambda *key: run(*key, ALIKE_RATE, KEPT, SEEDS[:1], alike=True),
            ("losses",),
            abs=1e-3,
        ),
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
