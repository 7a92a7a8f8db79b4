"""Teacher and student of chapter 6 against source G's own loops, as published, in NumPy: three bars, paired in one run.

    python -m benchmarks.gaussian [repeats]

1. β by full-batch descent: d = 164, m = 66, 300 examples of which 225 train, 80 steps. Both sides run whole.
2. β through T = 10 layers: d = 44, m = 16, 225 examples, 3,000 steps. Ours runs whole. The loop is timed on STEPS steps
   and multiplied: every step does the same work. The same β: a plain loop over all 3,000 steps, on FEW of the examples,
   must give it.
3. All matrices: d = 64, m = c = 36, one epoch of 225 examples in batches of 32. And the floor: the operations that ours
   has left, at the speed at which this machine multiplies a batch [8, 64, 64] by [64, 36], over and over in the cache.

One thread, which must be said before NumPy is imported. In turns, by CPU time; the ratio is the median of the paired
ratios.
"""
# ruff: noqa: E402

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from course_lib.gaussian.beta import Examples, descend, losses_in_beta, slope_of, teach
from course_lib.gaussian.layers import interpolated_loss, slope_within
from course_lib.gaussian.matrices import train_matrices
from course_lib.heads import Heads, random_heads

STEPS, FEW = 3, 3


def columns(heads: Heads) -> tuple[np.ndarray, ...]:
    """W, V, Q, K as the source writes them: maps act from the left."""
    return heads.W_O[0].T, heads.W_V[0].T, heads.W_Q[0].T, heads.W_K[0].T


def training_beta(examples: Examples, heads: Heads, eps: float, maxIt: int, lr: float) -> float:
    """`training_beta` of the appendix, lines 24 to 41: descent with all examples."""
    W, V, Q, K = columns(heads)
    A, d_in = W @ V, heads.d
    alpha = eps / np.sqrt(len(Q))
    beta = 0.0
    for _ in range(maxIt):
        loss = grad = 0.0
        for S, Tgt in zip(examples.inputs, examples.targets, strict=True):
            F = A @ S @ K.T @ Q @ S + S @ Q.T @ K @ S @ A.T
            P = S + alpha * beta * F
            E = P - Tgt
            loss = loss + np.sum((P - Tgt) ** 2) / d_in**2
            grad = grad + 2 * alpha * np.sum(E * F) / d_in**2
        grad = grad / len(examples)
        beta = beta - lr * grad
    return beta


def training_multistep(examples: Examples, heads: Heads, eps: float, maxIt: int, lr: float, T: int) -> float:
    """`training_multistep` of the appendix, lines 29 to 59."""
    W, V, Q, K = columns(heads)
    A, d_in = W @ V, heads.d
    alpha = eps / np.sqrt(len(Q))
    beta = 0.0
    for _ in range(maxIt):
        loss = grad = 0.0
        for S0, Sout in zip(examples.inputs, examples.targets, strict=True):
            S, G = S0, np.zeros((d_in, d_in))
            for _ in range(T):
                F = alpha * (A @ S @ K.T @ Q @ S + S @ Q.T @ K @ S @ A.T)
                DF_G = alpha * (
                    A @ G @ K.T @ Q @ S + A @ S @ K.T @ Q @ G + G @ Q.T @ K @ S @ A.T + S @ Q.T @ K @ G @ A.T
                )
                S = S + beta * F
                G = G + F + beta * DF_G
            E = S - Sout
            loss = loss + np.sum((S - Sout) ** 2) / d_in**2
            grad = grad + 2 / d_in**2 * np.sum(E * G)
        grad = grad / len(examples)
        beta = beta - lr * grad
    return beta


def training_matrix(
    examples: Examples, start: Heads, eps: float, maxIt: int, lr: float, miniBatch: int, printed: bool = False
) -> tuple[Heads, np.ndarray]:
    """`training_matrix` of the appendix, lines 31 to 71; with `printed`, its line for gradA as it stands there."""
    W, V, Q, K = columns(start)
    d_in = start.d
    alpha = eps / np.sqrt(len(Q))
    history = np.zeros(maxIt)
    for it in range(maxIt):
        totSE = 0.0
        for b in range(0, len(examples), miniBatch):
            gradW, gradV, gradQ, gradK = np.zeros_like(W), np.zeros_like(V), np.zeros_like(Q), np.zeros_like(K)
            batch = range(b, min(b + miniBatch, len(examples)))
            for jj in batch:
                S_in, S_out = examples.inputs[jj], examples.targets[jj]
                A = W @ V
                X = S_in @ K.T @ Q @ S_in
                Y = S_in @ Q.T @ K @ S_in
                S_pred = S_in + alpha * (W @ V @ S_in @ K.T @ Q @ S_in + S_in @ Q.T @ K @ S_in @ V.T @ W.T)
                E = S_pred - S_out
                totSE = totSE + np.sum(E**2)
                G = (2 / d_in**2) * E
                gradA = alpha * (G @ X.T + (G @ Y.T if printed else G @ Y))
                gradW = gradW + gradA @ V.T
                gradV = gradV + W.T @ gradA
                term1Q = K @ S_in @ A.T @ G @ S_in
                term2Q = S_in @ G @ A @ S_in @ K.T
                gradQ = gradQ + alpha * (term1Q + term2Q.T)
                termK = S_in @ A.T @ G @ S_in @ Q.T
                gradK = gradK + 2 * alpha * termK.T
            nb = len(batch)
            W, V, Q, K = W - lr * (gradW / nb), V - lr * (gradV / nb), Q - lr * (gradQ / nb), K - lr * (gradK / nb)
        history[it] = totSE / (len(examples) * d_in**2)
    return Heads(Q.T[None], K.T[None], V.T[None], W.T[None], start.scale), history


