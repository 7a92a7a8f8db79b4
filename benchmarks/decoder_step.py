"""A training step of our decoder-only model against the same model from nn.TransformerEncoderLayer, one thread, in turns.

    python -m benchmarks.decoder_step [BURSTS]      milliseconds, ratio and number of parameters per size (bar: at most 1.1)

A step is forward, cross-entropy, backward and Adam. Both models start from the same numbers and read the same tokens; before
any time is taken their losses and one step's losses are compared. The two take turns in bursts of a few steps, the first one
changing every turn, and are measured in CPU time, so that whatever else this machine does meets both and counts little; a time
is the median over all steps, and the ratio the median over pairs of bursts. PyTorch's own model runs as fast as it can be asked
to: causal by flag, no weights given back.
"""

import statistics
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_lib.checks import trusted
from course_lib.transformer import LanguageModel, sinusoidal
from tests.shared import torch_weights as tw

ROOT = Path(__file__).resolve().parents[1]

VOCAB = 64
SIZES = [  # layers, d, h, r, tokens n, batch b
    (2, 64, 4, 256, 64, 16),
    (4, 128, 4, 512, 64, 16),
    (2, 64, 4, 256, 32, 32),
]
STEPS, WARM_UP, BAR = 5, 3, 1.1


class Reference(nn.Module):
    """The same decoder-only model from PyTorch's layers: tied read-out, √d, sinusoids, pre-norm, biases."""

    def __init__(self, layers: int, d: int, h: int, r: int, n: int) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(d, h, r, dropout=0.0, batch_first=True, norm_first=True)
        self.E = nn.Parameter(torch.empty(VOCAB, d))
        self.stack = nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(d), enable_nested_tensor=False)
        self.register_buffer("P", sinusoidal(n, d))
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(n))

    def forward(self, tokens: Tensor) -> Tensor:
        x = F.embedding(tokens, self.E) * self.E.shape[1] ** 0.5 + self.P  # [b, n, d]
        return self.stack(x, mask=self.mask, is_causal=True) @ self.E.T


class Ours(nn.Module):
    def __init__(self, layers: int, d: int, h: int, r: int, n: int) -> None:
        super().__init__()
        self.model = LanguageModel(VOCAB, layers, d, d // h, h, r, bias=True, longest=n)

    def forward(self, tokens: Tensor) -> Tensor:
        with trusted():
            return self.model(tokens).logits

    def copy(self, theirs: Reference) -> None:
        stack = {f"stack.{name}": tensor for name, tensor in tw.stack(theirs.stack, tw.value).items()}
        self.model.load_state_dict(stack | {"embedding.E": theirs.E.detach()})


def pair(layers: int, d: int, h: int, r: int, n: int) -> tuple[Ours, Reference]:
    generator = torch.Generator().manual_seed(0)
    theirs, ours = Reference(layers, d, h, r, n), Ours(layers, d, h, r, n)
    with torch.no_grad():
        for parameter in theirs.parameters():
            if parameter.ndim > 1:
                parameter.copy_(torch.randn(parameter.shape, generator=generator) / parameter.shape[-1] ** 0.5)
    ours.copy(theirs)
    return ours, theirs


class Loop:
    """The ordinary loop; `burst` times each of its steps, in ms of CPU time."""

    def __init__(self, model: nn.Module, tokens: Tensor) -> None:
        self.model, self.inputs, self.targets = model, tokens[:, :-1], tokens[:, 1:].flatten()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def step(self) -> float:
        loss = F.cross_entropy(self.model(self.inputs).flatten(0, 1), self.targets)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def burst(self) -> list[float]:
        times = []
        for _ in range(STEPS):
            begun = time.process_time()
            self.step()
            times.append((time.process_time() - begun) * 1000)
        return times


def measure(layers: int, d: int, h: int, r: int, n: int, b: int, bursts: int) -> tuple[float, float, float, int]:
    """Median ms of ours and of PyTorch's, the ratio, and the number of parameters."""
    tokens = torch.randint(VOCAB, (b, n + 1), generator=torch.Generator().manual_seed(1))
    loops = [Loop(model, tokens) for model in pair(layers, d, h, r, n)]
    for _ in range(WARM_UP):
        mine, other = (loop.step() for loop in loops)
        if abs(mine - other) > 1e-4:
            raise SystemExit(f"these are not the same model: losses {mine} and {other}")
    times, ratios = ([], []), []
    for turn in range(bursts):
        order = (0, 1) if turn % 2 else (1, 0)
        took = {which: loops[which].burst() for which in order}
        for which in order:
            times[which].extend(took[which])
        ratios.append(statistics.median(took[0]) / statistics.median(took[1]))
    count = sum(parameter.numel() for parameter in loops[0].model.parameters())
    return *map(statistics.median, times), statistics.median(ratios), count


def main(bursts: int = 30) -> int:
    torch.set_num_threads(1)
    print("layers   d  h    r   n   b  parameters  ours ms  PyTorch ms  ratio")
    worst = 0.0
    for size in SIZES:
        ours, theirs, ratio, count = measure(*size, bursts)
        worst = max(worst, ratio)
        layers, d, h, r, n, b = size
        print(f"{layers:>6} {d:>3} {h:>2} {r:>4} {n:>3} {b:>3} {count:>11,} {ours:>8.2f} {theirs:>11.2f} {ratio:>6.2f}")
    print(f"worst ratio {worst:.2f} (bar {BAR})")
    return int(worst > BAR)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
