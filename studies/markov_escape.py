"""Does source R's model leave the best loss without memory, when its source has a memory? Sixteen models a setting.

    python studies/markov_escape.py            (about six minutes of one core)

Every model sees new sequences for ever. Its loss is taken against the true distribution of the next token, so that no
luck of the draw is in it. Stored for each setting: when each model has gone half the way from the best loss without
memory to the best loss of all (`escape`, in updates; null: not in this run), the losses at the end, the same with what
attention or the feed-forward layer adds replaced by its mean, and the loss over time.
"""

import sys
from typing import Any, NamedTuple

import numpy as np
import torch

from course_lib.memoryless import Batches, Ensemble, Sizes, SourceModel
from course_lib.results.study import Again, Part, Study
from course_lib.sources import Markov, cross_entropy, entropy

SEEDS, BATCH, INPUTS, EVERY, TEST_SEED = range(16), 16, 96, 10, 2_000_000_000
PUBLISHED = Sizes(v=2, n=16, d=8, m=4, r=16)  # the first row of source R's Table 3
KEPT = [*range(0, 601, 20), *range(700, 10_001, 100)]  # the updates at which the loss over time is stored
CUT = (10, 50, 90)  # percentiles over the models


def two_state(zero_to_one: float, one_to_zero: float) -> np.ndarray:
    """The chain of two tokens with these switching probabilities."""
    return np.array([[1 - zero_to_one, zero_to_one], [one_to_zero, 1 - one_to_zero]])


CHAINS = {f"{a} {b}": two_state(a, b) for a, b in (
    (0.1, 0.1), (0.2, 0.3), (0.4, 0.4), (0.45, 0.45), (0.55, 0.55), (0.6, 0.6), (0.5, 0.8), (0.8, 0.7), (0.9, 0.9),
)}  # fmt: skip
CHAINS["stay"] = 0.6 * np.eye(4) + 0.1  # four tokens, the same again with 0.7
CHAINS["cycle"] = 0.6 * np.roll(np.eye(4), 1, axis=1) + 0.1  # four tokens, the next one round a ring with 0.7
OLDER = np.arange(2)[:, None] + np.zeros(2, dtype=int)  # [a, b]: the token before the last
TWO_BACK = {"copy": OLDER, "xor": OLDER ^ OLDER.T}  # the likelier next token after a, b; it comes with 0.9


class Source:
    """A chain of first or second order: `contexts` of 1 or 2 tokens, `P` [contexts, v], `weights` [contexts] how often
    each comes."""

    def __init__(self, name: str):
        if name in CHAINS:
            self.chain, self.order = Markov(CHAINS[name]), 1
            self.v, self.P = self.chain.v, self.chain.P
        else:  # a chain over pairs: (a, b) goes to (b, c)
            self.v, self.order = 2, 2
            self.P = np.where(np.arange(2) == TWO_BACK[name][..., None], 0.9, 0.1).reshape(4, 2)
            pairs = np.zeros((2, 2, 2, 2))
            for b in range(2):
                pairs[:, b, b, :] = self.P.reshape(2, 2, 2)[:, b]
            self.chain = Markov(pairs.reshape(4, 4))
        self.weights = self.chain.stationary
        self.rate = self.chain.entropy_rate()  # given the pair, the next pair is the next token: the rates are the same
        self.unigram = entropy(self.weights.reshape(-1, self.v).sum(0))

    def sample(self, rows: int, n: int, generator: np.random.Generator) -> np.ndarray:
        return self.chain.sample(rows, n, generator) % np.uint8(
            self.v
        )  # of a pair (a, b), numbered v a + b, the token b

    def context(self, words: np.ndarray) -> np.ndarray:
        """The number of the context at the end of each row."""
        return words[:, -1].astype(int) if self.order == 1 else self.v * words[:, -2].astype(int) + words[:, -1]


class Setting(NamedTuple):
    """A source, and what differs from the published model and training."""

    source: str
    updates: int = 1500
    n: int = PUBLISHED.n
    rate: float = 1e-3
    tied: bool = False  # W_3 is E's transpose
    words: float = 1.0  # E starts this many times as large
    places: float = 1.0  # P starts this many times as large

    @property
    def key(self) -> str:
        changes = {name: value for name, value in self._asdict().items() if value != Setting._field_defaults.get(name)}
        return " | ".join(f"{name} {value}" for name, value in changes.items() if name != "updates")


def settings() -> list[Setting]:
    some, weak = ("0.2 0.3", "0.8 0.7"), ("0.45 0.45", "0.5 0.8")
    return [
        *(Setting(name) for name in CHAINS),
        *(Setting(name, 3000, tied=True) for name in CHAINS),
        *(Setting(name, 3000, n=n) for name, n in (("copy", 8), ("copy", 16), ("copy", 32), ("copy", 64), ("xor", 16))),
        *(Setting(name, words=100.0) for name in some + weak),
        *(Setting(name, places=100.0) for name in some + weak),
        *(Setting(name, 3000, tied=True, words=100.0) for name in ("0.5 0.8", "0.8 0.7", "0.9 0.9")),
        *(Setting(name, rate=rate) for name in some for rate in (3e-4, 3e-3)),
        *(Setting(name, n=n) for name in some for n in (64, 128)),
    ]


