"""The block of today, one part at a time, against the block of 2017.

    python studies/block_of_today.py

A decoder-only model of LAYERS blocks reads N letters. Each text has a chain of its own: after each letter one of two
letters follows, the first with probability 0.9; all texts are fresh, so the loss of the TEST texts is held out. Fixed
before the first run:

Base: pre-norm LayerNorm, ReLU with r = R neurons, sinusoids, biases in every map but the read-out, H full heads.
Variants: each changes one part of the base; "all" changes all. rotary: turned queries and keys, no sinusoids. rmsnorm.
gate: SwiGLU with 2R/3 neurons. no biases. grouped: 2 heads of keys and values for 4 of queries (fewer parameters; each
row has its count). qk-norm: queries and keys are divided by their root mean square, with a learned gain of each entry,
and the scores by √m as before. window: a token sees itself and the 7 before. sink: the window, and the first token too.
Rates: RATES, each by SEARCH seeds; the best of a variant has the smallest mean held-out nats. Then the SEEDS, which the
search has not seen. Fixed before the first run were three rates; the last was the best of every variant, so 0.03 was
added after that. Statistic: mean held-out nats a letter after UPDATES of Adam, same texts for all variants of a seed;
Welch's test of each variant against the base, the nine p-values corrected by Holm's method, level 0.05. A row that is
not significant is not told from the base.
"""

import sys

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_lib.results.study import Again, Part, Study
from course_lib.training import train
from course_lib.transformer import rotary, sinusoidal

VARIANTS = ("base", "rotary", "rmsnorm", "gate", "no biases", "grouped", "qk-norm", "window", "sink", "all")
ALL = frozenset(VARIANTS[1:-1])
LETTERS, N, BATCH, UPDATES, TEST = 8, 48, 32, 400, 512
LAYERS, D, H, R, NEAR = 2, 32, 4, 96, 8
RATES, SEARCH, SEEDS = (0.001, 0.003, 0.01, 0.03), (100, 101), (0, 1, 2, 3, 4)
KEPT = 5  # first losses of a row


def texts(b: int, generator: torch.Generator) -> Tensor:
    """Texts [b, N + 1], each by a chain of its own: two successors of each letter, drawn anew."""
    after = torch.rand(b, LETTERS, LETTERS, generator=generator).argsort(-1)[..., :2]  # [b, letters, 2]
    second = (torch.rand(b, N, generator=generator) > 0.9).long()
    letters, each = [torch.randint(LETTERS, (b,), generator=generator)], torch.arange(b)
    for t in range(N):
        letters.append(after[each, letters[-1], second[:, t]])
    return torch.stack(letters, 1)


