"""A feed-forward layer split into experts, beside a dense one of equal active and one of equal total size.

    python studies/experts.py

A text is the name of one of SOURCES sources, and then PAIRS pairs of a key, drawn without replacement, and its value.
Each source has a table of its own, from every key to one of VALUES values, drawn once for a seed. So a model has
SOURCES · KEYS facts to hold, of log2(VALUES) bits each, and no rule to find: attention can bring the name to the key,
and what comes next must be stored. Two reasons why experts could matter here were given before any run. A narrow layer
cannot hold all facts, and a wide one can; and a key at a source asks for one fact only, so most of a wide layer is not
needed for it. Nothing is measured but how much is held: all texts are fresh, and all facts are seen in training.

What follows was fixed before the first run of a row with experts.
Model. One block of `block_of_today` (its base) with one feed-forward layer, sinusoids, LayerNorm, Adam, UPDATES
updates of BATCH texts; the loss is that of all places. Sizes were settled by six pairs of trial runs of the two dense
rows alone (the first of 1,500 updates), at rate 0.01 with a seed used nowhere else, so that the narrow one stays far
from both ends, 0 and log VALUES, and the wide one gets much further.
Rows. ROWS says the experts, the width of each, how many are chosen, the router, and whether there is a load term. The
dense rows have no router. Top-1 of 8 experts of width R has as many neurons active as dense r, and as many in all as
dense 8r. Top-2 of 8 with half the width has the same active and half in all; top-2 of 16 halves the same active and
the same in all. At this size a router costs as much as 4 or 8 neurons; so dense 2r, which does at least the work of
every row with experts, was added when the operations were counted, before any row had been looked at. "frozen" is
top-1 whose router keeps its random start. "by lot" takes an expert drawn anew for each token each time, with gate 1.
Gates. Top-1: the softmax over all experts at the chosen one. Top-2: the softmax over the two chosen. There is no
noise, and no limit to what an expert takes. The load term is WEIGHT · E · Σ f_e P_e over all tokens of a batch; WEIGHT
is not searched.
Rates. Each of RATES is tried for each row by the SEARCH seeds, and the smallest mean nats a value wins; then come the
SEEDS, which the search has not seen. Three rates were fixed before the first run; the last was the best of "by lot",
so 0.1 was added for all rows after that.
Statistic. Mean nats of the values in TEST fresh texts (not of names and keys, which nobody can know); Welch's test of
the pairs COMPARED, with Holm's correction over all of them, level 0.05. An expert is dead that takes less than DEAD of
the tokens of the TEST texts.
"""

import sys
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from course_lib.results.study import Again, Part, Study
from course_lib.transformer import sinusoidal
from studies.block_of_today import Block, D, seen

