"""The six scores of `course_lib.scores` as one page graph, in the plane."""

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from course_lib.graphs.trace import acting, trace
from course_lib.scores import SCORES, WITH_WIDTH, make

PARAMETERS = {
    "additive": {"W_q": (2, "m"), "W_k": (2, "m"), "w": ("m",)},
    "multiplicative": {"W": (2, 2)},
    "reduced_rank": {"U": (2, "rank"), "V": (2, "rank")},
}


class _Lengths(TorchFunctionMode):
    """A vector's length as a root of a sum: graph.js has no norm."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is F.normalize:
            (x,) = args
            return x / (x * x).sum(kwargs["dim"], keepdim=True).sqrt().clamp(min=kwargs["eps"])
        return func(*args, **(kwargs or {}))


def six_scores() -> dict:
    """Inputs: q [n, 2], k [s, 2], and the parameters of the learned scores by their own names. Outputs: each score's
    numbers [n, s], by its name."""
    modules = {name: make(name, 2, 2, m=2 if name in WITH_WIDTH else None) for name in SCORES}

    def step(q: Tensor, k: Tensor, **given: Tensor) -> dict:
        q = torch.stack((q[:, 0], q[:, 1]), -1)  # its width is a number, which the scaled product's root needs
        found = {}
        for name, score in modules.items():
            parameters = {key: given[key] for key in PARAMETERS.get(name, {})}
            with _Lengths():
                found[name] = acting(score, parameters, lambda score: score.compare(q, score.keys(k)))
        return found

    shapes = {name: shape for each in PARAMETERS.values() for name, shape in each.items()}
    return trace("six_scores", step, {"q": ("n", 2), "k": ("s", 2)} | shapes)
