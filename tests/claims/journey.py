"""Chapter 3's first page, on foot: the last station, where the translator of the course answers what comes next."""

import torch
from torch import Tensor

from course_lib.shipped import translator
from course_lib.text.vocabulary import START

from . import claim

ENGLISH = ["they", "will", "sell", "the", "small", "red", "houses", "."]
WRITTEN = ["ils", "vendront", "les"]


@torch.no_grad()
def next_word() -> Tensor:
    """Probabilities of the next French word, [v]."""
    model, english, french, _ = translator()
    source, target = torch.tensor([english.encode(ENGLISH)]), torch.tensor([[START, *french.encode(WRITTEN)]])
    return model(source, target).logits[0, -1].softmax(-1)


@claim("P8.words")
def words_to_choose_from() -> int:
    return len(next_word())


@claim("P8.next")
def probability_of_petites() -> float:
    return next_word()[translator().target.encode(["petites"])[0]].item()


@claim("P7.shape")
@torch.no_grad()
def rows_that_come_out_of_two_blocks() -> int:
    """As many as go in; the width stays too."""
    model, english, _, _ = translator()
    x = model.source_embedding(torch.tensor([english.encode(ENGLISH)]))
    shape = x.shape
    for block in model.encoder.blocks:
        x = block(x).output
        if x.shape != shape:
            raise ValueError(f"a block must keep the shape {list(shape)}, got {list(x.shape)}")
    return x.shape[1]
