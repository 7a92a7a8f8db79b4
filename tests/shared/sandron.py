"""Source R: its three tables and its worked example, replayed from the printed figures."""

from functools import cache

import numpy as np
import torch

from course_lib import published
from course_lib.memoryless import Sizes, shapes
from course_lib.published import P, rows
from tests.shared.record import rounding
from tests.shared.seeded import F64, rng, seeded

ROUNDING = 0.005  # of a printed percentage


@cache
def example() -> dict[str, np.ndarray]:
    return published.example()


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    weights = np.exp(scores - scores.max(axis, keepdims=True))
    return weights / weights.sum(axis, keepdims=True)


def cross_entropy(p: np.ndarray, q: np.ndarray) -> float:
    """H(p, q) in nats per word."""
    return float(-(p * np.log(q)).sum())


def sizes(row: published.PublishedRow) -> Sizes:
    return Sizes(row.v, row.n, row.d, row.m, row.r)


EXAMPLE = Sizes(v=4, n=8, d=4, m=4, r=16)


def rows_whose_error_agrees() -> int:
    # |p - q| is known to the rounding of q, and the printed error to its own
    gaps = [abs(100 * abs(row.q - P[row.v]).max() - row.error) for row in rows()]
    return int(sum(gap <= 2 * ROUNDING + 1e-9 for gap in gaps))


def rows_whose_loss_agrees() -> int:
    agreeing = 0
    for row in rows():
        half = 5e-6 if row.v == 2 else 5e-5  # losses are printed to five decimals in Table 3, to four in 4 and 5
        low, high = (cross_entropy(P[row.v], row.q + shift / 100) for shift in (ROUNDING, -ROUNDING))
        agreeing += low - half - 1e-12 <= row.loss <= high + half + 1e-12
    return int(agreeing)


def rows_expected_not_to_sum_to_100() -> float:
    """Of 48 rows, how many would miss 100.00 if each entry were rounded by itself (simulated round the printed q)."""
    generator = rng()
    missing = 0.0
    for row in (row for row in rows() if row.v > 2):
        q = 100 * row.q + generator.uniform(-ROUNDING, ROUNDING, (2000, row.v))
        exact = 100 * q / q.sum(1, keepdims=True)
        missing += (np.round(exact, 2).sum(1).round(2) != 100).mean()
    return missing


def replay(scores: str, axis: int, transposed: bool, scale: float) -> float:
    """Largest difference from the printed A, for one reading of the formula."""
    x = example()
    product = x["Q"] @ x["K"].T if scores == "QK" else x["K"] @ x["Q"].T
    weights = softmax(product / scale, axis)
    return float(abs((weights.T if transposed else weights) @ x["V"] - x["A"]).max())


def replays() -> dict[tuple, float]:
    """All sixteen readings: which product, softmax along which axis, transposed after it or not, divided by 2 or not."""
    return {
        key: replay(*key) for key in
        ((s, a, t, c) for s in ("QK", "KQ") for a in (0, 1) for t in (False, True) for c in (1.0, 2.0))
    }  # fmt: skip


def replay_of_the_best_other_form() -> float:
    right = {("QK", 1, False, 2.0), ("KQ", 0, True, 2.0)}  # the same thing written twice
    return min(error for key, error in replays().items() if key not in right)


def smallest_singular_value(name: str) -> float:
    matrix = example()[name]
    return float(np.linalg.svd(matrix - matrix.mean(0))[1][-1])


def gradients(seed: int = 0) -> dict[str, torch.Tensor]:
    """Gradient of the printed model's loss over 64 random sequences, at random parameters (v 4, n 8, d 4, m 4, r 16)."""
    g = seeded(seed)
    w = {
        k: torch.randn(s, generator=g, **F64, requires_grad=True)
        for k, s in shapes(EXAMPLE).items()
    }
    words, next_words = torch.randint(0, 4, (64, 8), generator=g), torch.randint(0, 4, (64,), generator=g)
    norm = torch.nn.functional.layer_norm
    x = w["E"][words] + w["P"]
    q, k, v = (x @ w[f"W_{s}"] + w[f"w_{s.lower()}"] for s in "QKV")
    a = torch.softmax(q @ k.mT / 2, -1) @ v  # 2 = √m
    y = norm(x + a @ w["W_O"] + w["w_o"], (4,), w["gamma_1"], w["beta_1"])
    z = norm(y + torch.relu(y @ w["W_1"] + w["w_1"]) @ w["W_2"] + w["w_2"], (4,), w["gamma_2"], w["beta_2"])
    loss = torch.nn.functional.cross_entropy(z[:, -1] @ w["W_3"] + w["w_3"], next_words)
    return dict(zip(w, torch.autograd.grad(loss, list(w.values())), strict=True))


def learnables_with_zero_gradient() -> int:
    # a ReLU unit may be silent by chance: only what is zero at every seed is zero by construction
    runs = [gradients(seed) for seed in range(5)]
    return sum(int((torch.stack([abs(g[name]) for g in runs]).amax(0) < 1e-12).sum()) for name in runs[0])


def step_errors() -> dict[str, float]:
    """Each step of the worked example from the printed matrices before it: largest difference from the printed result."""
    x = example()
    logit = x["z_8"] @ x["W_3"] + x["w_3"]
    made = {
        "X": x["E"][x["x"] - 1] + x["P"],
        "A": softmax(x["Q"] @ x["K"].T / 2) @ x["V"],
        "A_O": x["A"] @ x["W_O"] + x["w_o"],
        "Y": x["X"] + x["A_O"],
        "z_8": x["Z"][7],
        "logit": logit,
        "q": softmax(logit),
    }
    return {name: float(abs(value - x[name]).max()) for name, value in made.items()}


def difference_with_w_o_transposed() -> float:
    x = example()
    return float(abs(x["A"] @ x["W_O"].T + x["w_o"] - x["A_O"]).max())


def largest_ratio_of_a_column() -> float:
    return float((np.linalg.norm(example()["A_O"], axis=0) / np.linalg.norm(example()["X"], axis=0)).max())


def rows_read_out() -> np.ndarray:
    """Probabilities [n, v] when the last layer reads every printed row of Z, not only the last."""
    x = example()
    return softmax(x["Z"] @ x["W_3"] + x["w_3"])


def spread_of_the_rows_of_word_4() -> float:
    """Largest |difference from the printed q| in percentage points, rows where x_i = 4 (the last row's word)."""
    gaps = 100 * abs(rows_read_out() - example()["q"]).max(1)
    return float(rounding(gaps[example()["x"] == 4].max()))


def spread_of_the_rows_of_word_1() -> float:
    """The same for the rows where x_i = 1."""
    gaps = 100 * abs(rows_read_out() - example()["q"]).max(1)
    return float(gaps[example()["x"] == 1].max())
