"""Call every public function of attention and transformer while jaxtyping and beartype check the shapes in its
signature.

Run as a program, in a process of its own: the import hook must be there before the modules are.
"""

import inspect

import torch
from jaxtyping import TypeCheckError, install_import_hook

with install_import_hook("course_lib", "beartype.beartype"):
    from course_lib import attention, transformer

b, n, s, d, m, h, r, c = 2, 3, 5, 8, 4, 6, 7, 9  # all different, so that no mistake is right by chance
x, memory, heads, W_O = torch.rand(b, n, d), torch.rand(b, s, d), torch.rand(b, h, n, m), torch.rand(h, m, d)
q, k, v = torch.rand(b, n, m), torch.rand(b, s, m), torch.rand(b, s, c)
causal, square = attention.causal_mask(n, s), attention.causal_mask(n)
padding = attention.padding_mask(torch.tensor([1, 4]), s)
tokens = torch.arange(b * n).reshape(b, n)
both = attention.combine_masks(causal, padding)


def multi_head_attention():
    module = attention.MultiHeadAttention(d, m, h, bias=True, generator=torch.Generator(), dtype=torch.float32)
    module.look(x, module.project(memory), both)
    return (
        module.join(module.queries(x)),
        module(x, memory, both, scale=0.5),
        module(x[0], mask=square),
        module(x, memory, padding),
    )


def sublayer():
    around = transformer.Sublayer(d, "post")
    return around.after(x, around.before(x))


def opened(function, kind):
    decodes = kind is transformer.DecoderBlock
    return function(kind(d, m, h, r), *((x, memory, square, both) if decodes else (x, square)))


def embedding():
    module = transformer.Embedding(c, d)
    return module(tokens), module(tokens, 4)


def language_model():
    model = transformer.LanguageModel(c, 2, d, m, h, r, positions="learned")
    state = model.start(b)
    for column in tokens.T:
        _, state = model.step(column, state)
    return model(tokens, torch.tensor([1, 3])), model.read(x, square), model.read_out(x[0, 0])


def translator():
    model = transformer.Translator(4, c, 2, d, m, h, r, tied=False)
    source, lengths = torch.zeros(b, s, dtype=torch.int64), torch.tensor([1, 5])
    for start in (model.start(source), model.start(source, lengths)):
        model.step(tokens[:, 0], model.step(tokens[:, 0], start)[1])
    return model(source, tokens, lengths), model.encode(source)


def stack(kind, *first):
    module = kind(*first, d, m, h, r)
    decodes = kind in (transformer.Decoder, transformer.DecoderBlock)
    if first:  # of several layers
        module.step(x[:, :1], module.start(b), *((module.project(memory), padding) if decodes else ()))
    return module(x, memory, square, both) if decodes else (module(x), module(x[0], square))


CALLS = {
    "attend": lambda: (attention.attend(q, k, v, both, scale=0.5), attention.attend(q[0], k[0], v[0])),
    "check_qkv": lambda: attention.check_qkv(q, k, v),
    "softmax": lambda: attention.softmax(q, temperature=torch.tensor(2.0)),
    "causal_mask": lambda: attention.causal_mask(n, s, device="cpu"),
    "padding_mask": lambda: attention.padding_mask(torch.tensor([0, 5]), s),
    "combine_masks": lambda: attention.combine_masks(causal, padding),
    "concat_heads": lambda: (attention.concat_heads(heads, W_O), attention.concat_heads(heads[0], W_O)),
    "sum_heads": lambda: attention.sum_heads(heads, W_O),
    "mask_per_head": lambda: (attention.mask_per_head(both), attention.mask_per_head(None)),
    "MultiHeadAttention": multi_head_attention,
    "sinusoidal": lambda: transformer.sinusoidal(n, d),
    "LearnedPositions": lambda: transformer.LearnedPositions(s, d)(n),
    "rotary": lambda: transformer.rotary(n, m)(heads),
    "alibi": lambda: transformer.alibi(n, h),
    "FeedForward": lambda: transformer.FeedForward(d, r)(x),
    "LayerNorm": lambda: transformer.LayerNorm(d)(x),
    "Sublayer": sublayer,
    "Options": lambda: transformer.Options().feed_forward(d, r)(x),
    "Block": lambda: stack(transformer.Block),
    "DecoderBlock": lambda: stack(transformer.DecoderBlock),
    "Encoder": lambda: stack(transformer.Encoder, 2),
    "Decoder": lambda: stack(transformer.Decoder, 2),
    "Embedding": embedding,
    "LanguageModel": language_model,
    "Translator": translator,
    "open_block": lambda: opened(transformer.open_block, transformer.Block),
    "open_decoder_block": lambda: opened(transformer.open_decoder_block, transformer.DecoderBlock),
}


def public(module):
    """Functions and modules defined there; the tuples that they return are made by calling them."""
    for name, value in vars(module).items():
        here = getattr(value, "__module__", "").startswith(module.__name__) and not name.startswith("_")
        if here and (inspect.isfunction(value) or (inspect.isclass(value) and not issubclass(value, tuple))):
            yield name


missed = {*public(attention), *public(transformer)} - CALLS.keys()
assert not missed, f"no call for {missed}"
for call in CALLS.values():
    call()

# The hook is alive: a shape that only the signature forbids is refused before our own checks see it.
for wrong in (lambda: attention.attend(q, k[..., 1:], v), lambda: transformer.FeedForward(d, r)(x.long())):
    try:
        wrong()
    except TypeCheckError:
        continue
    raise AssertionError("the import hook checks nothing")
