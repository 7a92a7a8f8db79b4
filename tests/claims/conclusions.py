"""Chapter 4's page on the conclusions of source R: its theorems by simulation, and the stored study of errors and cures (R7)."""

import math
from functools import cache

import numpy as np
import torch
import torch.nn.functional as F

from course_lib.memoryless import Sizes, SourceModel
from course_lib.published import P, example
from course_lib.results import load
from course_lib.sources import Memoryless, divergence

from . import claim, rounding

SMALLEST, LARGEST = (16, 8, 4, 16), (128, 128, 64, 512)
SOURCE = Memoryless(P[4])


@cache
def study() -> dict:
    return load("cures")


@cache
def runs() -> dict[tuple, dict]:
    return {(tuple(row["shape"]), row["training"]): row for row in study()["rows"]}


def shapes() -> list[tuple[int, ...]]:
    return sorted({shape for shape, _ in runs()})


def errors(shape: tuple[int, ...], training: str) -> np.ndarray:
    """err of each seed's model, percentage points."""
    return 100 * abs(np.array(runs()[shape, training]["q"]) - SOURCE.p).max(-1)


def labels(shape: tuple[int, ...]) -> np.ndarray:
    """Shares of the words among each model's own labels."""
    return np.array(study()["counting"][str(list(shape))]["labels"])


def logs(name: str) -> np.ndarray:
    """For each of 16 seeds the mean over the shapes of log(err with the change / err as published)."""
    pairs = [(errors(s, name), errors(s, "as published")) for s in shapes() if (s, name) in runs()]
    return np.array([np.mean([math.log(a[i] / b[i]) for a, b in pairs if i < len(a) and a[i] != b[i]]) for i in range(16)])


# --- 1, 2: attention outweighs the embeddings; rows agree -------------------------------------------------------------
@claim("R7.ratio_small")
def ratio_in_the_smallest() -> float:
    return float(np.median(runs()[SMALLEST, "as published"]["course"]["mean ratio"][-1]))


@claim("R7.ratio_large")
def ratio_in_the_largest() -> float:
    return float(np.median(runs()[LARGEST, "as published"]["course"]["mean ratio"][-1]))


@claim("R7.rows")
def share_of_the_printed_z_that_differs_between_rows() -> float:
    Z = example()["Z"]
    return float(((Z - Z.mean(0)) ** 2).sum() / (Z**2).sum())


# --- 3: q hardly depends on the input ---------------------------------------------------------------------------------
@claim("R-E22.smallest")
def range_over_inputs_in_the_smallest() -> float:
    return float(np.median(runs()[SMALLEST, "as published"]["spread"]))


@claim("R-E22.largest")
def range_over_inputs_in_the_largest() -> float:
    return float(np.median(runs()[LARGEST, "as published"]["spread"]))


@claim("R-E22.below")
def models_whose_range_is_below_one_point() -> int:
    return sum(int((np.array(runs()[shape, "as published"]["spread"]) < 1).sum()) for shape in shapes())


@claim("R-E22.longer")
def range_over_inputs_after_8000_updates_in_the_smallest() -> float:
    return float(np.median(runs()[SMALLEST, "8,000 updates"]["spread"]))


# --- 4: oscillation, and size -----------------------------------------------------------------------------------------
@claim("R-E23.moment")
def mean_error_at_one_moment_in_the_largest() -> float:
    return float(np.mean(runs()[LARGEST, "as published"]["late error"]))


@claim("R-E23.mean")
def error_of_the_mean_prediction_in_the_largest() -> float:
    late = np.array(runs()[LARGEST, "as published"]["late mean q"])
    return float(100 * abs(late - SOURCE.p).max(-1).mean())


@claim("R-E23.slope")
def exponent_of_the_error_in_the_learnables() -> float:
    number = [study()["settings"]["learnables"][str(list(shape))] for shape in shapes()]
    x = np.log(np.repeat(number, [len(errors(shape, "as published")) for shape in shapes()]))
    y = np.log(np.concatenate([errors(shape, "as published") for shape in shapes()]))
    return float(np.polyfit(x, y, 1)[0])


@claim("R-E23.smaller")
def error_of_the_largest_over_that_of_the_smallest() -> float:
    return float(errors(LARGEST, "as published").mean() / errors(SMALLEST, "as published").mean())


@claim("R-E23.tail")
def factor_of_the_error_with_the_tail_mean() -> float:
    return math.exp(logs("tail mean").mean())


@claim("R-E23.cosine")
def factor_of_the_error_with_a_cosine() -> float:
    return math.exp(logs("cosine").mean())


@claim("R-E23.batch")
def factor_of_the_error_with_batch_64() -> float:
    return math.exp(logs("batch 64").mean())


