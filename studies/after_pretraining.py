"""After pretraining, in miniature: the town model learns to answer a request, and then to prefer one kind of answer.

    python studies/after_pretraining.py

A request is the beginning of a name, "san-", and its answer a name that begins so. `tuned`: the model is trained on
such answers, in full or in a few of its numbers, and measured on names that it has never seen. `preferred`: it writes
pairs of answers of which a noisy rule prefers those with a double letter, and is trained on the preferences by DPO;
controls change what is preferred. The protocol, with every arm and all that is stored of it, is `after_pretraining.md`.
"""

import math
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from statistics import mean

import torch
import torch.nn.functional as F
from torch import Tensor

from course_lib.results.study import Again, Part, Study
from course_lib.results.tables import short
from course_lib.text.corpora import towns
from course_lib.text.vocabulary import END, START
from studies import town_weights as town
from studies.town_weights import LONGEST, Exchange, Weights

MARK, ASKED, COMMON, BATCH, SEARCH, SEEDS = "-", 3, 20, 32, (100, 101), (0, 1, 2, 3, 4)
UPDATES, RATES, DRAWN, RANKS, ALPHA = 200, (0.002, 0.006, 0.02), 400, (1, 4, 14), 8
PROMPTS, ANSWERS, PAIRS, STEPS, LOW = 2048, 8, 768, 48, (0.0001, 0.0003, 0.001)
REWARD, BETAS, TAUGHT, FRESH, PLACES, FINE = 2.0, (0.25, 0.5, 1.0, 2.0), "ltns", 500, 100, 160
KEPT, FEW = 5, 96  # first losses of a training, and the prompts that are enough for them
SEVEN = (*(f"stack.blocks.{i}.attention.W_{each}" for i in range(3) for each in "QV"), "stack.blocks.2.attention.W_O")
PART = {"full": "", "unmasked": "", "norms": "norm", "last block": "stack.blocks.2"}
ARMS = ("full", *(f"rank {r}" for r in RANKS), "seven", "norms", "last block", "unmasked")


@cache
def requests() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Common beginnings in small letters, most common first: those of the fine-tuning, and every fourth, which it never
    sees."""
    counts = Counter(name[:ASKED].lower() for name in town.split()[0] if fits(name))
    common = [each for each, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if count >= COMMON]
    return tuple(each for i, each in enumerate(common) if i % 4 != 3), tuple(common[3::4])


def fits(name: str) -> bool:
    return name[:ASKED].isalpha() and len(name) > 2 * ASKED


def starting(names: Sequence[str], begin: Sequence[str]) -> list[str]:
    return [name for name in names if fits(name) and name[:ASKED].lower() in begin]


def asked(name: str) -> Exchange:
    return [START, *town.encoded(name[:ASKED].lower() + MARK)], [*town.encoded(name), END]


def learner(arm: str, seed: int) -> tuple[list[Tensor], Callable[[], Weights]]:
    """What an arm trains, and the model's weights as a function of it."""
    before = town.base()
    if arm in PART:
        own = {name: W.clone().requires_grad_() for name, W in before.items() if PART[arm] in name}
        return list(own.values()), lambda: before | own
    rank, names = (1, SEVEN) if arm == "seven" else (int(arm.removeprefix("rank ")), town.matrices())
    draws, pairs = torch.Generator().manual_seed(2000 + seed), {}
    for name in names:
        d, out = town.flat(name, before[name]).shape
        A = torch.randn(d, rank, generator=draws) / d**0.5
        pairs[name] = (A.requires_grad_(), torch.zeros(rank, out, requires_grad=True))
    free = [M for pair in pairs.values() for M in pair]
    return (
        free,
        lambda: (
            before
            | {
                name: before[name] + town.unflat(name, ALPHA / rank * A @ B, before[name])
                for name, (A, B) in pairs.items()
            }
        ),
    )


def obeyed(weights: Weights, which: Sequence[str], seed: int) -> float:
    """The share of DRAWN answers to these requests, in turn, that begin as asked."""
    wanted = [which[i % len(which)] for i in range(DRAWN)]
    answers = town.written(
        weights, torch.tensor([asked(each)[0] for each in wanted]), torch.Generator().manual_seed(7000 + seed)
    )
    return mean(town.spelled(answer).lower().startswith(each) for each, answer in zip(wanted, answers, strict=True))


