"""Tokens in depth: how many groups form and stay, what fresh random values do, where a stack loses its tokens, and what
real models do.

    python studies/tokens_in_depth.py          (needs requirements/models.txt; about eight minutes of one core)

Fixed before the first run of the table (two short looks at single cells had shown which ranges are worth while):

circle: N tokens on the circle, Q = K = V = I, step STEP, BETAS, SEEDS seeds, two starts. "even": angles 2πi/N plus
normal noise of NOISE, the case of Bruno, Pasqualotto and Agazzi (2025). "drawn": each angle by itself, the control.
Counted every EVERY layers are the groups (tokens nearer than 0.1, and chains). "first" is the first number of groups
below N/4 that stays for HELD layers, None where none does in LAYERS; "left" is the number at the end.
values: n = 32 tokens in d dimensions, β = 1, step 0.1, 1,500 layers. V: the identity; one matrix with entries of
variance 1/d for all layers; such a matrix anew a layer. "groups" at the end, the mean and the smallest cosine.
map: n = d = 64, 12 layers x ← unit(α x + √(1 − α²) softmax(s x G xᵀ) x V), G standard normal, V normal of variance 1/d,
both anew a layer. "cosine" after the layers, "keys": 1/Σw² in the last one, of the mean over queries; five seeds a
cell. "wide": the cells of WIDE with d = 512.
predicted: the same without any token: only the mean cosine c is followed, see `predicted`.
translator: the tokens of 24 test sentences, each to length √d; x ← √d unit(x + Σ_h softmax(x C_h xᵀ) x M_h), the
matrices of one layer of the shipped translator in all PASSES passes, no feed-forward layer. V: the layer's own; "one":
normal matrices of the same size M_h has, the same in all passes; "fresh": anew a pass. Mean cosine over the sentences
after each pass; of random ones five seeds.
models: of PASSAGES passages of 40 words (the first token left out), behind every layer the mean cosine of two different
tokens of a passage, of tokens of two different passages, of the same words in another order; and of a passage once the
mean of all passages is taken off.
"""

import sys
from typing import Any

import numpy as np
import torch

from course_lib.gaussian.sphere import groups, mean_cosine, sphere_layer, unit, weights
from course_lib.results.study import Again, Part, Study
from course_lib.results.workers import Once
from studies.quantisation import passages

N, STEP, BETAS, SEEDS, NOISE, LAYERS, EVERY, HELD = 128, 0.1, (2, 5, 9, 16, 25), 20, 0.01, 1000, 10, 100
WIDTHS, VALUES, LONG, LIST = (2, 3, 8, 32), ("identity", "one", "fresh"), 1500, 32
SCALES, ALPHAS, DEEP, WIDE = (
    (0.5, 1, 2, 3, 4, 6, 8, 12, 16),
    (0, 0.5, 0.7, 0.8, 0.9, 0.97),
    12,
    ((0.5, 0.9), (2, 0.7), (4, 0.7), (8, 0.5)),
)
FEW, DRAWS, PASSES, TEXTS, WORDS, PASSAGES = 5, 400, 20, 24, 40, 24


def circle(beta: float, start: str, seed: int, layers: int = LAYERS) -> dict[str, Any]:
    """One run on the circle: the first number of groups that stays, and the last."""
    generator = np.random.default_rng(seed)
    turn = 2 * np.pi * (np.arange(N) / N if start == "even" else generator.random(N))
    turn = turn + (NOISE * generator.standard_normal(N) if start == "even" else 0)
    x, counts = np.stack([np.cos(turn), np.sin(turn)], 1), []
    for layer in range(layers):
        x = sphere_layer(x, beta, STEP)
        if (layer + 1) % EVERY == 0:
            counts.append(int(groups(x).max()) + 1)
    return {"beta": beta, "start": start, "seed": seed, "first": first_held(counts), "left": counts[-1]}


def first_held(counts: list[int]) -> int | None:
    """The first number of groups below N/4, and of more than one, that stays for HELD layers; 1 where there is one
    group from the start on.

    At an even start all tokens are one chain round the circle, so one group counts only where nothing follows.
    """
    window = HELD // EVERY
    for i in range(len(counts) - window + 1):
        if 1 < counts[i] < N / 4 and len(set(counts[i : i + window])) == 1:
            return counts[i]
    return 1 if counts[-1] == 1 else None