@claim("R-E23.averaged_largest")
def mean_error_of_the_averaged_largest() -> float:
    return float(errors(LARGEST, "tail mean").mean())


@claim("R7.counted")
def correlation_of_the_tail_mean_with_its_labels() -> float:
    """Mean over the shapes: q₁ of the averaged model and the share of word 1 among its labels."""
    tails = {shape: np.array(runs()[shape, "tail mean"]["q"]) for shape in shapes()}
    return float(np.mean([np.corrcoef(q[:, 0], labels(shape)[:, 0])[0, 1] for shape, q in tails.items()]))


# --- the theorems -----------------------------------------------------------------------------------------------------
def long_run(p: np.ndarray, rate: float, batch: int) -> tuple[np.ndarray, float]:
    """The theorem's covariance of q, and its excess loss."""
    C = np.diag(p) - np.outer(p, p)
    inverse = np.linalg.inv(2 * np.eye(len(p)) - rate * C)
    return rate / batch * C @ C @ inverse, rate / (2 * batch) * float(np.trace(C @ inverse))


def walked(rate: float, batch: int, updates: int = 600, chains: int = 300) -> float:
    """Mean excess loss of SGD on logits that start at log p, over the last half of many walks."""
    generator, theta, excess = np.random.default_rng(0), np.tile(np.log(SOURCE.p), (chains, 1)), []
    for update in range(updates):
        q = np.exp(theta)
        q /= q.sum(1, keepdims=True)
        if 2 * update >= updates and update % 10 == 0:
            excess.append(divergence(SOURCE.p, q).mean())
        theta -= rate * (q - generator.multinomial(batch, SOURCE.p, size=chains) / batch)
    return float(np.mean(excess))


@claim("R7.walk", rtol=0.02)
def walked_excess_over_the_theorems() -> float:
    return walked(0.2, 16) / long_run(SOURCE.p, 0.2, 16)[1]


def books(updates: int = 20, rate: float = 0.1) -> np.ndarray:
    """Mean prediction − shares of the labels + (end − start of w_3)/(rate · updates), whole model, plain SGD."""
    sizes = Sizes(4, 8, 4, 4, 16)
    model, drawn = SourceModel(sizes, dtype=torch.float64), np.random.default_rng(1)
    optimiser = torch.optim.SGD(model.parameters(), lr=rate)
    before, balance = model.w_3.detach().clone(), torch.zeros(4, dtype=torch.float64)
    for _ in range(updates):
        words = torch.from_numpy(SOURCE.sample(16, sizes.n + 1, drawn)).long()
        logits = model(words[:, :-1])
        balance += (logits.detach().softmax(-1) - F.one_hot(words[:, -1], 4)).mean(0) / updates
        optimiser.zero_grad()
        F.cross_entropy(logits, words[:, -1]).backward()
        optimiser.step()
    return (balance + (model.w_3.detach() - before) / (rate * updates)).numpy()


@claim("R7.books")
def mean_prediction_minus_labels_corrected() -> float:
    return rounding(float(abs(books()).max()))


def read_out_rate(optimiser: str, rate: float = 0.01, updates: int = 30) -> float:
    """Largest difference of the logits of z W_3 + w_3 from those of a bias alone at the theorem's rate."""
    generator = torch.Generator().manual_seed(0)
    z, targets = (torch.randn(6, generator=generator, dtype=torch.float64) for _ in range(2))
    targets = torch.randint(0, 4, (updates, 16), generator=generator)
    size = z.square().sum() if optimiser == "SGD" else z.abs().sum()
    kinds = {"SGD": {}, "Adam": {"eps": 0.0, "betas": (0.9, 0.95)}}[optimiser]

    def train(parameters, logits, rate):
        optim, seen = getattr(torch.optim, optimiser)(parameters, lr=rate, **kinds), []
        for labels in targets:
            row = logits()
            optim.zero_grad()
            F.cross_entropy(row.expand(16, 4), labels).backward()
            optim.step()
            seen.append(row.detach().clone())
        return torch.stack(seen)

    W = torch.zeros(6, 4, dtype=torch.float64, requires_grad=True)
    w, alone = (torch.zeros(4, dtype=torch.float64, requires_grad=True) for _ in range(2))
    both = train([W, w], lambda: z @ W + w, rate)
    bias = train([alone], lambda: alone * 1, rate * (1 + size.item()))
    return float((both - bias).abs().max())


@claim("R7.read_out")
def read_out_at_its_rate_minus_a_bias_at_a_higher_one() -> float:
    return rounding(max(read_out_rate("SGD"), read_out_rate("Adam")), 1e-9)
