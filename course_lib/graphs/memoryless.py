"""Source R's model as page graphs: a training step, a reading of all its rows, and Adam with an average of the
parameters."""

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.func import functional_call, grad_and_value

from course_lib.graphs.trace import parameter_shapes, trace
from course_lib.memoryless import Sizes, SourceModel

NAMES = {"v": 41, "words": 42, "n": 23, "d": 11, "m": 13, "r": 17}  # all different: a parameter's shape tells its sizes
SIZES = Sizes(**{name: NAMES[name] for name in Sizes._fields})


class OneHotModel(SourceModel):
    """`SourceModel` for one-hot tokens [b, n, words], words = v + 1: a page graph has no lookup, and its scale is an
    input."""

    factor: Tensor | float = 1.0

    def forward(self, tokens: Tensor, scale: Tensor, rows: bool = False) -> Tensor | tuple:
        """The logits from the last row alone, or the stages of all rows."""
        self.factor = scale
        X = tokens @ self.E + self.P  # [b, n, d]
        return self.stages_of(X) if rows else self.last_of(X)


def source_training_step() -> dict:
    """The mean loss of a batch, its logits and all gradients, as a page graph.

    Inputs: tokens [b, n, words] and targets [b, v], both one-hot; scale [], which multiplies q·k; then the learnables
    by name.
    Outputs: loss (nats), logits [b, v], gradient.<name>. The logits alone need no targets.
    """
    model = OneHotModel(SIZES)

    def step(tokens, targets, scale, **learnables):
        def loss(learnables):
            logits = functional_call(model, learnables, (tokens, scale))
            return -(F.log_softmax(logits, -1) * targets).sum(-1).mean(), logits

        gradients, (value, logits) = grad_and_value(loss, has_aux=True)(learnables)
        return {"loss": value, "logits": logits, **{f"gradient.{name}": g for name, g in gradients.items()}}

    inputs = {"tokens": ("b", "n", "words"), "targets": ("b", "v"), "scale": ()}
    return trace("memoryless", step, inputs | parameter_shapes(model, NAMES))


def reading() -> dict:
    """All rows of the model: A [b, n, n], X, Y and Z [b, n, d], q [b, v]. Inputs: tokens, scale and the learnables."""
    model = OneHotModel(SIZES)

    def read(tokens, scale, **learnables):
        stages = functional_call(model, learnables, (tokens, scale, True))
        return {name: getattr(stages, name) for name in ("A", "X", "Y", "Z", "q")}

    return trace("memoryless_read", read, {"tokens": ("b", "n", "words"), "scale": ()} | parameter_shapes(model, NAMES))


def adam_averaged() -> dict:
    """One step of Adam on one vector [count], and of a running average of the parameters.  [Kingma & Ba 2015, algorithm
    1]

    Inputs: parameters, mean, square, average, gradient [count]; rate, beta_1, beta_2; mean_share = 1 - beta_1^t and
    square_share = 1 - beta_2^t; weight, the new parameters' share in the average. Outputs: the new parameters, mean,
    square, average.
    """

    def step(parameters, mean, square, average, gradient, rate, beta_1, beta_2, mean_share, square_share, weight):
        mean = beta_1 * mean + (1 - beta_1) * gradient
        square = beta_2 * square + (1 - beta_2) * gradient * gradient
        parameters = parameters - rate * (mean / mean_share) / (torch.sqrt(square / square_share) + 1e-8)
        average = average + weight * (parameters - average)
        return {"mean": mean, "square": square, "parameters": parameters, "average": average}

    vectors = dict.fromkeys(("parameters", "mean", "square", "average", "gradient"), ("count",))
    numbers = dict.fromkeys(("rate", "beta_1", "beta_2", "mean_share", "square_share", "weight"), ())
    return trace("adam_averaged", step, vectors | numbers)


MEMORYLESS = {"memoryless": source_training_step, "memoryless_read": reading, "adam_averaged": adam_averaged}
