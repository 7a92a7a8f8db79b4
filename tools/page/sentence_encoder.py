"""A layer of the sentence encoder as a page graph, traced from the reader in PyTorch, and the encoder's weights in the
shapes that it takes."""

import json
from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from course_lib.graphs.trace import trace
from course_lib.pretrained.minilm import EncoderLayer, MiniLM, NormWeights, encoder_layer
from tools.page.model_parts import Stored

# Of a layer's tensors, as the reader has them: sizes by name.
SHAPES = {
    "W_Q": ("h", "d", "m"), "b_Q": ("h", "m"), "W_K": ("h", "d", "m"), "b_K": ("h", "m"), "W_V": ("h", "d", "m"),
    "b_V": ("h", "m"),
    "W_O": ("h", "m", "d"), "b_O": ("d",), "after_attention.weight": ("d",), "after_attention.bias": ("d",),
    "W_1": ("d", "r"), "b_1": ("r",), "W_2": ("r", "d"), "b_2": ("d",), "after_feed_forward.weight": ("d",),
    "after_feed_forward.bias": ("d",),
}  # fmt: skip
ERF = 0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429  # Abramowitz and Stegun 7.1.26, within 1.5e-7


def gelu(x: Tensor) -> Tensor:
    """x Φ(x), from exp alone: graph.js has no erf."""
    z = x.abs() * 0.5**0.5
    t = 1 / (1 + 0.3275911 * z)
    powers = t * (ERF[0] + t * (ERF[1] + t * (ERF[2] + t * (ERF[3] + t * ERF[4]))))
    above = 0.5 * powers * torch.exp(-z * z)  # the normal tail beyond |x|
    return torch.where(x > 0, x - x * above, x * above)


class GeluFromExp(TorchFunctionMode):
    """Within it, PyTorch's gelu is ours."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        return (gelu if function is torch.nn.functional.gelu else function)(*args, **(kwargs or {}))


def layer_graph() -> dict:
    """One layer. Inputs: x [n, d]; mask [n, n], 1 = may look; scale [] = 1/√m; keep [h, n, 1] and put [h, n, m], which
    change what heads write; SHAPES.
    Outputs: output [n, d], weights [h, n, n], heads [h, n, m].
    """

    def layer(x: Tensor, mask: Tensor, scale: Tensor, keep: Tensor, put: Tensor, **W: Tensor) -> dict[str, Tensor]:
        norms = {
            name: NormWeights(W.pop(f"{name}.weight"), W.pop(f"{name}.bias"))
            for name in ("after_attention", "after_feed_forward")
        }
        with GeluFromExp():
            output, weights, heads = encoder_layer(x, EncoderLayer(**W, **norms), keep, put, mask > 0.5, scale)
        return {"output": output, "weights": weights, "heads": heads}

    inputs = {"x": ("n", "d"), "mask": ("n", "n"), "scale": (), "keep": ("h", "n", 1), "put": ("h", "n", "m"), **SHAPES}
    return trace("sentence_encoder_layer", layer, inputs)


def tensors(model: MiniLM) -> Iterator[Stored]:
    """All that the page's encoder needs, as 16-bit floats; a layer's tensors are named NUMBER.NAME."""

    def stored(name: str, tensor: Tensor) -> Stored:
        values = tensor.reshape(-1, tensor.shape[-1]).contiguous()
        return Stored(name, "F16", *values.shape, values.numpy().astype(np.float16).tobytes())

    for number, layer in enumerate(model.layers):
        for name in SHAPES:
            outer, _, inner = name.partition(".")
            yield stored(f"{number}.{name}", getattr(getattr(layer, outer), inner) if inner else getattr(layer, outer))
    yield from (
        stored("norm.weight", model.norm.weight),
        stored("norm.bias", model.norm.bias),
        stored("places", model.places),
    )
    yield stored("vectors", model.vectors)


def config(model: MiniLM, context: int) -> dict:
    """The sizes that the page's encoder asks for, and its graph as text."""
    h, d, m = model.layers[0].W_Q.shape
    sizes = {"layers": len(model.layers), "heads": h, "keyHeads": h, "d": d, "m": m, "r": model.layers[0].W_1.shape[1]}
    return sizes | {
        "vocab": len(model.vectors),
        "context": context,
        "causal": False,
        "next": False,
        "epsilon": 1e-12,
        "graph": json.dumps(layer_graph()),
    }