@cache
def lessons() -> tuple[list[Exchange], list[Exchange]]:
    """Requests and answers to train on, and those that choose the rate."""
    known = starting(town.split()[0], requests()[0])
    return [asked(name) for i, name in enumerate(known) if i % 20], [asked(name) for name in known[::20]]


def tune(arm: str, rate: float, seed: int, updates: int = UPDATES) -> tuple[Weights, list[float]]:
    draws, lesson = torch.Generator().manual_seed(seed), lessons()[0]

    def step_loss(now: Weights) -> Tensor:
        return town.loss(
            now, [lesson[i] for i in torch.randint(len(lesson), (BATCH,), generator=draws)], masked=arm != "unmasked"
        )

    return town.trained(*learner(arm, seed), rate, updates, step_loss)


def measured(weights: Weights, seed: int) -> dict:
    """What is stored of one trained model of the first part."""
    known, unknown = (starting(town.split()[1], each) for each in requests())
    return {
        "asked": town.nats(weights, [asked(name) for name in known]), "unseen": town.nats(weights,
        [asked(name) for name in unknown]), "old": town.nats(weights, town.old()),
        "obeys": obeyed(weights, requests()[0], seed), "obeys unseen": obeyed(weights, requests()[1], seed),
    }  # fmt: skip


def lists(rows: Sequence[dict], digits: int = 4) -> dict:
    """One row of lists from rows of numbers."""
    return {name: short([row[name] for row in rows], digits) for name in rows[0]}


def best_of(score: Callable[[float, int], float], rates: Sequence[float]) -> tuple[float, dict]:
    """The rate with the smallest mean score of SEARCH, and all scores."""
    search = {f"{rate:g}": short([score(rate, seed) for seed in SEARCH], 4) for rate in rates}
    return min(rates, key=lambda rate: mean(search[f"{rate:g}"])), search


@cache
def tuned_rate(arm: str) -> tuple[float, dict]:
    return best_of(lambda rate, seed: town.nats(tune(arm, rate, seed)[0], lessons()[1]), RATES)


def run_tuned(arm: str) -> dict:
    """An arm of the first part. "before": nothing is trained."""
    if arm == "before":
        return {"arm": arm, "parameters": 0, **lists([measured(town.base(), seed) for seed in SEEDS])}
    rate, search = tuned_rate("full" if arm == "unmasked" else arm)
    runs = [tune(arm, rate, seed) for seed in SEEDS]
    row = {
        "arm": arm,
        "parameters": sum(M.numel() for M in learner(arm, 0)[0]),
        "rate": rate,
        "search": search,
        **lists([measured(run[0], seed) for run, seed in zip(runs, SEEDS, strict=True)]),
    }
    if arm == "full":
        row |= change(runs)
    return row | {"losses": short(tune(arm, rate, 0, KEPT)[1], 5)}


def change(runs: Sequence[tuple[Weights, list[float]]]) -> dict:
    """How low the rank of the full change is: shares of the best ranks, of random ones, and nats with cut changes, by
    rank."""
    before, names, draws = town.base(), town.matrices(), torch.Generator().manual_seed(9000)
    moved = [{name: town.flat(name, run[name] - before[name]) for name in names} for run, _ in runs]
    known = [asked(name) for name in starting(town.split()[1], requests()[0])]
    cuts = [
        [
            run | {name: before[name] + town.unflat(name, town.cut(M, rank), before[name]) for name, M in delta.items()}
            for (run, _), delta in zip(runs, moved, strict=True)
        ]
        for rank in (0, *RANKS)
    ]
    return {
        "shares": {rank: short([mean(town.share(M, rank) for M in delta.values()) for delta in moved],
        4) for rank in RANKS},
        "random": {rank: short([mean(town.share(torch.randn(moved[0][name].shape, generator=draws),
        rank) for name in names) for _ in SEEDS], 4) for rank in RANKS},
        "cut": {rank: short([town.nats(each, known) for each in row], 4) for rank, row in zip((0, *RANKS), cuts,
        strict=True)},
    }  # fmt: skip


def doubles(text: str) -> list[str]:
    """The letters that stand twice in a row."""
    return [a for a, b in pairwise(text.lower()) if a == b and a.isalpha()]


@cache
def beginnings(new: bool) -> list[list[int]]:
    """Prompts: of known names, or of names never seen with beginnings that are set aside."""
    aside = sorted({name[:ASKED] for name in towns()})[4::5]
    return [
        [START, *town.encoded(name[:ASKED])]
        for name in town.split()[new]
        if len(name) > 2 * ASKED and (name[:ASKED] in aside) == new
    ]


