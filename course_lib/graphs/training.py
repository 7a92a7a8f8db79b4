"""What the page trains: a small transformer over one-hot tokens, its gradients, and Adam."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call, grad_and_value

from course_lib.graphs.trace import parameter_shapes, trace
from course_lib.transformer import Encoder, Options, Turn

NORMS = ("pre", "post", "none")


class TokenModel(nn.Module):
    """One-hot tokens [b, n, vocab] → logits [b, n, vocab]: embedding, positions, encoder, read-out.

    The positions [n, d] are an argument, so that learned, sinusoidal and no positions (zeros) are the same model;
    whoever trains it moves them or leaves them. Parameters: E [vocab, d], those of `Encoder` with the same `options`,
    and U [d, vocab]; E and U are normal with variance 1/d.
    """

    def __init__(self, layers: int, vocab: int, d: int, m: int, h: int, r: int, **options: Any) -> None:
        super().__init__()
        chosen = Options(**options)
        self.E = chosen.normal(vocab, d, fan_in=d)
        self.encoder = Encoder(layers, d, m, h, r, **vars(chosen))
        self.U = chosen.normal(d, vocab)

    def forward(
        self, tokens: Tensor, positions: Tensor, mask: Tensor, scale: float | Tensor, **how: Any
    ) -> tuple[Tensor, list]:
        """Give the logits and each layer's weights [b, h, n, n]; mask [n, n] is bool, `scale` multiplies the scores
        q·k.

        `how` are turn and bias of `MultiHeadAttention`.
        """
        encoded = self.encoder(tokens @ self.E + positions, mask, scale=scale, **how)  # [b, n, d]
        return encoded.output @ self.U, list(encoded.weights)


def masked_cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """Nats per asked token: targets [b, n, vocab] are one-hot where an answer is asked for, and zeros elsewhere."""
    return -(F.log_softmax(logits, -1) * targets).sum() / targets.sum()


def name_of(layers: int, norm: str, residual: bool, relative: bool = False) -> str:
    return f"train_{layers}_{norm}" + ("" if residual else "_plain") + ("_relative" if relative else "")


# What a graph with `relative` asks for beside the rest.
RELATIVE = {"groups": ("h", "g"), "cos": ("n", "m"), "sin": ("n", "m"), "quarter": ("m", "m"), "bias": ("h", "n", "n")}


def training_step(layers: int, norm: str, residual: bool, relative: bool = False) -> dict:
    """Loss, logits, every layer's weights and all gradients of `TokenModel`, as a page graph.

    Inputs: tokens, targets [b, n, vocab], mask [n, n] (1 = may look), scale [], positions [n, d], then the parameters
    by name. Outputs: loss, logits, weights.0, …, and gradient.<name> for the positions and each parameter. Asking for
    logits and weights alone is the forward pass: the page leaves out what they do not need, targets included.

    With `relative` queries and keys are turned (cos, sin [n, m], quarter [m, m]), a bias [h, n, n] is added to the
    scores, and W_K and W_V have g heads, which `groups` [h, g] shares out. None of these is trained.
    """
    example = {"vocab": 23, "d": 11, "m": 13, "h": 17, "r": 19}  # all different: a parameter's shape tells its sizes
    model = TokenModel(layers, **example, norm=norm, residual=residual, key_heads=7 if relative else None)
    shared = [f"encoder.blocks.{i}.attention.groups" for i in range(layers)]

    def step(tokens, targets, mask, scale, **more):
        given = {name: more.pop(name) for name in RELATIVE} if relative else {}
        how = {"turn": Turn(*(given[name] for name in Turn._fields)), "bias": given["bias"]} if relative else {}
        fixed = dict.fromkeys(shared, given["groups"]) if relative else {}

        def loss(trained):
            parameters = {name: tensor for name, tensor in trained.items() if name != "positions"}
            positions = trained["positions"]
            logits, weights = functional_call(model, parameters | fixed, (tokens, positions, mask > 0.5, scale), how)
            return masked_cross_entropy(logits, targets), (logits, weights)

        gradients, (value, (logits, weights)) = grad_and_value(loss, has_aux=True)(more)
        maps = {f"weights.{i}": w for i, w in enumerate(weights)}
        return {"loss": value, "logits": logits, **maps, **{f"gradient.{k}": g for k, g in gradients.items()}}

    one_hot = ("b", "n", "vocab")
    inputs = {"tokens": one_hot, "targets": one_hot, "mask": ("n", "n"), "scale": (), "positions": ("n", "d")}
    inputs |= RELATIVE if relative else {}
    return trace(name_of(layers, norm, residual, relative), step, inputs | parameter_shapes(model, example | {"g": 7}))


def adam_step() -> dict:
    """One step of Adam for all parameters as one vector [count].  [Kingma & Ba 2015, algorithm 1]

    Inputs: parameters, mean, square (the two moving averages), gradient [count]; rate; mean_share = 1 - 0.9^t and
    square_share = 1 - 0.999^t, which undo the averages' start from zero. Outputs: the new parameters, mean, square.
    """

    def step(parameters, mean, square, gradient, rate, mean_share, square_share):
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient * gradient
        change = rate * (mean / mean_share) / (torch.sqrt(square / square_share) + 1e-8)
        return {"mean": mean, "square": square, "parameters": parameters - change}

    vectors = dict.fromkeys(("parameters", "mean", "square", "gradient"), ("count",))
    return trace("adam", step, vectors | dict.fromkeys(("rate", "mean_share", "square_share"), ()))
