"""How the loss falls with size and with text, and what the rate's schedule, weight decay and bfloat16 have to do with
it.

    python studies/scaling.py

Small decoders read letters whose least possible loss is known exactly: in "triples" a letter hangs on the two before
it, in "pairs" on one. What is stored is the *excess* over that loss, on held-out texts. Rows differ in width, updates,
schedule, decay and how often a text comes again; each has a rate of its own, searched by two seeds and given to five
others. "formats" keeps the weights in three ways. What was fixed before the first run, the fits and the tests stand in
`scaling.md`.
"""

import math
import sys
from collections.abc import Callable
from functools import cache, partial
from statistics import mean

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from course_lib.results.study import Again, Part, Study
from course_lib.transformer import sinusoidal

V, N, NEAR, FAR = 32, 32, 1.0, 1.5
LETTERS, SPREAD, FEWER = {"triples": V, "pairs": 96}, 2.0, 300
BATCH, UPDATES, WARM, TEST, HEADS = 32, 600, 20, 256, 2
D, MIDDLE, SMALL, LENGTHS = (6, 8, 12, 16, 24, 32, 48), 24, 16, (75, 150, 300, 600)
RATES, SEARCH, SEEDS = {"triples": (0.01, 0.02, 0.04), "pairs": (0.08, 0.16, 0.32)}, (100, 101), (0, 1, 2, 3, 4)
FEW, SMALL_RATE, STRENGTHS = 512, 0.04, {"decoupled": (0.03, 0.3, 1.0)}
TWO_RATES = [SMALL_RATE, SMALL_RATE / 20]  # of the formats
Setting = tuple[float, float]  # a rate, and a strength of decay
BLOCK, KEPT, WATCH = (
    100,
    5,
    100,
)  # updates whose texts are drawn together; first losses of a row; updates between two looks


@cache
def table(text: str = "triples") -> np.ndarray:
    """P [v, v, v]: the shares of the letter after each two; in "pairs" it hangs on the second of them alone."""
    g, v = np.random.default_rng(7), LETTERS[text]
    logits = -np.log(np.arange(1, v + 1))
    if text == "triples":
        logits = logits + NEAR * g.standard_normal((v, v)) + FAR * g.standard_normal((v, v, v))
    else:
        strengths = 1 / np.arange(1, v + 1)
        strengths *= SPREAD / np.sqrt((strengths**2).sum())
        logits = np.broadcast_to(logits + np.einsum("r,rb,rc->bc", strengths, *g.standard_normal((2, v, v))), (v, v, v))
    shares = np.exp(logits)
    return shares / shares.sum(-1, keepdims=True)


@cache
def pairs(text: str = "triples") -> np.ndarray:
    """[v, v]: how often two letters stand side by side in the long run."""
    v = LETTERS[text]
    shares = np.full((v, v), 1 / v**2)
    for _ in range(200):
        shares = np.einsum("ab,abc->bc", shares, table(text))
    return shares


@cache
def _ends(text: str) -> Tensor:
    return torch.from_numpy(table(text).cumsum(-1)[..., :-1]).float()


def texts(b: int, seed: int, text: str = "triples") -> Tensor:
    """Letters [b, N + 2], the first two from the long run."""
    generator, v = torch.Generator().manual_seed(seed), LETTERS[text]
    first = torch.multinomial(torch.from_numpy(pairs(text)).flatten(), b, replacement=True, generator=generator)
    letters = [first // v, first % v]
    for _ in range(N):
        u = torch.rand(b, 1, generator=generator)
        letters.append((u >= _ends(text)[letters[-2], letters[-1]]).sum(-1))
    return torch.stack(letters, 1)


def shapes(d: int, v: int = V) -> tuple[tuple[int, int], ...]:
    """Embedding, queries with keys and values, the heads' output, the two maps of the feed-forward layer, read-out."""
    return (v, d), (d, 3 * d), (d, d), (d, 4 * d), (4 * d, d), (d, v)


def parameters(d: int, v: int = V) -> int:
    return sum(a * b for a, b in shapes(d, v))


def start(d: int, seed: int, v: int = V) -> Tensor:
    """[parameters]: the embedding has variance 1, each map 1 over its inputs."""
    generator = torch.Generator().manual_seed(seed)
    return torch.cat(
        [
            (torch.randn(a, b, generator=generator) / (a**0.5 if i else 1)).flatten()
            for i, (a, b) in enumerate(shapes(d, v))
        ]
    )


def rms(x: Tensor) -> Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5)