@cache
def pool(seed: int, new: bool = False, count: int = PROMPTS) -> list[tuple[list[int], list[list[int]]]]:
    """`count` prompts, a quarter of them where new, each with the town model's answers that have an end."""
    draws, choice = torch.Generator().manual_seed(3000 + seed), beginnings(new)
    prompts = [choice[i] for i in torch.randint(len(choice), (count // (4 if new else 1),), generator=draws)]
    answers = iter(town.written(town.base(), torch.tensor(prompts).repeat_interleave(ANSWERS, 0), draws))
    return [(prompt, [answer for _ in range(ANSWERS) if len(answer := next(answers)) < LONGEST]) for prompt in prompts]


def two(kind: str, answers: Sequence[list[int]]) -> list[tuple[list[int], list[int]]]:
    """At most two pairs of these answers, no answer twice; the rule prefers the first of a pair."""
    found, used = [], set()
    with_, without = (
        [i for i, each in enumerate(answers) if bool(doubles(town.spelled(each))) == wanted] for wanted in (True, False)
    )
    for i in without if kind == "length" else with_:
        for j in without:
            a, b = answers[i], answers[j]
            right = {
                "matched": len(a) == len(b),
                "length": len(a) > len(b),
                "some": set(doubles(town.spelled(a))) <= set(TAUGHT),
            }.get(kind, True)
            if right and len(found) < 2 and not {i, j} & used:
                found.append((a, b))
                used |= {i, j}
    return found


@cache
def compared(
    kind: str, seed: int, new: bool = False, count: int = PROMPTS
) -> tuple[list[Exchange], list[Exchange], Tensor]:
    """The rule's firsts, its seconds, and whether the first was preferred [pairs]."""
    found = [(prompt, a, b) for prompt, answers in pool(seed, new, count) for a, b in two(kind, answers)]
    coins = torch.rand(len(found), generator=torch.Generator().manual_seed(4000 + seed))
    sure = 0.5 if kind == "shuffled" else 1 / (1 + math.exp(-REWARD))
    return (
        [(prompt, [*a, END]) for prompt, a, _ in found],
        [(prompt, [*b, END]) for prompt, _, b in found],
        coins < sure,
    )


@torch.no_grad()
def gains(weights: Weights, kind: str, seed: int) -> tuple[Tensor, Tensor]:
    """log π/π_before of the firsts and of the seconds of test pairs."""
    return tuple(
        town.log_probs(weights, each) - town.log_probs(town.base(), each) for each in compared(kind, seed, new=True)[:2]
    )


def dpo(first: Tensor, second: Tensor, preferred: Tensor, beta: float) -> Tensor:
    """Mean DPO loss, in nats a pair, of gains log π/π_before [b]."""
    return -F.logsigmoid(torch.where(preferred, 1.0, -1.0) * beta * (first - second)).mean()


def prefer(
    kind: str, beta: float, rate: float, seed: int, steps: int = STEPS, count: int = PROMPTS
) -> tuple[Weights, list[float]]:
    first, second, preferred = (each[:PAIRS] for each in compared(kind, seed, count=count))
    with torch.no_grad():
        before = [town.log_probs(town.base(), each) for each in (first, second)]
    draws = torch.Generator().manual_seed(seed)
    order = torch.cat([torch.randperm(len(first), generator=draws) for _ in range(1 + steps * BATCH // len(first))])

    def step_loss(now: Weights) -> Tensor:
        nonlocal order
        pick, order = order[:BATCH], order[BATCH:]
        a, b = town.log_probs(now, [each[i] for each in (first, second) for i in pick]).chunk(2)
        return dpo(a - before[0][pick], b - before[1][pick], preferred[pick], beta)

    return town.trained(*learner("full", seed), rate, steps, step_loss)


@torch.no_grad()
def looked_at(weights: Weights, seed: int) -> dict:
    """What is stored of one model of the second part."""
    draws, choice = torch.Generator().manual_seed(8000 + seed), beginnings(True)
    prompts = [choice[i] for i in torch.randint(len(choice), (FRESH,), generator=draws)]
    answers = town.written(weights, torch.tensor(prompts), draws)
    texts = [doubles(town.spelled(answer)) for answer in answers]
    ended = [(prompt, [*answer, END]) for prompt, answer in zip(prompts, answers, strict=True) if len(answer) < LONGEST]
    first, second = gains(weights, "rule", seed)
    right = {
        f"right, {kind}": (a > b).double().mean().item()
        for kind in ("matched", "length")
        for a, b in [gains(weights, kind, seed)]
    }
    return {
        "doubles": mean(map(bool, texts)), "taught": mean(any(each in TAUGHT for each in text) for text in texts),
        "other": mean(any(each not in TAUGHT for each in text) for text in texts),
        "letters": mean(map(len, answers)), "kl": (town.log_probs(weights, ended) - town.log_probs(town.base(),
        ended)).mean().item(), "old": town.nats(weights, town.old()),
        **right, "first": first.mean().item(), "second": second.mean().item(),
        "first falls": (first < 0).double().mean().item(),
    }  # fmt: skip


@cache
def preferred_rate(beta: float) -> tuple[float, dict]:
    def score(rate: float, seed: int) -> float:
        return dpo(
            *gains(prefer("rule", beta, rate, seed)[0], "rule", seed), compared("rule", seed, new=True)[2], beta
        ).item()

    return best_of(score, LOW)


def run_preferred(kind: str, beta: float) -> dict:
    """An arm of the second part. "before": nothing is trained."""
    if kind == "before":
        return {"kind": kind, "beta": beta, **lists([looked_at(town.base(), seed) for seed in SEEDS])}
    rate, search = preferred_rate(beta)
    rows = [looked_at(prefer(kind, beta, rate, seed)[0], seed) for seed in SEEDS]
    longer = [mean(len(a) - len(b) for (_, a), (_, b) in zip(*compared(kind, seed)[:2], strict=True)) for seed in SEEDS]
    found = [len(compared(kind, seed)[0]) for seed in SEEDS]
    return {
        "kind": kind,
        "beta": beta,
        "rate": rate,
        "search": search,
        "longer": short(longer, 4),
        "pairs": found,
        **lists(rows),
        "losses": short(first_losses(kind, beta), 5),
    }


def first_losses(kind: str, beta: float) -> list[float]:
    """Those of a training with few prompts."""
    return prefer(kind, beta, LOW[-1], 0, KEPT, FEW)[1]


def run_ideal() -> dict:
    """For each β the share of doubles of π_before · exp(reward/β), and its KL to π_before in nats."""
    draws = torch.Generator().manual_seed(9500)
    prompts = [beginnings(True)[i % len(beginnings(True))] for i in range(PLACES)]
    answers = town.written(town.base(), torch.tensor(prompts).repeat_interleave(FINE, 0), draws)
    s = torch.tensor([bool(doubles(town.spelled(answer))) for answer in answers]).view(PLACES, FINE).double().mean(1)
    rows = {}
    for beta in BETAS:
        p = s * math.exp(REWARD / beta) / (1 - s + s * math.exp(REWARD / beta))
        kl = torch.special.xlogy(p, p / s.clamp(min=1e-9)) + torch.special.xlogy(
            1 - p, (1 - p) / (1 - s).clamp(min=1e-9)
        )
        rows[f"{beta:g}"] = short([p.mean().item(), kl.mean().item()], 4)
    return {"before": short([s.mean().item()], 4)[0], "betas": rows}


KINDS = (
    ("before", 0.0),
    *(("rule", beta) for beta in BETAS),
    *((kind, 1.0) for kind in ("matched", "length", "shuffled", "some")),
)
SETTINGS = {
    "updates": UPDATES, "rates": RATES, "ranks": RANKS, "alpha": ALPHA, "batch": BATCH, "search": SEARCH,
    "seeds": SEEDS, "pairs": PAIRS, "steps": STEPS, "low": LOW,
    "reward": REWARD, "betas": BETAS, "taught": TAUGHT, "prompts": PROMPTS, "answers": ANSWERS, "drawn": DRAWN,
    "fresh": FRESH,
}  # fmt: skip
STUDY = Study(
    "after_pretraining",
    SETTINGS,
    {
        "tuned": Part(run_tuned, [(arm,) for arm in ("before", *ARMS)], key=("arm",)),
        "preferred": Part(run_preferred, KINDS, key=("kind", "beta")),
        "ideal": Part(run_ideal, {"ideal": ()}),
    },
    minutes=15,
    again=[
        Again(
            "tuned",
            [("full",), ("rank 4",), ("norms",), ("unmasked",)],
            lambda arm, rate: tune(arm, rate, 0, KEPT)[1],
            "losses",
            ("rate",),
            abs=1e-3,
        ),
        Again("preferred", [("rule", 1.0), ("length", 1.0)], first_losses, "losses", abs=5e-3),
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