def values(d: int, value: str, seed: int, layers: int = LONG) -> dict[str, Any]:
    generator = np.random.default_rng(seed)
    x, V = unit(generator.standard_normal((LIST, d))), np.eye(d)[None]
    for layer in range(layers):
        if value == "fresh" or (value == "one" and layer == 0):
            V = generator.standard_normal((1, d, d)) / np.sqrt(d)
        x = sphere_layer(x, 1, STEP, V)
    return {
        "d": d,
        "value": value,
        "seed": seed,
        "groups": int(groups(x).max()) + 1,
        "cosine": round(mean_cosine(x), 4),
        "least": round(float((x @ x.T).min()), 4),
    }


def stack(s: float, alpha: float, seed: int, d: int = 64, n: int = 64) -> tuple[float, float]:
    """(mean cosine, keys) after DEEP layers of random attention."""
    generator = np.random.default_rng(seed)
    x, beta = unit(generator.standard_normal((n, d))), np.sqrt(1 - alpha**2)
    for _ in range(DEEP):
        G, V = generator.standard_normal((d, d)), generator.standard_normal((d, d)) / np.sqrt(d)
        A = weights(s * x @ G @ x.T)
        x = unit(alpha * x + beta * A @ x @ V)
    return mean_cosine(x), float(1 / np.square(A).sum(1).mean())


def predicted(s: float, alpha: float, n: int = 64) -> tuple[float, float]:
    """The same from the mean cosine alone, d → ∞: the scores of two queries are normal, with spread s√(1 − c) and
    correlation c.

    With P = E Σ_j w_j² and R = E Σ_j w_j w'_j of two queries, the averages of the values have length² c + (1 − c) P and
    product c + (1 − c) R. A random V keeps lengths and products, and makes what is added orthogonal to what was there.
    """
    generator, c = np.random.default_rng(0), 0.0
    for _ in range(DEEP):
        own, other = generator.standard_normal((2, DRAWS, n))
        spread = s * np.sqrt(1 - c)
        w, v = weights(spread * own), weights(spread * (c * own + np.sqrt(1 - c * c) * other))
        P, R = np.square(w).sum(1).mean(), (w * v).sum(1).mean()
        c = (alpha**2 * c + (1 - alpha**2) * (c + (1 - c) * R)) / (alpha**2 + (1 - alpha**2) * (c + (1 - c) * P))
    return float(c), float(1 / P)


def cell(s: float, alpha: float, d: int = 64) -> dict[str, Any]:
    found = [stack(s, alpha, seed, d) for seed in range(FEW)]
    cosine, keys = predicted(s, alpha)
    means = {"cosines": [round(c, 4) for c, _ in found], "keys": [round(k, 3) for _, k in found]}
    return {
        "s": s,
        "alpha": alpha,
        "d": d,
        **means,
        "predicted cosine": round(cosine, 4),
        "predicted keys": round(keys, 3),
    }


def _sentences() -> list[np.ndarray]:
    from course_lib.shipped import translator
    from course_lib.text.corpora import english_french

    model, english, _, _ = translator()
    with torch.no_grad():
        return [
            model.source_embedding(torch.tensor([english.encode(pair.source)]))[0].double().numpy()
            for pair in english_french().test[:TEXTS]
        ]


sentences = Once(_sentences)


def translated(layer: int, value: str, seed: int, passes: int = PASSES) -> dict[str, Any]:
    from course_lib.shipped import translator

    look = translator().model.encoder.blocks[layer].attention
    W_Q, W_K, W_V, W_O = (each.detach().double().numpy() for each in (look.W_Q, look.W_K, look.W_V, look.W_O))
    C, M, d = W_Q @ W_K.swapaxes(1, 2) / np.sqrt(W_Q.shape[2]), W_V @ W_O, W_Q.shape[1]
    size, generator = np.linalg.norm(M, axis=(1, 2), keepdims=True), np.random.default_rng(seed)
    lists = [unit(x) for x in sentences()]
    path = [np.mean([mean_cosine(x) for x in lists])]
    for done in range(passes):
        if value == "fresh" or (value == "one" and done == 0):
            M = generator.standard_normal(M.shape)
            M = M / np.linalg.norm(M, axis=(1, 2), keepdims=True) * size
        lists = [
            sphere_layer(x, d, 1, len(M) * M, C) for x in lists
        ]  # rows of length √d: scores d times those of unit rows
        path.append(np.mean([mean_cosine(x) for x in lists]))
    return {"layer": layer, "value": value, "seed": seed, "cosines": [round(float(c), 4) for c in path]}


