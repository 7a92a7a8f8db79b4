"""Stacks and the whole encoder–decoder against PyTorch's own, and read all at once against written step by step."""

import torch
import torch_weights as tw
from torch import nn

from course_lib.attention import causal_mask, padding_mask
from course_lib.transformer import Encoder, Translator

from . import claim, rounding

F64 = {"dtype": torch.float64}
d, h, r, layers, source_vocab, vocab = 32, 4, 128, 2, 40, 50
LENGTHS = torch.tensor([9, 5])


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def translator() -> Translator:
    model = Translator(source_vocab, vocab, layers, d, d // h, h, r, bias=True, **F64)
    return tw.randomise(model, seeded(1))


def sentences() -> tuple[torch.Tensor, torch.Tensor]:
    """Two sources of up to 9 words, one of them padded, and two targets of 7."""
    return tuple(torch.randint(size, (2, n), generator=seeded(2)) for size, n in ((source_vocab, 9), (vocab, 7)))


def largest(difference: torch.Tensor) -> float:
    return rounding(difference.abs().max().item(), 1e-10)


@claim("L3.1.transformer")
@torch.no_grad()
def difference_from_transformer() -> float:
    """nn.Transformer between our embeddings and our read-out, with causal and padding masks."""
    ours, theirs = translator(), tw.transformer(d, h, r, layers, "pre", seeded(3))
    ours.load_state_dict(tw.encoder_and_decoder(theirs, tw.value), strict=False)
    source, target = sentences()
    unread = ~padding_mask(LENGTHS, 9)[:, 0]
    x, y = ours.source_embedding(source), ours.target_embedding(target)
    masks = {"src_key_padding_mask": unread, "memory_key_padding_mask": unread, "tgt_mask": ~causal_mask(7)}
    return largest(ours(source, target, LENGTHS).logits - ours.read_out(theirs(x, y, **masks)))


@claim("L3.1.stepwise")
@torch.no_grad()
def difference_of_writing_step_by_step() -> float:
    model, (source, target) = translator(), sentences()
    state, rows = model.start(source, LENGTHS), []
    for tokens in target.T:
        logits, state = model.step(tokens, state)
        rows.append(logits)
    return largest(torch.stack(rows, 1) - model(source, target, LENGTHS).logits)


@claim("L3.1.future")
@torch.no_grad()
def change_of_a_logit_by_what_comes_after() -> float:
    """Change every target word after the third, and the source's padding: the first three places keep their logits."""
    model, (source, target) = translator(), sentences()
    other, junk = target.clone(), source.clone()
    other[:, 3:] = (other[:, 3:] + 1) % vocab
    junk[1, 5:] = (junk[1, 5:] + 1) % source_vocab
    change = model(junk, other, LENGTHS).logits - model(source, target, LENGTHS).logits
    return largest(change[:, :3])


@claim("P7.encoder")
@torch.no_grad()
def difference_of_six_blocks_from_transformer_encoder() -> float:
    layer = nn.TransformerEncoderLayer(d, h, r, dropout=0.0, batch_first=True, norm_first=True, **F64)
    theirs = nn.TransformerEncoder(layer, 6, norm=nn.LayerNorm(d, **F64), enable_nested_tensor=False)
    tw.randomise(theirs, seeded(4))
    ours = Encoder(6, d, d // h, h, r, bias=True, **F64)
    ours.load_state_dict(tw.stack(theirs, tw.value))
    x = torch.randn(2, 9, d, generator=seeded(5), **F64)
    mask = causal_mask(9)
    return largest(ours(x, mask).output - theirs(x, mask=~mask))


@claim("P7.parameters")
def numbers_of_six_blocks_over_one() -> float:
    six, one = (sum(p.numel() for p in Encoder(count, d, d // h, h, r).blocks.parameters()) for count in (6, 1))
    return six / one