SOURCES, KEYS, VALUES, PAIRS = 16, 128, 16, 8
BATCH, UPDATES, TEST, R, WEIGHT, DEAD = 32, 600, 256, 8, 0.01, 0.01
ROWS = {  # experts, neurons of each, chosen, router, load term
    "dense r": (1, R, 1, "none", False),
    "dense 2r": (1, 2 * R, 1, "none", False),
    "dense 8r": (1, 8 * R, 1, "none", False),
    "top-1 of 8": (8, R, 1, "learned", False),
    "top-1 of 8, load": (8, R, 1, "learned", True),
    "top-2 of 8 halves": (8, R // 2, 2, "learned", False),
    "top-2 of 8 halves, load": (8, R // 2, 2, "learned", True),
    "top-2 of 16 halves": (16, R // 2, 2, "learned", False),
    "top-2 of 16 halves, load": (16, R // 2, 2, "learned", True),
    "frozen": (8, R, 1, "frozen", False),
    "by lot": (8, R, 1, "lot", False),
}
COMPARED = (  # the first minus the second
    ("dense 2r", "dense r"),
    ("dense 8r", "dense r"),
    ("top-1 of 8", "dense r"),
    ("top-1 of 8, load", "dense r"),
    ("top-1 of 8, load", "dense 2r"),
    ("top-1 of 8, load", "dense 8r"),
    ("top-1 of 8, load", "top-1 of 8"),
    ("top-2 of 8 halves, load", "top-2 of 8 halves"),
    ("top-2 of 16 halves, load", "top-2 of 16 halves"),
    ("top-2 of 16 halves, load", "top-1 of 8, load"),
    ("frozen", "top-1 of 8"),
    ("frozen", "dense r"),
    ("by lot", "frozen"),
    ("by lot", "dense r"),
)
RATES, SEARCH, SEEDS = (0.003, 0.01, 0.03, 0.1), (100, 101), (0, 1, 2, 3, 4)
AT = (1, 10, 20, 40, 60, 80, 100, 150, 200, 250, 300, 400, 500, 600)  # updates at which the load is kept
KEPT = 3  # first losses of a row
MARK, LETTERS = VALUES + KEYS, VALUES + KEYS + SOURCES  # values, keys, names of sources


def tables(seed: int) -> Tensor:
    """The value [sources, keys] of each key at each source."""
    return torch.randint(VALUES, (SOURCES, KEYS), generator=torch.Generator().manual_seed(2000 + seed))


def texts(b: int, value: Tensor, generator: torch.Generator) -> Tensor:
    """Texts [b, 1 + 2 · PAIRS]: a name, then key and value by turns."""
    source = torch.randint(SOURCES, (b,), generator=generator)
    key = torch.rand(b, KEYS, generator=generator).argsort(-1)[:, :PAIRS]
    pairs = torch.stack([VALUES + key, value[source[:, None], key]], -1).flatten(1)
    return torch.cat([MARK + source[:, None], pairs], 1)


class Experts(nn.Module):
    """E feed-forward layers of width r, of which a router chooses `top` for each token [..., d]. All are computed and
    those not chosen multiplied by 0, which is the same answer; how much work is needed is counted elsewhere."""

    def __init__(self, experts: int, r: int, top: int, router: str) -> None:
        super().__init__()
        self.top, self.router = top, router

        def uniform(*shape: int, inputs: int) -> nn.Parameter:  # as nn.Linear begins
            return nn.Parameter((2 * torch.rand(shape) - 1) / inputs**0.5)

        self.up, self.b_up = uniform(experts, D, r, inputs=D), uniform(experts, r, inputs=D)
        self.down, self.b_down = uniform(experts, r, D, inputs=r), uniform(experts, D, inputs=r)
        self.W_R = uniform(D, experts, inputs=D) if router in {"learned", "frozen"} else None
        if router == "frozen":
            self.W_R.requires_grad_(False)

    def route(self, x: Tensor, lots: Tensor) -> tuple[Tensor, Tensor]:
        """Gates [..., E], 0 where not chosen, and the router's softmax [..., E]. lots: a drawn expert for each token,
        as 0s and a 1."""
        if self.W_R is None:
            return lots, lots
        p = (x @ self.W_R).softmax(-1)
        chosen = p.topk(self.top, -1).indices
        kept = torch.zeros_like(p).scatter(-1, chosen, 1.0) * p
        return (kept if self.top == 1 else kept / kept.sum(-1, keepdim=True)), p

    def forward(self, x: Tensor, lots: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        gates, p = self.route(x, lots)
        hidden = F.relu(torch.einsum("...d,edr->...er", x, self.up) + self.b_up)
        return torch.einsum("...e,...er,erd->...d", gates, hidden, self.down) + gates @ self.b_down, gates, p


class Model(nn.Module):
    """Letters [b, n] to logits [b, n, letters], with the gates [b, n, E] and the router's softmax [b, n, E]."""

    def __init__(self, experts: int, r: int, top: int, router: str) -> None:
        super().__init__()
        self.E, self.block, self.layer = nn.Embedding(LETTERS, D), Block(frozenset()), Experts(experts, r, top, router)
        self.block.up = self.block.down = None  # its own feed-forward layer goes
        self.norm, self.U = nn.LayerNorm(D), nn.Linear(D, LETTERS, bias=False)

    def forward(self, letters: Tensor, lots: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        n = letters.shape[-1]
        x = self.E(letters) + sinusoidal(n, D).to(self.U.weight)
        x = x + self.block.attend(self.block.norms[0](x), seen(n, frozenset()))
        thought, gates, p = self.layer(self.block.norms[1](x), lots)
        return self.U(self.norm(x + thought)), gates, p


def load_term(gates: Tensor, p: Tensor) -> tuple[Tensor, Tensor]:
    """E · Σ f_e P_e, and the shares f [E] of the choices, over tokens [..., E]."""
    f = (gates > 0).to(p).flatten(0, -2).mean(0)
    f = f / f.sum()
    return p.shape[-1] * (f * p.flatten(0, -2).mean(0)).sum(), f


def value_loss(logits: Tensor, batch: Tensor) -> Tensor:
    """Mean nats of the values, which follow the keys."""
    return F.cross_entropy(logits[:, 1::2].flatten(0, 1), batch[:, 2::2].flatten())


def bits(table: Tensor) -> float:
    """Mutual information, in bits, of the row and the column of a table of counts."""
    joint = table / table.sum()
    apart = joint.sum(1, keepdim=True) * joint.sum(0)
    return float((joint * (joint / apart).log2()).nansum())


def _rounded(numbers: Tensor) -> list[float]:
    return [round(each, 3) for each in numbers.tolist()]


def taken(gates: Tensor, batch: Tensor) -> dict:
    """Who takes what, in texts [b, n]: the load; for a name, a value, and a key of each source the share of its choices
    that each expert gets; the bits that an expert's number tells about the source and about the key, at keys."""
    chosen, inputs = (gates > 0).float(), batch[:, :-1]
    E, source = chosen.shape[-1], (inputs[:, :1] - MARK).expand_as(inputs)
    kind = torch.where(inputs >= MARK, SOURCES, torch.where(inputs < VALUES, SOURCES + 1, source))
    count = torch.zeros(SOURCES + 2, E).index_add(0, kind.flatten(), chosen.flatten(0, 1))
    at_key = (inputs >= VALUES) & (inputs < MARK)
    by_key = torch.zeros(KEYS, E).index_add(0, inputs[at_key] - VALUES, chosen[at_key])
    load = count.sum(0) / count.sum()
    share = count / count.sum(1, keepdim=True)
    return {
        "load": _rounded(load),
        "dead": int((load < DEAD).sum()),
        "map": [_rounded(row) for row in share],
        "source": round(bits(count[:SOURCES]), 3),
        "key": round(bits(by_key), 3),
    }


@cache
def pool(seed: int) -> tuple[Tensor, Tensor]:
    """The batches [UPDATES, b, n] of a seed and, for "by lot", a number of an expert for each token; the same for all
    rows."""
    generator, value = torch.Generator().manual_seed(1000 + seed), tables(seed)
    batches = torch.stack([texts(BATCH, value, generator) for _ in range(UPDATES)])
    return batches, torch.randint(8, (UPDATES, BATCH, 2 * PAIRS), generator=generator)


def run(name: str, rate: float, updates: int = UPDATES, seeds: tuple[int, ...] = (*SEARCH, *SEEDS)) -> list[dict]:
    """The trainings of one row at one rate, all seeds side by side and each by itself: a row of the table for each
    seed."""
    experts, r, top, router, term = ROWS[name]
    made = []
    for seed in seeds:
        torch.manual_seed(seed)
        made.append(Model(experts, r, top, router))
    parameters, _ = stack_module_state(made)
    optimiser = torch.optim.Adam([p for p in parameters.values() if p.requires_grad], lr=rate)
    data, lots = (
        torch.stack(each) for each in zip(*(pool(seed) for seed in seeds), strict=True)
    )  # [seeds, updates, b, …]
    forward = vmap(lambda own, letters, lot: functional_call(made[0], own, (letters, lot)))

    def lot_of(drawn: Tensor) -> Tensor:
        return F.one_hot(drawn, 8).float() if router == "lot" else torch.ones(*drawn.shape, 1)

    losses, history = [], {}
    for update in range(updates):
        batch = data[:, update]
        logits, gates, p = forward(parameters, batch[..., :-1], lot_of(lots[:, update]))
        each = F.cross_entropy(logits.flatten(1, 2).mT, batch[..., 1:].flatten(1), reduction="none").mean(1)  # [seeds]
        balance = [load_term(*both) for both in zip(gates, p, strict=True)] if term or update + 1 in AT else []
        loss = each.sum() + (WEIGHT * sum(term for term, _ in balance) if term else 0)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if update < KEPT:
            losses.append(each.tolist())
        if update + 1 in AT:
            history[update + 1] = [f.tolist() for _, f in balance]
    rows = []
    with torch.no_grad():
        test = torch.stack([texts(TEST, tables(seed), torch.Generator().manual_seed(5000 + seed)) for seed in seeds])
        drawn = torch.stack(
            [
                torch.randint(8, (TEST, 2 * PAIRS), generator=torch.Generator().manual_seed(6000 + seed))
                for seed in seeds
            ]
        )
        logits, gates, _ = forward(parameters, test[..., :-1], lot_of(drawn))
    for s, seed in enumerate(seeds):
        row = {
            "row": name,
            "rate": rate,
            "seed": seed,
            "parameters": sum(p.numel() for p in made[0].parameters()),
            "nats": round(value_loss(logits[s], test[s]).item(), 4),
        }
        if experts > 1:
            row |= taken(gates[s], test[s])
            if seed in SEEDS[:2]:  # two are enough to be drawn
                row["loads"] = [[round(share, 3) for share in history[at][s]] for at in AT if at in history]
            else:
                del row["map"]
        rows.append(row | {"losses": [round(loss[s], 5) for loss in losses]})
    return rows


WANTED = [(name, rate) for name in ROWS for rate in RATES]
SETTINGS = {
    "sources": SOURCES, "keys": KEYS, "values": VALUES, "pairs": PAIRS, "batch": BATCH, "updates": UPDATES,
    "test": TEST, "d": D, "r": R, "weight": WEIGHT, "dead_below": DEAD,
    "shapes": {name: list(shape) for name, shape in ROWS.items()}, "compared": COMPARED, "rates": RATES,
    "search": SEARCH, "seeds": SEEDS, "at": AT,
}  # fmt: skip
STUDY = Study(
    "experts",
    SETTINGS,
    {"rows": Part(run, WANTED, key=("row", "rate"))},
    minutes=8,
    again=[
        Again(
            "rows",
            [(row, RATES[-1]) for row in ROWS],
            lambda *key: run(*key, KEPT, SEARCH[:1]),
            ("losses", "parameters"),
            abs=1e-3,
        )
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