def like(ensemble: Ensemble, name: str) -> torch.Tensor:
    """The view of `ensemble.gradient` that lies in it as the parameter `name` lies in `ensemble.flat`."""
    view = ensemble.parameters[name]
    return ensemble.gradient.as_strided(view.shape, view.stride(), view.storage_offset())


def tied_step(ensemble: Ensemble, words: torch.Tensor, targets: torch.Tensor, rate: float) -> None:
    """One update that keeps W_3 = Eᵀ: both get the sum of their gradients, and Adam treats equals alike."""
    ensemble.differentiate(words, targets)
    of_E, of_W = like(ensemble, "E")[:, : ensemble.sizes.v], like(ensemble, "W_3")
    both = of_E + of_W.mT
    of_E.copy_(both)
    of_W.copy_(both.mT)
    ensemble.optimiser.param_groups[0]["lr"] = rate
    ensemble.optimiser.step()


class Exam:
    """The same inputs for every model, and the exact loss on them: each context counts as often as it comes in the long
    run."""

    def __init__(self, source: Source, n: int):
        words = source.sample(INPUTS, n, np.random.default_rng(TEST_SEED))
        context = source.context(words)
        self.words, self.truth = torch.from_numpy(words), source.P[context]
        self.shares = source.weights[context] / np.bincount(context, minlength=len(source.P))[context]

    def losses(self, logits: torch.Tensor) -> np.ndarray:
        """logits [S, inputs, v] → [S] nats a token."""
        return cross_entropy(self.truth, logits.double().softmax(-1).numpy()) @ self.shares


@torch.no_grad()
def without(model: SourceModel, words: torch.Tensor, part: str) -> torch.Tensor:
    """The logits when what `part` adds to the last row is the same for every input: its mean over `words`."""
    stages = model.stages(words)
    if part == "attention":
        weight, bias, adds = model.W_O, model.w_o, stages.Y[:, -1]
    else:
        weight, bias = model.W_2, model.w_2
        adds = torch.relu(stages.N[:, -1] @ model.W_1 + model.w_1) @ weight + bias
    kept = weight.clone(), bias.clone()
    weight.zero_()
    bias.copy_(adds.mean(0))
    logits = model(words)
    weight.copy_(kept[0])
    bias.copy_(kept[1])
    return logits


@torch.no_grad()
def run(setting: Setting, updates: int | None = None) -> dict[str, Any]:
    """Train the sixteen models of a setting (for fewer `updates`, if given) and measure them."""
    updates = setting.updates if updates is None else updates
    source = Source(setting.source)
    exam = Exam(source, setting.n)
    ensemble = Ensemble(PUBLISHED._replace(v=source.v, n=setting.n), SEEDS)
    ensemble.parameters["E"].mul_(setting.words)
    ensemble.parameters["P"].mul_(setting.places)
    if setting.tied:
        ensemble.parameters["W_3"].copy_(ensemble.parameters["E"][:, : source.v].mT)
    batches = Batches(source, SEEDS, setting.n, BATCH, None)
    over_time = {0: exam.losses(ensemble.logits(exam.words))}
    step = tied_step if setting.tied else Ensemble.step
    for update in range(updates):
        step(ensemble, *batches.at(update), setting.rate)
        if (update + 1) % EVERY == 0:
            over_time[update + 1] = exam.losses(ensemble.logits(exam.words))
    half_way = (source.unigram + source.rate) / 2
    escape = [
        next((update for update, losses in over_time.items() if losses[i] < half_way), None) for i in range(len(SEEDS))
    ]
    models = [ensemble.model(i) for i in range(len(SEEDS))]
    parts = {
        part: exam.losses(torch.stack([without(model, exam.words, part) for model in models]))
        for part in ("attention", "feed-forward")
    }
    looks = torch.stack([model.stages(exam.words).A[:, -1].mean(0) for model in models])  # [S, n]
    kept = [update for update in KEPT if update <= updates]
    curves = np.percentile([over_time[update] for update in kept], CUT, axis=1)  # [3, kept]
    return {
        **setting._asdict(),
        "unigram": round(source.unigram, 4), "best": round(source.rate, 4), "escape": escape,
        "final": rounded(over_time[max(over_time)]), **{f"without {part}": rounded(losses) for part,
        losses in parts.items()},
        "weight of last two": [rounded(row) for row in looks[:, -2:].tolist()],
        "at": kept, "percentiles": [rounded(curve) for curve in curves],
    }  # fmt: skip


def rounded(values: Any) -> list[float]:
    return [round(float(value), 4) for value in values]


SETTINGS = {
    "sizes": PUBLISHED._asdict(), "seeds": list(SEEDS), "batch": BATCH, "inputs": INPUTS, "every": EVERY, "adam": [0.9,
    0.95],
    "percentiles": list(CUT),
}  # fmt: skip
WANTED = {setting.key: (setting,) for setting in settings()}
AGAIN = (Setting("0.2 0.3"), Setting("0.8 0.7", 3000, tied=True), Setting("0.2 0.3", places=100.0))
STUDY = Study(
    "markov_escape",
    {"settings": SETTINGS},
    {"runs": Part(run, WANTED)},
    minutes=6,
    again=[
        Again(
            "runs",
            [setting.key for setting in AGAIN],
            lambda setting: run(setting, updates=60),
            ("at", "percentiles"),
            abs=0.005,
        )
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