def timed(function: Callable[[], object]) -> tuple[float, object]:
    """CPU seconds, and the result."""
    begin = time.process_time()
    result = function()
    return time.process_time() - begin, result


def paired(
    name: str, theirs: Callable, ours: Callable, repeats: int, factor: float = 1.0
) -> tuple[float, object, object]:
    """Median ratio of the paired times (theirs multiplied by `factor`), and the results of the last pair."""
    ours()
    pairs = [(timed(theirs), timed(ours)) for _ in range(repeats)]
    ratio = statistics.median(factor * a / b for (a, _), (b, _) in pairs)
    loop, fast = (statistics.median(each) for each in zip(*((factor * a, b) for (a, _), (b, _) in pairs), strict=True))
    print(f"{name}: the loop {loop:.3g} s, ours {fast:.3g} s, {ratio:.{1 if ratio < 10 else 0}f} times")
    return ratio, pairs[-1][0][1], pairs[-1][1][1]


def one_layer(repeats: int) -> None:
    generator = np.random.default_rng(1)
    heads = random_heads(164, 66, generator=generator)
    examples = teach(heads, 300, step=0.1, generator=generator)[:225]
    rate = 0.1

    def ours() -> float:
        return descend(slope_of(losses_in_beta(examples, heads, step=0.1).mean(0)), rate=rate, steps=80)[-1]

    ratio, theirs, mine = paired(
        "one layer, 80 steps", lambda: training_beta(examples, heads, 0.1, 80, rate), ours, repeats
    )
    print(
        f"    bar 150: {'met' if ratio >= 150 else 'MISSED'}; β = {mine:.6f}, difference "
        f"{abs(theirs - mine):.1e} (bar 1e-10)"
    )


def ten_layers(repeats: int) -> None:
    generator = np.random.default_rng(1)
    heads = random_heads(44, 16, generator=generator)
    examples = teach(heads, 300, step=1e-3, layers=10, generator=generator)[:225]

    def ours(examples: Examples = examples) -> float:
        return descend(slope_within(interpolated_loss(examples, heads, step=1e-3, layers=10)), rate=0.5, steps=3000)[-1]

    ratio, _, _ = paired(
        f"ten layers, 3,000 steps (the loop: {STEPS} steps, times {3000 // STEPS})",
        lambda: training_multistep(examples, heads, 1e-3, STEPS, 0.5, 10), ours, repeats, 3000 / STEPS,
    )  # fmt: skip
    few = examples[:FEW]
    error = abs(training_multistep(few, heads, 1e-3, 3000, 0.5, 10) - ours(few))
    print(
        f"    bar 1,500: {'met' if ratio >= 1500 else 'MISSED'}; β on {FEW} examples, all 3,000 steps: "
        f"difference {error:.1e} (bar 1e-8)"
    )


def all_matrices(repeats: int, epochs: int = 3) -> None:
    generator = np.random.default_rng(1)
    d, m, b, step = 64, 36, 32, 0.1
    examples = teach(random_heads(d, m, c=m, generator=generator), 300, step=step, generator=generator)[:225]
    start = random_heads(d, m, c=m, generator=generator)
    ratio, (theirs, _), mine = paired(
        f"all matrices, {epochs} epochs of 225 in batches of {b}",
        lambda: training_matrix(examples, start, step, epochs, 0.1, b),
        lambda: train_matrices(start, examples, step=step, rate=0.1, epochs=epochs, batch=b, generator=None), repeats,
    )  # fmt: skip
    error = max(abs(getattr(theirs, name) - getattr(mine.heads, name)).max() for name in ("W_Q", "W_K", "W_V", "W_O"))
    print(f"    bar 4.5: {'met' if ratio >= 4.5 else 'MISSED'}; largest difference of a weight {error:.1e}")
    flops = (
        20 * d * d * m * len(examples) * epochs
    )  # ten products [d, d] by [d, m] an example; what is done once a batch left out
    batch, W = examples.inputs[:8], start.W_Q[0]
    product = 2 * d * d * m * len(batch)
    large = generator.standard_normal((1024, 1024))
    peak = max(
        2 * 1024**3 / timed(lambda: large @ large)[0] for _ in range(5)
    )  # what one thread multiplies at its best
    floors, reached = [], []
    for _ in range(max(5, repeats)):
        fast = timed(
            lambda: train_matrices(start, examples, step=step, rate=0.1, epochs=epochs, batch=b, generator=None)
        )[0]
        reached.append(flops / fast / peak)
        needed = flops / product * timed(lambda: [batch @ W for _ in range(400)])[0] / 400
        floors.append(fast / needed)
    floor = statistics.median(floors)
    rate = statistics.median(reached)
    print(
        f"    {rate:.2f} of the rate of one large product: with as many operations it could be {1 / rate:.1f} "
        f"times as fast at most"
    )
    print(
        f"    its {flops / 1e9:.2f} GFLOP by batched matmul alone: ours takes {floor:.2f} times that; bar 2: "
        f"{'met' if floor <= 2 else 'MISSED'}"
    )


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    one_layer(repeats)
    ten_layers(repeats)
    all_matrices(repeats)


if __name__ == "__main__":
    main()
