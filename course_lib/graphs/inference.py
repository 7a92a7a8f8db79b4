"""The two shipped models as page graphs that show everything: each intermediate result, from one-hot tokens to
probabilities.

A page that wants only the answer asks for "logits" alone: graph.js leaves out what is not asked for. Control flow, the
choice of the next token, stays with the page.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from course_lib.graphs.trace import acting, parameter_shapes, trace
from course_lib.transformer.models import LanguageModel, Translator
from course_lib.transformer.opened import open_block, open_decoder_block

# The shipped models' structure. Their sizes are free: a graph fits any.
TRANSLATOR_LAYERS, TOWNS_LAYERS = 2, 3
OPTIONS = {"norm": "pre", "tied": True, "positions": "none"}  # the graph is given its positions
EXAMPLE = {"d": 11, "m": 13, "h": 17, "r": 19}  # all different: a parameter's shape tells its sizes
SOURCE_VOCAB, VOCAB = 23, 29
SIZES = {**EXAMPLE, "source_vocab": SOURCE_VOCAB, "vocab": VOCAB}


def read_translator() -> dict:
    """The English–French model, opened.

    Inputs: source [b, s, source_vocab] and target [b, n, vocab], one-hot; source_positions [s, d] and positions [n, d];
    source_mask [b, s], 1 = a token and no padding; mask [n, n], 1 = may look; root [] = √d, which multiplies the
    embeddings, and scale [] = 1/√m, which multiplies the scores; the parameters by name. Outputs: source.embedding,
    source.scaled, source.sum [b, s, d]; encoder.<layer>.<result> of `open_block`; memory [b, s, d]; target.embedding,
    .scaled, .sum [b, n, d]; decoder.<layer>.<result> of `open_decoder_block`; final [b, n, d]; logits and probabilities
    [b, n, vocab].
    """
    model = Translator(SOURCE_VOCAB, VOCAB, TRANSLATOR_LAYERS, **EXAMPLE, **OPTIONS)
    shapes = {
        "source": ("b", "s", "source_vocab"), "target": ("b", "n", "vocab"), "source_positions": ("s", "d"),
        "positions": ("n", "d"), "source_mask": ("b", "s"), "mask": ("n", "n"), "root": (), "scale": (),
    }  # fmt: skip
    return trace("read_translator", _opening(model, _open_translator), shapes | parameter_shapes(model, SIZES))


def read_towns() -> dict:
    """The model that writes names of towns, opened: a decoder alone.

    Inputs: tokens [b, n, vocab], one-hot; positions [n, d]; mask [n, n]; root, scale and parameters as in
    `read_translator`. Outputs: tokens.embedding, .scaled, .sum [b, n, d]; layers.<layer>.<result> of `open_block`;
    final [b, n, d]; logits and probabilities.
    """
    model = LanguageModel(VOCAB, TOWNS_LAYERS, **EXAMPLE, **OPTIONS)
    shapes = {"tokens": ("b", "n", "vocab"), "positions": ("n", "d"), "mask": ("n", "n"), "root": (), "scale": ()}
    return trace("read_towns", _opening(model, _open_language_model), shapes | parameter_shapes(model, SIZES))


def _opening(model: nn.Module, opened: Callable[..., dict]) -> Callable[..., dict]:
    """`opened(model, **inputs)` as a function of inputs and parameters by name."""

    def function(**tensors: Tensor) -> dict:
        parameters = {name: tensors.pop(name) for name, _ in model.eval().named_parameters()}
        return acting(model, parameters, lambda model: opened(model, **tensors))

    return function


def _open_translator(model, source, target, source_positions, positions, source_mask, mask, root, scale):
    seen = source_mask.unsqueeze(1) > 0.5  # [b, 1, s]: padding is out of sight for every token
    results, x = _embedded("source", source, model.source_embedding.E, source_positions, root)
    for i, block in enumerate(model.encoder.blocks):
        x = _keep(results, f"encoder.{i}", open_block(block, x, seen, scale=scale))
    memory = results["memory"] = model.encoder.final_norm(x)
    of_target, x = _embedded("target", target, model.target_embedding.E, positions, root)
    results |= of_target
    for i, block in enumerate(model.decoder.blocks):
        opened = open_decoder_block(block, x, memory, mask > 0.5, seen, scale=scale)
        x = _keep(results, f"decoder.{i}", opened)
    return results | _answer(model, model.decoder.final_norm(x))


def _open_language_model(model, tokens, positions, mask, root, scale):
    results, x = _embedded("tokens", tokens, model.embedding.E, positions, root)
    for i, block in enumerate(model.stack.blocks):
        x = _keep(results, f"layers.{i}", open_block(block, x, mask > 0.5, scale=scale))
    return results | _answer(model, model.stack.final_norm(x))


def _embedded(name: str, one_hot: Tensor, E: Tensor, positions: Tensor, root: Tensor) -> tuple[dict, Tensor]:
    embedding = one_hot @ E  # [b, n, vocab] [vocab, d] → [b, n, d]
    scaled = embedding * root
    together = scaled + positions
    return {f"{name}.embedding": embedding, f"{name}.scaled": scaled, f"{name}.sum": together}, together


def _keep(results: dict, name: str, opened: Mapping[str, Tensor]) -> Tensor:
    results |= {f"{name}.{part}": tensor for part, tensor in opened.items()}
    return opened["output"]


def _answer(model: nn.Module, final: Tensor) -> dict:
    logits = model.read_out(final)  # [b, n, vocab]
    return {"final": final, "logits": logits, "probabilities": torch.softmax(logits, -1)}