def shuffled(text: str, seed: int) -> str:
    words = text.split()
    return " ".join(words[i] for i in np.random.default_rng(seed).permutation(len(words)))


def behind(name: str, text: str) -> np.ndarray:
    """The vectors behind every layer, of all tokens but the first, each to length 1: [layers + 1, n, d]."""
    from course_lib.pretrained.minilm import MiniLM
    from course_lib.pretrained.smollm import SmolLM

    return {"MiniLM": MiniLM, "SmolLM2": SmolLM}[name].load().read(text).hidden[:, 1:].double().numpy()


def cosines(name: str, count: int = PASSAGES) -> list[dict[str, Any]]:
    texts = passages(count, WORDS, apart=400)
    own = [behind(name, text) for text in texts]
    mixed = [behind(name, shuffled(text, seed)) for seed, text in enumerate(texts)]
    rows = []
    for layer in range(len(own[0])):
        x = [unit(each[layer]) for each in own]
        middle = np.concatenate([each[layer] for each in own]).mean(0)
        found = {
            "own": [mean_cosine(each) for each in x],
            "other": [float((x[i] @ x[i - 1].T).mean()) for i in range(len(x))],
            "shuffled": [mean_cosine(unit(each[layer])) for each in mixed],
            "centred": [mean_cosine(unit(each[layer] - middle)) for each in own],
        }
        rows.append(
            {"model": name, "layer": layer, **{key: [round(float(c), 4) for c in each] for key, each in found.items()}}
        )
    return rows


WANTED = {
    "circle": [(beta, start, seed) for beta in BETAS for start in ("even", "drawn") for seed in range(SEEDS)],
    "values": [(d, value, seed) for d in WIDTHS for value in VALUES for seed in range(SEEDS)],
    "map": {(s, alpha, 64): (s, alpha) for s in SCALES for alpha in ALPHAS}
    | {(s, alpha, 512): (s, alpha, 512) for s, alpha in WIDE},
    "translator": [
        (layer, value, seed)
        for layer in (0, 1)
        for value in ("own", "one", "fresh")
        for seed in range(1 if value == "own" else FEW)
    ],
    "models": {(name, 0): (name,) for name in ("MiniLM", "SmolLM2")},
}
KEYS = {
    "circle": ("beta", "start", "seed"),
    "values": ("d", "value", "seed"),
    "map": ("s", "alpha", "d"),
    "translator": ("layer", "value", "seed"),
    "models": ("model", "layer"),
}
RUNS = {"circle": circle, "values": values, "map": cell, "translator": translated, "models": cosines}
SETTINGS = {
    "n": N, "step": STEP, "betas": BETAS, "seeds": SEEDS, "noise": NOISE, "layers": LAYERS, "every": EVERY,
    "held": HELD, "widths": WIDTHS, "long": LONG, "list": LIST,
    "scales": SCALES, "alphas": ALPHAS, "deep": DEEP, "few": FEW, "draws": DRAWS, "passes": PASSES, "texts": TEXTS,
    "words": WORDS, "passages": PASSAGES,
}  # fmt: skip
STUDY = Study(
    "tokens_in_depth",
    {"settings": SETTINGS},
    {name: Part(RUNS[name], WANTED[name], key=KEYS[name]) for name in WANTED},
    minutes=8,
    again=[
        Again("circle", [(5, "even", 1), (25, "drawn", 2)], circle, rel=1e-9),
        Again("values", [(3, "fresh", 0), (2, "one", 5)], values, ("groups", "cosine", "least"), abs=1e-3),
        Again(
            "map",
            [(0.5, 0.8, 64), (6, 0.7, 64)],
            cell,
            ("cosines", "keys", "predicted cosine", "predicted keys"),
            rel=1e-3,
            abs=1e-3,
        ),
        Again(
            "translator",
            [(1, "own", 0), (1, "fresh", 1)],
            lambda *key: translated(*key, passes=2),
            ("cosines",),
            abs=2e-4,
        ),
        Again("models", [("MiniLM", 0)], lambda name: cosines(name, 2), ("own", "shuffled"), abs=2e-3),
    ],
)

if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