class RMSNorm(nn.Module):
    """x [..., d] over its root mean square, times a gain of each entry."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * self.gain


def seen(n: int, parts: frozenset[str]) -> Tensor:
    """Which keys [n, n] each query may look at: those before, of a window, and with a sink the first."""
    back = torch.arange(n)[:, None] - torch.arange(n)
    mask = back >= 0
    if parts & {"window", "sink"}:
        mask = mask & (back < NEAR)
    if "sink" in parts:
        mask[:, 0] = True
    return mask


class Block(nn.Module):
    """One block on tokens [b, n, d], with the parts that are named."""

    def __init__(self, parts: frozenset[str]) -> None:
        super().__init__()
        self.parts, self.g = parts, H // 2 if "grouped" in parts else H
        bias, m, gated = "no biases" not in parts, D // H, "gate" in parts
        r = 2 * R // 3 if gated else R
        norm = RMSNorm if "rmsnorm" in parts else lambda d: nn.LayerNorm(d, bias=bias)
        self.norms = nn.ModuleList([norm(D), norm(D)])
        self.Q, self.O = nn.Linear(D, D, bias=bias), nn.Linear(D, D, bias=bias)
        self.K, self.V = (nn.Linear(D, self.g * m, bias=bias) for _ in range(2))
        self.gains = nn.ModuleList([RMSNorm(m), RMSNorm(m)]) if "qk-norm" in parts else None
        self.up, self.down = nn.Linear(D, r, bias=bias), nn.Linear(r, D, bias=bias)
        self.gate = nn.Linear(D, r, bias=bias) if gated else None

    def attend(self, x: Tensor, mask: Tensor) -> Tensor:
        b, n, m = *x.shape[:2], D // H
        q, k, v = (A(x).view(b, n, -1, m).transpose(1, 2) for A in (self.Q, self.K, self.V))  # [b, h or g, n, m]
        if self.gains is not None:
            q, k = self.gains[0](q), self.gains[1](k)
        if "rotary" in self.parts:
            turn = rotary(n, m, dtype=x.dtype)
            q, k = turn(q), turn(k)
        k, v = (a.repeat_interleave(H // self.g, 1) for a in (k, v))
        scores = (q @ k.mT / m**0.5).masked_fill(~mask, -torch.inf)
        return self.O((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, D))

    def think(self, x: Tensor) -> Tensor:
        return self.down(F.relu(self.up(x)) if self.gate is None else F.silu(self.gate(x)) * self.up(x))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = x + self.attend(self.norms[0](x), mask)
        return x + self.think(self.norms[1](x))


class Model(nn.Module):
    """Letters [b, n] to logits [b, n, letters]."""

    def __init__(self, parts: frozenset[str]) -> None:
        super().__init__()
        self.parts, self.E = parts, nn.Embedding(LETTERS, D)
        self.blocks = nn.ModuleList(Block(parts) for _ in range(LAYERS))
        self.norm = RMSNorm(D) if "rmsnorm" in parts else nn.LayerNorm(D, bias="no biases" not in parts)
        self.U = nn.Linear(D, LETTERS, bias=False)

    def forward(self, letters: Tensor) -> Tensor:
        n = letters.shape[1]
        x, mask = self.E(letters), seen(n, self.parts)
        if "rotary" not in self.parts:
            x = x + sinusoidal(n, D).to(x)
        for block in self.blocks:
            x = block(x, mask)
        return self.U(self.norm(x))


def parts_of(variant: str) -> frozenset[str]:
    return ALL if variant == "all" else frozenset({variant} - {"base"})


def loss(model: Model, batch: Tensor) -> Tensor:
    return F.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())


def run(variant: str, rate: float, seed: int, updates: int = UPDATES) -> dict:
    """One training, and its held-out nats a letter."""
    torch.manual_seed(seed)
    model, drawn = Model(parts_of(variant)), torch.Generator().manual_seed(1000 + seed)
    losses = train(
        model, lambda step: texts(BATCH, drawn), loss, torch.optim.Adam(model.parameters(), lr=rate), updates
    )
    with torch.no_grad():
        nats = loss(model, texts(TEST, torch.Generator().manual_seed(5000 + seed))).item()
    parameters = sum(p.numel() for p in model.parameters())
    return {
        "variant": variant,
        "rate": rate,
        "seed": seed,
        "parameters": parameters,
        "nats": round(nats, 4),
        "losses": [round(e, 5) for e in losses[:KEPT]],
    }


# All rates of all seeds: which is the best is read from SEARCH alone, and a reader can look at the others.
WANTED = [(variant, rate, seed) for variant in VARIANTS for rate in RATES for seed in (*SEARCH, *SEEDS)]
SETTINGS = {
    "letters": LETTERS,
    "n": N,
    "batch": BATCH,
    "updates": UPDATES,
    "layers": LAYERS,
    "d": D,
    "h": H,
    "r": R,
    "near": NEAR,
    "rates": RATES,
    "search": SEARCH,
    "seeds": SEEDS,
}
STUDY = Study(
    "block_of_today",
    SETTINGS,
    {"rows": Part(run, WANTED, key=("variant", "rate", "seed"))},
    minutes=25,
    again=[
        Again(
            "rows",
            [(variant, RATES[-1], 0) for variant in VARIANTS],
            lambda *key: run(*key, KEPT),
            ("losses", "parameters"),
            abs=1e-3,
        )
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
