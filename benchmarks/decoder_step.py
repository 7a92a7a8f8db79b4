"""A training step of our decoder-only model against the same model from nn.TransformerEncoderLayer, one thread, in turns.

    python -m benchmarks.decoder_step [BURSTS]      milliseconds and ratio per size (bar: at most 1.1)

A step is forward, cross-entropy, backward and Adam. Both models start from the same numbers and read the same tokens; before
any time is taken their losses are compared. PyTorch's own model runs as fast as it can be asked to: causal by flag, no weights
given back.
"""

import sys

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.turns import loop, race, report, same
from course_lib.checks import trusted
from course_lib.transformer import LanguageModel, sinusoidal
from tests.shared import torch_weights as tw

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


def pair(layers: int, d: int, h: int, r: int, n: int) -> tuple[LanguageModel, Reference]:
    """Ours and PyTorch's, with the same numbers."""
    generator = torch.Generator().manual_seed(0)
    theirs, ours = Reference(layers, d, h, r, n), LanguageModel(VOCAB, layers, d, d // h, h, r, bias=True, longest=n)
    with torch.no_grad():
        for parameter in theirs.parameters():
            if parameter.ndim > 1:
                parameter.copy_(torch.randn(parameter.shape, generator=generator) / parameter.shape[-1] ** 0.5)
    stack = {f"stack.{name}": tensor for name, tensor in tw.stack(theirs.stack, tw.value).items()}
    ours.load_state_dict(stack | {"embedding.E": theirs.E.detach()})
    return ours, theirs


def measure(layers: int, d: int, h: int, r: int, n: int, b: int, bursts: int) -> tuple[float, float, float]:
    """Median ms of ours and of PyTorch's, and the ratio."""
    tokens = torch.randint(VOCAB, (b, n + 1), generator=torch.Generator().manual_seed(1))
    model, reference = pair(layers, d, h, r, n)

    def ours() -> Tensor:
        with trusted():
            return model(tokens[:, :-1]).logits

    steps = loop(model, ours, tokens[:, 1:]), loop(reference, lambda: reference(tokens[:, :-1]), tokens[:, 1:])
    same(*steps, WARM_UP)
    return race(*steps, bursts, STEPS)


if __name__ == "__main__":
    sys.exit(report("layers d h r n b", SIZES, measure, int(*sys.argv[1:] or [30]), BAR))
