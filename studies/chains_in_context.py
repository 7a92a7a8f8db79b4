"""Every sequence has its own Markov chain: in which order does an attention-only model learn to use that, and what is
left at the end?

    python studies/chains_in_context.py            (about ten minutes of one core)

A run trains the models of all its seeds side by side, each from its own start and on its own sequences, on
`course_lib.graphs.chains`. On fixed test sequences, every 20 updates: the loss against the true chance of each next
token, and which of three strategies is nearest (divergence of the model's prediction from the strategy's, mean over
places): uniform, in-context unigram, in-context Bayes.
"""

import math
import sys
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from course_lib.graphs.chains import PSEUDO, counted, draw, read, shapes
from course_lib.graphs.random import Generator
from course_lib.results.study import Again, Part, Study
from course_lib.sources import cross_entropy, divergence

N, BATCH, UPDATES, EVERY, TEST, TEST_SEED = 32, 32, 800, 20, 128, 2_000_000_000
FINAL, FINAL_SEED = 1024, 2_000_000_001


class Setting(NamedTuple):
    """What differs from the page's own model."""

    seeds: int = 16
    layers: int = 2
    start: bool = True  # a token before the first, the same in all sequences
    read_out: str = (
        "softmax"  # or "softplus": chances in proportion to softplus of the logits, which may be a count itself
    )
    v: int = 3
    prior: float = 1.0
    order: int = 1
    d: int = 32
    m: int = 16
    h: int = 2
    rate: float = 0.01
    updates: int = UPDATES

    @property
    def key(self) -> str:
        fields = self._asdict().items()
        return (
            " | ".join(
                f"{name} {value}"
                for name, value in fields
                if value != Setting._field_defaults[name] and name != "seeds"
            )
            or "as it is"
        )


SETTINGS = (
    Setting(),
    Setting(8, layers=1),
    Setting(8, start=False),
    Setting(4, read_out="softplus"),
    Setting(4, start=False, read_out="softplus"),
    Setting(4, order=2, h=3),
    Setting(4, h=1),
    Setting(4, rate=0.003),
)


def begin(setting: Setting, random: Generator) -> dict[str, Tensor]:
    """A model's start: normal, variance 1/(numbers added up), position scores 0."""
    v, d, m, h, n = setting.v, setting.d, setting.m, setting.h, N + setting.start
    sizes = {"words": v + setting.start, "v": v, "d": d, "m": m, "h": h, "n": n}
    made = {}
    for name, shape in shapes(setting.layers).items():
        size = [sizes[each] for each in shape]
        scale = 0.0 if name[0] == "B" else (h * m if name[0] == "O" else d) ** -0.5
        made[name] = torch.from_numpy((random.normal(math.prod(size)) * scale).astype(np.float32)).view(size)
    return made


def fixed(n: int) -> tuple[Tensor, Tensor]:
    """shift [n, n, n] and mask [n, n] of `read`."""
    j, i = np.indices((n, n))
    shift = np.zeros((n, n, n), dtype=np.float32)
    shift[j[j >= i], (j - i)[j >= i], i[j >= i]] = 1
    return torch.from_numpy(shift), torch.ones(n, n).tril()


def spelled(tokens: np.ndarray, setting: Setting) -> Tensor:
    """tokens [..., n + 1] → one-hot [..., n (+ 1), words], the start in front."""
    x = torch.from_numpy(tokens[..., :-1])
    if setting.start:
        x = F.pad(x, (1, 0), value=setting.v)
    return F.one_hot(x, setting.v + setting.start).float()


def log_chances(logits: Tensor, setting: Setting) -> Tensor:
    """[..., n (+ 1), v] → logarithms of the predictions at the n places."""
    logits = logits[..., 1:, :] if setting.start else logits
    if setting.read_out == "softmax":
        return logits.log_softmax(-1)
    chances = F.softplus(logits) + 1e-6
    return chances.log() - chances.sum(-1, keepdim=True).log()


class Exam:
    """Fixed sequences with the strategies' predictions q[name] [b, n, v] and their losses; places with no full context
    are left out."""

    def __init__(self, setting: Setting, rows: int = TEST, seed: int = TEST_SEED):
        self.setting, self.asked = setting, slice(setting.order - 1, None)
        self.tokens, truth = draw(Generator(seed), rows, N, setting.v, setting.prior, setting.order)
        self.truth = truth[:, self.asked]
        of = lambda pseudo, order: counted(self.tokens, setting.v, pseudo, order)[:, self.asked]
        unigrams = [of(setting.prior * times, 0) for times in PSEUDO]
        self.q = {
            "uniform": np.full_like(self.truth, 1 / setting.v), "unigram": min(unigrams, key=self.loss),
            **({"bigram": of(setting.prior, 1)} if setting.order == 2 else {}), "bayes": of(setting.prior,
            setting.order),
            "rate": self.truth,
        }  # fmt: skip
        self.lines = {name: round(self.loss(q), 4) for name, q in self.q.items()}

    def loss(self, q: np.ndarray) -> float:
        return float(cross_entropy(self.truth, q, tolerance=1e-4).mean())

    def predictions(self, model: dict[str, Tensor], fix: tuple) -> np.ndarray:
        """[..., b, n, v], of one model or of many side by side."""
        with torch.no_grad():
            tokens = spelled(self.tokens, self.setting)
            tokens = tokens.expand(*model["U"].shape[:-2], *tokens.shape)
            q = log_chances(read(model, tokens, *fix, self.setting.m**-0.5)[0], self.setting).exp().double().numpy()
        return q[..., self.asked, :]