def logits(theta: Tensor, letters: Tensor, d: int, v: int = V) -> Tensor:
    """k models at once: parameters [k, parameters], letters [k, b, n] → [k, b, n, v]."""
    k, b, n = letters.shape
    flat = theta.split([a * c for a, c in shapes(d, v)], 1)
    E, A, O, W, X, U = (part.view(k, *shape) for part, shape in zip(flat, shapes(d, v), strict=True))
    x = F.embedding(letters + v * torch.arange(k)[:, None, None], E.reshape(k * v, d)) + sinusoidal(n, d).to(theta)
    x = x.view(k, b * n, d)
    q, key, value = (rms(x) @ A).view(k * b, n, 3, HEADS, d // HEADS).permute(2, 0, 3, 1, 4)
    scores = (q @ key.mT / (d // HEADS) ** 0.5).masked_fill(~torch.ones(n, n, dtype=torch.bool).tril(), -torch.inf)
    x = x + (scores.softmax(-1) @ value).transpose(1, 2).reshape(k, b * n, d) @ O
    x = x + F.relu(rms(x) @ W) @ X
    return (rms(x) @ U).view(k, b, n, v)


def losses(theta: Tensor, batch: Tensor, d: int, v: int = V) -> Tensor:
    """Nats a letter of each model [k] on texts [k, b, N + 2], from the third letter on: two are known then."""
    found = logits(theta, batch[..., :-1], d, v)[:, :, 1:]
    return F.cross_entropy(found.flatten(0, 2), batch[..., 2:].flatten(), reduction="none").view(len(theta), -1).mean(1)


@torch.no_grad()
def excess(theta: Tensor, seeds: list[int], d: int, text: str = "triples") -> list[float]:
    """Mean D(P[a, b] ‖ q) of each model [k] on the held-out texts of its seed."""
    batch = torch.stack([texts(TEST, 10**6 + seed, text) for seed in seeds])
    q = logits(theta, batch[..., :-1], d, LETTERS[text])[:, :, 1:].log_softmax(-1).double()
    p = torch.from_numpy(table(text))[batch[..., :-2], batch[..., 1:-1]]
    return (p * (p.log() - q)).sum(-1).mean((1, 2)).tolist()


SCHEDULES: dict[str, Callable[[int, int], float]] = {  # share of the rate at update t of T, after the warm-up
    "constant": lambda t, T: 1.0,
    "1/√t": lambda t, T: (WARM / t) ** 0.5,
    "cosine": lambda t, T: (1 + math.cos(math.pi * (t - WARM) / (T - WARM))) / 2,
    "wsd": lambda t, T: min(1.0, (T - t) / (T // 5)),
}


def share(schedule: str, t: int, T: int) -> float:
    return t / WARM if t < WARM else SCHEDULES[schedule](t, T)


class Training:
    """k trainings side by side, each with a rate, a seed and a strength of decay. theta [k, parameters]."""

    def __init__(
        self,
        d: int,
        rates: list[float],
        seeds: list[int],
        strengths: list[float],
        kind: str = "none",
        few: int = 0,
        keep: str = "float32",
        text: str = "triples",
    ) -> None:
        self.d, self.seeds, self.kind, self.few, self.keep, self.text = d, seeds, kind, few, keep, text
        self.rates, self.strengths = torch.tensor(rates)[:, None], torch.tensor(strengths)[:, None]
        self.theta = torch.stack([start(d, seed, LETTERS[text]) for seed in seeds])
        if keep == "bfloat16":
            self.theta = self.theta.bfloat16().float()
        self.mean, self.square, self.t = torch.zeros_like(self.theta), torch.zeros_like(self.theta), 0
        self.first, self.moved = [], []  # losses of the first updates; shares of weights moved

    def batch(self) -> Tensor:
        """[k, BATCH, N + 2] of this update, by the seed."""
        block, place = divmod(self.t, BLOCK)
        if self.few:
            return torch.stack(
                [_few(seed, self.few)[(self.t * BATCH + torch.arange(BATCH)) % self.few] for seed in self.seeds]
            )
        return torch.stack(
            [_block(seed, block, self.text)[place * BATCH : (place + 1) * BATCH] for seed in self.seeds]
        ).long()

    def go(self, until: int, share: Callable[[int], float]) -> "Training":
        while self.t < until:
            batch = self.batch()
            self.t += 1
            used = (self.theta.bfloat16().float() if self.keep == "master" else self.theta).requires_grad_()
            loss = losses(used, batch, self.d, LETTERS[self.text])
            (slope,) = torch.autograd.grad(loss.sum(), used)
            with torch.no_grad():
                self.step(slope, self.rates * share(self.t))
            if len(self.first) < KEPT:
                self.first.append([round(each, 5) for each in loss.tolist()])
        return self

    def step(self, slope: Tensor, rate: Tensor) -> None:
        theta = self.theta.detach()
        self.mean = self.mean.lerp(slope, 0.1)
        self.square = self.square.lerp(slope * slope, 0.01)
        update = -rate * (self.mean / (1 - 0.9**self.t)) / ((self.square / (1 - 0.99**self.t)).sqrt() + 1e-8)
        if self.kind == "decoupled":
            update = update - rate * self.strengths * theta
        after = theta + update
        if self.keep == "bfloat16":
            after = after.bfloat16().float()
        if self.t % WATCH == 0:
            self.moved.append([round(each, 4) for each in (after != theta).float().mean(1).tolist()])
        self.theta = after

    def excess(self) -> list[float]:
        return [round(each, 5) for each in excess(self.theta, self.seeds, self.d, self.text)]


@cache
def _block(seed: int, block: int, text: str) -> Tensor:
    return texts(BATCH * BLOCK, 1000 * (seed + 1) + block, text).byte()  # V < 256; all of a study's are kept


@cache
def _few(seed: int, few: int) -> Tensor:
    return texts(few, 1000 * (seed + 1) + 999)


@cache
def search(
    d: int, updates: int, schedule: str, kind: str, few: int, text: str = "triples"
) -> dict[Setting, list[float]]:
    """Excess of the SEARCH seeds at each rate and strength; lengthened until the best rate has a neighbour on both
    sides."""
    strengths, tried, new = STRENGTHS.get(kind, (0.0,)), {}, list(RATES[text])
    while new:
        settings = [(rate, strength) for rate in new for strength in strengths]
        each = [setting for setting in settings for _ in SEARCH]
        found = (
            Training(d, [a for a, _ in each], [*SEARCH] * len(settings), [b for _, b in each], kind, few, text=text)
            .go(updates, lambda t: share(schedule, t, updates))
            .excess()
        )
        tried |= {setting: found[2 * i : 2 * i + 2] for i, setting in enumerate(settings)}
        at, known = best(tried)[0], sorted({rate for rate, _ in tried})
        new = [known[0] / 2] if at == known[0] else [2 * known[-1]] if at == known[-1] else []
    return dict(sorted(tried.items()))


def best(tried: dict[Setting, list[float]]) -> Setting:
    """The setting with the smallest mean excess; a training that came to no number counts as the worst."""
    worth = {
        setting: mean(each if math.isfinite(each) else math.inf for each in found) for setting, found in tried.items()
    }
    return min(worth, key=lambda setting: worth[setting])


def chosen(d: int, kind: str, few: int, rate: float, strength: float, text: str) -> Training:
    """The SEEDS at the setting that the search has chosen, before the first update."""
    return Training(d, [rate] * len(SEEDS), [*SEEDS], [strength] * len(SEEDS), kind, few, text=text)


def begun(
    d: int, updates: int, schedule: str, kind: str, few: int, rate: float, strength: float, text: str = "triples"
) -> list[list[float]]:
    """The first losses of a row."""
    return chosen(d, kind, few, rate, strength, text).go(KEPT, lambda t: share(schedule, t, updates)).first


def run(
    d: int, updates: int, schedule: str = "cosine", kind: str = "none", few: int = 0, text: str = "triples"
) -> dict:
    """One row: its rate is searched, then five other seeds are trained with it."""
    tried = search(d, updates, schedule, kind, few, text)
    rate, strength = best(tried)
    training = chosen(d, kind, few, rate, strength, text)
    row = {
        "d": d,
        "updates": updates,
        "schedule": schedule,
        "decay": kind,
        "few": few,
        "parameters": parameters(d, LETTERS[text]),
        "rate": rate,
        "strength": strength,
    }
    row |= {
        "tried": [
            [*setting, *(each if math.isfinite(each) else None for each in found)] for setting, found in tried.items()
        ]
    }
    if schedule == "wsd":
        row["branches"] = branches(training)
        row["excess"] = next(each["excess"] for each in row["branches"] if each["updates"] == updates)
    else:
        row["excess"] = training.go(updates, lambda t: share(schedule, t, updates)).excess()
    return row | {"size": round(training.theta.square().mean().sqrt().item(), 4), "losses": training.first}


def branches(stable: Training) -> list[dict]:
    """One stable run; a decay from 4/5 of each length. What is stored at each length: its excess, and that of the
    stable run there."""
    found = []
    for length in LENGTHS:
        stable.go(length - length // 5, lambda t: share("constant", t, 0))
        branch = Training(stable.d, [0.0], [0], [0.0])
        branch.__dict__ |= stable.__dict__ | {"first": [], "moved": []}
        branch.go(length, lambda t, length=length: share("wsd", t, length))
        found.append({"updates": length, "excess": branch.excess()})
        stable.go(length, lambda t: share("constant", t, 0))
        found[-1]["stable"] = stable.excess()
    return found


def keeping(keep: str, until: int = UPDATES) -> Training:
    """One way to keep weights, at two rates, after some of the updates."""
    training = Training(
        SMALL, [rate for rate in TWO_RATES for _ in SEEDS], [*SEEDS] * 2, [0.0] * 2 * len(SEEDS), keep=keep
    )
    return training.go(until, lambda t: share("cosine", t, UPDATES))


def kept(keep: str) -> dict:
    """A row of "formats"."""
    training = keeping(keep)
    found, s = training.excess(), len(SEEDS)
    moved = [[round(mean(look[i * s : (i + 1) * s]), 4) for look in training.moved] for i in range(2)]
    return {
        "keep": keep,
        "rates": TWO_RATES,
        "excess": [found[:s], found[s:]],
        "moved": moved,
        "losses": training.first,
    }


def key(d: int, updates: int, schedule: str = "cosine", kind: str = "none", few: int = 0) -> tuple:
    return d, updates, schedule, kind, few


WANTED = list(dict.fromkeys([
    *(key(d, UPDATES) for d in D), *(key(MIDDLE, updates) for updates in LENGTHS), *(key(MIDDLE, UPDATES,
    schedule) for schedule in SCHEDULES),
    *(key(SMALL, UPDATES, "cosine", kind, FEW) for kind in ("none", "decoupled")), key(SMALL, UPDATES, "cosine",
    "decoupled"),
]))  # fmt: skip
SETTINGS = {
    "letters": LETTERS,
    "spread": SPREAD,
    "updates of pairs": FEWER,
    "n": N,
    "near": NEAR,
    "far": FAR,
    "batch": BATCH,
    "updates": UPDATES,
    "warm": WARM,
    "test": TEST,
    "d": D,
    "middle": MIDDLE,
    "small": SMALL,
    "lengths": LENGTHS,
    "rates": RATES,
    "search": SEARCH,
    "seeds": SEEDS,
    "few": FEW,
    "strengths": STRENGTHS,
}
ROWS = Part(run, WANTED, key=("d", "updates", "schedule", "decay", "few"))
PAIRS = Part(partial(run, text="pairs"), [(d, FEWER) for d in D], key=("d", "updates"))
FORMATS = Part(kept, [("float32",), ("bfloat16",), ("master",)], key=("keep",))
BEGUN = (
    key(6, UPDATES),
    key(48, UPDATES),
    key(MIDDLE, UPDATES, "wsd"),
    key(SMALL, UPDATES, "cosine", "decoupled", FEW),
)
STUDY = Study(
    "scaling",
    SETTINGS,
    {"pairs": PAIRS, "formats": FORMATS, "rows": ROWS},
    minutes=12,
    again=[
        Again("rows", BEGUN, begun, "losses", ("rate", "strength"), abs=1e-3),
        Again(
            "pairs",
            [(12, FEWER)],
            lambda d, updates, *found: begun(d, updates, "cosine", "none", 0, *found, "pairs"),
            "losses",
            ("rate", "strength"),
            abs=1e-3,
        ),
        Again("formats", [("bfloat16",)], lambda keep: keeping(keep, KEPT).first, "losses", abs=1e-3),
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
