"""PyTorch's modules read in the course's layout: the same mapping carries weights over and brings gradients back.

Each function takes a PyTorch module and `read`, which says what to take from a parameter (`value` or `grad`), and gives
a dictionary with the names of the matching course module's state.
"""

import warnings
from collections.abc import Callable

import torch
from torch import Tensor, nn

Read = Callable[[nn.Parameter], Tensor]


def value(parameter: nn.Parameter) -> Tensor:
    return parameter.detach().clone()


def grad(parameter: nn.Parameter) -> Tensor:
    assert parameter.grad is not None
    return parameter.grad


def attention(module: nn.MultiheadAttention, read: Read) -> dict[str, Tensor]:
    h, d = module.num_heads, module.embed_dim
    W = read(module.in_proj_weight).reshape(3, h, d // h, d).mT  # [3·h·m, d] → [3, h, d, m]
    W_O = read(module.out_proj.weight).T.reshape(h, d // h, d)  # [d, h·m] → [h, m, d]
    state = {"W_Q": W[0], "W_K": W[1], "W_V": W[2], "W_O": W_O}
    if module.in_proj_bias is not None:
        b = read(module.in_proj_bias).reshape(3, h, d // h)
        state |= {"b_Q": b[0], "b_K": b[1], "b_V": b[2], "b_O": read(module.out_proj.bias)}
    return state


def layer_norm(module: nn.LayerNorm, read: Read) -> dict[str, Tensor]:
    return {"gain": read(module.weight), "bias": read(module.bias)}


def feed_forward(layer: nn.Module, read: Read) -> dict[str, Tensor]:
    first, second = layer.linear1, layer.linear2
    return {
        "W_1": read(first.weight).T,
        "b_1": read(first.bias),
        "W_2": read(second.weight).T,
        "b_2": read(second.bias),
    }


def encoder_layer(layer: nn.TransformerEncoderLayer, read: Read) -> dict[str, Tensor]:
    return {
        **under("attention.", attention(layer.self_attn, read)),
        **under("feed_forward.", feed_forward(layer, read)),
        **under("around_attention.norm.", layer_norm(layer.norm1, read)),
        **under("around_feed_forward.norm.", layer_norm(layer.norm2, read)),
    }


def decoder_layer(layer: nn.TransformerDecoderLayer, read: Read) -> dict[str, Tensor]:
    return {
        **under("attention.", attention(layer.self_attn, read)),
        **under("cross_attention.", attention(layer.multihead_attn, read)),
        **under("feed_forward.", feed_forward(layer, read)),
        **under("around_attention.norm.", layer_norm(layer.norm1, read)),
        **under("around_cross_attention.norm.", layer_norm(layer.norm2, read)),
        **under("around_feed_forward.norm.", layer_norm(layer.norm3, read)),
    }


def stack(module: nn.TransformerEncoder | nn.TransformerDecoder, read: Read) -> dict[str, Tensor]:
    of_layer = encoder_layer if isinstance(module, nn.TransformerEncoder) else decoder_layer
    state = {}
    for i, layer in enumerate(module.layers):
        state |= under(f"blocks.{i}.", of_layer(layer, read))
    if module.norm is not None:
        state |= under("final_norm.", layer_norm(module.norm, read))
    return state


def encoder_and_decoder(module: nn.Transformer, read: Read) -> dict[str, Tensor]:
    sides = {"encoder.": module.encoder, "decoder.": module.decoder}
    return {name: tensor for side, part in sides.items() for name, tensor in under(side, stack(part, read)).items()}


def transformer(d: int, h: int, r: int, layers: int, norm: str, generator: torch.Generator) -> nn.Transformer:
    """A whole nn.Transformer in float64 with random parameters; in post-norm its two stacks end without their extra
    norm.

    nn.Transformer always builds stacks that end with a norm; in "Attention Is All You Need" a post-norm block is
    already normed, so there it is taken out.
    """
    options = {"dropout": 0.0, "batch_first": True, "norm_first": norm == "pre", "dtype": torch.float64}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "enable_nested_tensor")  # it tells of a shortcut that it does not take
        model = nn.Transformer(d, h, layers, layers, r, **options)
    if norm == "post":
        model.encoder.norm = model.decoder.norm = None
    return randomise(model, generator)


def under(prefix: str, state: dict[str, Tensor]) -> dict[str, Tensor]:
    return {prefix + name: tensor for name, tensor in state.items()}


def randomise(module: nn.Module, generator: torch.Generator) -> nn.Module:
    """Draw every parameter, biases and gains too: PyTorch starts them at 0 and 1, where a mistake could hide."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.5, generator=generator)
    return module


def assert_same(ours: Tensor, theirs: Tensor, name: str = "") -> None:
    torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-10, msg=lambda text: f"{name}: {text}")


def assert_same_gradients(ours: nn.Module, theirs: dict[str, Tensor]) -> None:
    """Compare the gradient of every parameter; `theirs` comes from a mapping above with `grad`."""
    gradients = {name: parameter.grad for name, parameter in ours.named_parameters()}
    assert gradients.keys() == theirs.keys()
    for name, gradient in gradients.items():
        assert_same(gradient, theirs[name], name)