def looks(model: dict[str, Tensor], exam: Exam, fix: tuple) -> dict[str, list]:
    """Per seed: the largest mean weight of a first-layer head on the token before, and the largest mean share of a
    last-layer head's weight on places that follow the last token's earlier ones (over places where there are such)."""
    setting, rows = exam.setting, exam.tokens[:64]
    with torch.no_grad():
        tokens = spelled(rows, setting)
        maps = read(model, tokens.expand(*model["U"].shape[:-2], *tokens.shape), *fix, setting.m**-0.5)[1]
    s = int(setting.start)
    first, last = (A[..., s:, s:].numpy() for A in (maps[0], maps[-1]))
    x = rows[:, :-1]
    follows = np.zeros((len(x), N, N), dtype=bool)
    follows[:, :, 1:] = x[:, :, None] == x[:, None, :-1]
    follows &= np.tril(np.ones((N, N), dtype=bool))
    some = follows.any(-1)
    before = first[..., range(1, N), range(N - 1)].mean((-1, -3))  # [S, h]
    on = (last * follows[:, None]).sum(-1)  # [S, b, h, n]
    share = (on * some[:, None]).sum((-1, -3)) / some.sum()
    return {"before": short(before.max(-1)), "follows": short(share.max(-1))}


def run(setting: Setting, updates: int | None = None, seeds: int | None = None) -> dict[str, Any]:
    """Train the models of a setting and measure them."""
    updates, seeds = updates or setting.updates, range(1, 1 + (seeds or setting.seeds))
    randoms = [Generator(seed) for seed in seeds]
    starts = [begin(setting, random) for random in randoms]
    model = {name: torch.stack([each[name] for each in starts]).requires_grad_() for name in starts[0]}
    optimiser, fix, exam = torch.optim.Adam(model.values(), lr=setting.rate), fixed(N + setting.start), Exam(setting)
    curve, nearest, maps = [], [], {}
    for update in range(updates + 1):
        if update % EVERY == 0:
            q = exam.predictions(model, fix)
            apart = [
                [divergence(exam.q[name], each, tolerance=1e-4).mean() for name in ("uniform", "unigram", "bayes")]
                for each in q
            ]
            curve.append(short([exam.loss(each) for each in q]))
            nearest.append([int(np.argmin(each)) for each in apart])
            if update % 100 == 0:
                maps[update] = looks(model, exam, fix)
        if update == updates:
            break
        tokens = np.stack([draw(random, BATCH, N, setting.v, setting.prior, setting.order)[0] for random in randoms])
        logits, _ = read(model, spelled(tokens, setting), *fix, setting.m**-0.5)
        logs = log_chances(logits, setting)[..., exam.asked, :]
        targets = torch.from_numpy(tokens[..., 1:])[..., exam.asked, None]
        loss = -logs.gather(-1, targets).mean((-3, -2, -1)).sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    last = Exam(setting, FINAL, FINAL_SEED)
    final = [last.loss(last.predictions({name: p[i] for name, p in model.items()}, fix)) for i in range(len(seeds))]
    return {
        **setting._asdict(), "lines": exam.lines, "final lines": last.lines, "final": short(final),
        "nearest": ["".join("UuB"[row[i]] for row in nearest) for i in range(len(seeds))],
        "curve": np.transpose(curve).round(4).tolist(), "at": list(maps),
        "before": np.transpose([each["before"] for each in maps.values()]).tolist(),
        "follows": np.transpose([each["follows"] for each in maps.values()]).tolist(),
    }  # fmt: skip


def short(values: Any) -> list[float]:
    return [round(float(value), 4) for value in values]


HEAD = {"n": N, "batch": BATCH, "every": EVERY, "test": TEST, "final": FINAL}
STUDY = Study(
    "chains_in_context",
    {"settings": HEAD},
    {"runs": Part(run, {each.key: (each,) for each in SETTINGS})},
    minutes=10,
    again=[
        Again(
            "runs",
            ["as it is", "layers 1", "order 2 | h 3"],
            lambda setting: run(setting, updates=40, seeds=2),
            ("curve", "final lines"),
            abs=2e-3,
        )
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
