"""What is written into the residual stream of a real model, where it is needed, and where it can be moved: four tables
of a few sentences.

    python studies/residual_stream.py          (needs requirements/models.txt; about ten minutes of one core)

Sentences of one form, with equally many pieces, differ in one word: A, B, and a third one, C. D is the logit of the
word that fits A less that of the word that fits B, at the last token; log p is that of the sentence's own word (of
"null", where the word that differs should not matter, A's fits both). "candidates": all that were written down, with D
as it is; they were asked before anything was patched. `fits` says which pass the rule, D ≥ 1 after A and D ≤ −1 after B
(for "null": the two D differ by less than 1). Those that pass, "null" left out, are patched at two tokens. "pairs",
shown in the widget: the first of each kind that passes.

Fixed before the first patch: a patched D is put on a scale, (D − D of B) / (D of A − D of B). "Leaves": after so many
layers the row of the word is below ½ for the first time; "arrives": from so many layers on the last token's row is at ½
or above, to the end. And the rank correlation between what the 300 parts write to D after A and what D loses when they
are erased, one by one, by the mean.

lens      the stream's rows through the last norm and the read-out after 0 … 30 layers: the three likeliest pieces, and
          p of the next word
written   what the first row, each head and each feed-forward layer add to D through the last norm at its own scale (the
          direct contributions)
erased    at the last token only: log p and D with one part (a head, all heads of a layer, a feed-forward layer) at
          zero, or at its mean over
          all tokens but the first of twelve other texts (`fact_probe.OTHERS`)
control   the SIX parts that write most to D after A, erased together by their means; and DRAWS times six others, as
          many heads and as many
          feed-forward layers, from the upper half of the layers
patched   D after B with the row of one token after so many layers put in from A, and, as a control, from C

[direct contributions: Elhage et al. 2021; patching: Vig et al. 2020, Meng et al. 2022, Wang et al. 2023]
"""

import sys
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from course_lib.attention import KeyValues, attend
from course_lib.pretrained.smollm import SmolLM, rms_norm, rotate, share, swiglu
from course_lib.results.study import Part, Study
from studies.fact_probe import language_model, means, parts

SIX, DRAWS, TOP = 6, 20, 3
SENTENCES, FILLS = ("A", "B"), ("zero", "mean")
COUNTRIES = (
    ("France", "Paris"), ("Italy", "Rome"), ("Japan", "Tokyo"), ("Germany", "Berlin"), ("Spain", "Madrid"), ("Russia",
    "Moscow"),
    ("Egypt", "Cairo"), ("Greece", "Athens"), ("Austria", "Vienna"), ("Ireland", "Dublin"), ("China", "Beijing"),
    ("Poland", "Warsaw"),
)  # fmt: skip
NUMBERS = (
    ("The {} to the cabinet", "keys key door"), ("The {} near the car", "boys boy girl"), ("The {} on the table",
    "books book lamp"),
    ("The {} behind the house", "trees tree car"), ("The {} at the door", "dogs dog man"), ("The {} in the kitchen",
    "cups cup plate"),
    ("The {} from the king", "letters letter gift"), ("The {} to the village", "roads road path"),
    ("The {} of the teacher", "sons son daughter"), ("The {} by the river", "farms farm mill"),
)  # fmt: skip
COPIES = (
    ("red {}, blue dog, red", "cat bird fish"), ("Anna met {}. Then Anna met", "Paul Peter Mark"),
    ("I like {}. You like milk. I like", "tea beer wine"),
    ("Anna met {}. Then Anna met", "Tom Ben Jack"), ("Anna met {}. Then Anna met", "Lisa Maria Emma"),
    ("Anna met {}. Then Anna met", "David Michael John"),
    ("Anna met {}. Then Anna met", "James Robert Henry"), ("We saw a {}. Then we saw a", "horse bear wolf"),
    ("We saw a {}. Then we saw a", "bird cat snake"),
    ("We saw a {}. Then we saw a", "ship train plane"), ("We saw a {}. Then we saw a", "house church bridge"),
)  # fmt: skip
NULLS = (
    ("My {} says the capital of France is", "aunt boss friend"),
    ("The {} capital of France is", "old great new"),
    ("His {} lives in Paris, the capital of", "brother uncle father"),
)


class Pair(NamedTuple):
    """Three sentences of one form, and the words that fit A and B."""

    kind: str
    form: str
    words: tuple[str, str, str]  # A, B, C
    a: str
    b: str

    def texts(self) -> list[str]:
        return [self.form.format(word) for word in self.words]


def candidates() -> list[Pair]:
    """All that were written down, kind by kind; the countries in a ring."""
    ring = [[COUNTRIES[(i + k) % len(COUNTRIES)] for k in range(3)] for i in range(len(COUNTRIES))]
    facts = [
        Pair("fact", "The capital of {} is", tuple(name for name, _ in three), f" {three[0][1]}", f" {three[1][1]}")
        for three in ring
    ]
    numbers = [Pair("number", form, tuple(words.split()), " are", " is") for form, words in NUMBERS]
    copies = [
        Pair("copy", form, tuple(words.split()), *(f" {word}" for word in words.split()[:2])) for form, words in COPIES
    ]
    return [
        *facts,
        *numbers,
        *copies,
        *(Pair("null", form, tuple(words.split()), " Paris", " Rome") for form, words in NULLS),
    ]


SHOWN = (
    ("fact", "France"),
    ("number", "keys"),
    ("copy", "tea"),
    ("null", "aunt"),
)  # the first of each kind that passes: a test holds that


# ------------------------------------------------------------------------------------------------------------- the
# stream
@torch.no_grad()
def onwards(model: SmolLM, x: Tensor, layer: int) -> Tensor:
    """Logits at the last token where the layers from `layer` on read the rows x [b, n, d]: [b, vocab]."""
    if layer < len(model.layers):  # a model of these layers alone, whose pieces are the rows
        rest = SmolLM(x.flatten(0, 1), model.layers[layer:], model.norm, model.base, model.epsilon)
        x = rest.forward(torch.arange(len(rest.E)).view(x.shape[:2]), rest.start(len(x)))[0][-1]
    return model.unembed(x[:, -1])


@torch.no_grad()
def without(model: SmolLM, text: str, keep: Tensor, instead: Tensor) -> Tensor:
    """Logits [b, vocab] at the last token, where it gets `instead` [layers, h + 1, d] for what `keep` [b, layers, h +
    1] is 0 at.

    The tokens before it are read once: no part of theirs changes.
    """
    *before, last = model.encode(text)
    b, past = len(keep), len(before)
    state = model.forward(torch.tensor([before]), model.start())[2]
    x = model.E[last].expand(b, -1)  # [b, d]
    for layer, (k, v), kept, put in zip(model.layers, state, keep.unbind(1), instead, strict=True):
        y, h = rms_norm(x, layer.before_attention, model.epsilon)[:, None], len(layer.W_Q)
        q, own = (rotate(torch.einsum("bnd,hdm->bhnm", y, W), model.base, past) for W in (layer.W_Q, layer.W_K))
        seen = KeyValues(
            torch.cat([k.expand(b, -1, -1, -1), own], 2),
            torch.cat([v.expand(b, -1, -1, -1), torch.einsum("bnd,gdm->bgnm", y, layer.W_V)], 2),
        )
        heads = torch.einsum("bhm,hmd->bhd", attend(q, share(seen.k, h), share(seen.v, h)).output[:, :, 0], layer.W_O)
        x = x + (kept[:, :h, None] * heads + (1 - kept[:, :h, None]) * put[:h]).sum(1)
        x = (
            x
            + kept[:, h:] * swiglu(rms_norm(x, layer.before_feed_forward, model.epsilon), layer)
            + (1 - kept[:, h:]) * put[h]
        )
    return model.unembed(x)


# ------------------------------------------------------------------------------------------------------------- the
# tables
def short(values: Tensor, decimals: int = 3) -> list:
    return (values.double().round(decimals=decimals) + 0.0).tolist()  # + 0.0: no negative zero


def difference(logits: Tensor, a: int, b: int) -> Tensor:
    return logits[..., a] - logits[..., b]


def lens(model: SmolLM, text: str, word: int) -> dict:
    """words: the pieces that occur; top: [layers + 1, n, TOP] numbers of words; p, and next: p of the true next piece,
    at the end of `word`."""
    seen = model.read(text)
    p = model.unembed(seen.hidden).softmax(-1)  # [layers + 1, n, vocab]
    best = p.topk(TOP)
    following = torch.tensor([*model.encode(text)[1:], word])
    ids = best.indices.unique().tolist()
    place = {piece: i for i, piece in enumerate(ids)}
    top = [[[place[piece] for piece in cell] for cell in row] for row in best.indices.tolist()]
    return {
        "words": [model.decode([piece]) for piece in ids],
        "top": top,
        "p": short(best.values),
        "next": short(p[:, torch.arange(len(following)), following]),
    }


def written(model: SmolLM, text: str, a: int, b: int) -> dict:
    """What the first row (`start`) and each part adds to D: parts [layers, h + 1]."""
    stream, added = parts(model, text)
    scale = torch.rsqrt(stream[-1, -1].square().mean() + model.epsilon)
    reads = scale * model.norm * (model.E[a] - model.E[b])  # [d]
    return {"start": short(stream[0, -1] @ reads, 4), "parts": short(added[:, :, -1] @ reads, 4)}


def singles(layers: int, h: int) -> Tensor:
    """What to keep: each part alone is erased, in each layer first the heads, then all of them, then the feed-forward
    layer: [layers·(h + 2), layers, h + 1]."""
    keep = torch.ones(layers, h + 2, layers, h + 1)
    for layer in range(layers):
        for head in range(h):
            keep[layer, head, layer, head] = 0
        keep[layer, h, layer, :h] = keep[layer, h + 1, layer, h] = 0
    return keep.flatten(0, 1)


def erased(model: SmolLM, text: str, fill: Tensor, ids: tuple[int, int], word: int) -> dict:
    """log p of `word`, and D, with each part alone erased: [layers, h + 2] each."""
    logits = without(model, text, singles(len(fill), fill.shape[1] - 1), fill)
    table = {"log p": logits.log_softmax(-1)[:, word], "D": difference(logits, *ids)}
    return {name: short(values.view(len(fill), -1)) for name, values in table.items()}


def control(model: SmolLM, text: str, found: Sequence, fill: Tensor, ids: tuple[int, int], word: int) -> dict:
    """The SIX that write most to D, [layer, part], erased together; and as many others, DRAWS times: [log p, D]
    each."""
    scores = torch.tensor(found)
    layers, count = scores.shape
    six = [divmod(k, count) for k in scores.flatten().argsort(descending=True)[:SIX].tolist()]
    upper = [(layer, part) for layer in range(layers // 2, layers) for part in range(count) if (layer, part) not in six]
    keep, generator = torch.ones(1 + DRAWS, layers, count), torch.Generator().manual_seed(0)
    for trial in range(1 + DRAWS):
        for heads in (True, False):
            own, pool = ([one for one in each if (one[1] < count - 1) == heads] for each in (six, upper))
            picked = (
                own
                if trial == 0
                else [pool[k] for k in torch.randperm(len(pool), generator=generator)[: len(own)].tolist()]
            )
            for layer, part in picked:
                keep[trial, layer, part] = 0
    logits = without(model, text, keep, fill)
    both = short(torch.stack([logits.log_softmax(-1)[:, word], difference(logits, *ids)], 1))
    return {"parts": six, "erased": both[0], "others": both[1:]}


def patched(model: SmolLM, from_: Tensor, into: Tensor, ids: tuple[int, int], places: Sequence[int]) -> Tensor:
    """D where one row of the stream `into` [layers + 1, n, d] is that of `from_`: [layers + 1, places]."""
    rows = []
    for layer in range(len(into)):
        x = into[layer].repeat(len(places), 1, 1)
        for i, place in enumerate(places):
            x[i, place] = from_[layer, place]
        rows.append(difference(onwards(model, x, layer), *ids))
    return torch.stack(rows)


def ready(pair: Pair) -> tuple[SmolLM, list[str], tuple[int, int], int]:
    """The model, the three texts, the numbers of a and b, and the place of the word that differs; ValueError where more
    differs than one piece."""
    model, texts = language_model(), pair.texts()
    ids = [model.encode(text) for text in texts]
    at = [i for i, column in enumerate(zip(*ids, strict=False)) if len(set(column)) > 1]
    if len(at) != 1 or len(set(map(len, ids))) != 1:
        raise ValueError(f"the sentences must differ in one piece, got {texts}")
    return model, texts, (model.piece(pair.a), model.piece(pair.b)), at[0]


def everything(pair: Pair) -> dict:
    """A row of "pairs"."""
    model, texts, ids, at = ready(pair)
    fills = {"zero": torch.zeros_like(means()), "mean": means()}
    streams = [model.read(text).hidden for text in texts]
    places = range(streams[0].shape[1])
    row: dict = {
        "kind": pair.kind,
        "word": pair.words[0],
        "texts": texts,
        "tokens": [model.tokens(text) for text in texts],
        "at": at,
        "a": pair.a,
        "b": pair.b,
    }
    row["D"] = [short(difference(model.read(text).logits[-1], *ids)) for text in texts]
    own = (ids[0], ids[0]) if pair.kind == "null" else ids
    row["log p"] = [
        short(model.read(text).logits[-1].log_softmax(-1)[word]) for text, word in zip(texts, own, strict=False)
    ]
    both = list(zip(SENTENCES, texts, own, strict=False))
    row["lens"] = {name: lens(model, text, word) for name, text, word in both}
    row["written"] = {name: written(model, text, *ids) for name, text, word in both}
    row["erased"] = {
        name: {how: erased(model, text, fill, ids, word) for how, fill in fills.items()} for name, text, word in both
    }
    row["control"] = control(model, texts[0], row["written"]["A"]["parts"], fills["mean"], ids, ids[0])
    row["patched"] = {
        name: short(patched(model, stream, streams[1], ids, places))
        for name, stream in (("A", streams[0]), ("C", streams[2]))
    }
    return row


def asked(pair: Pair) -> dict:
    """A row of "candidates": D after A, B and C as they are; and, where the pair fits and is none of "null", `A` and
    `C`: D after B with the row of the word, or of the last token, from there, layers + 1 numbers each."""
    model, texts, ids, at = ready(pair)
    streams = [model.read(text).hidden for text in texts]
    D = [short(difference(model.unembed(stream[-1, -1]), *ids)) for stream in streams]
    fits = abs(D[0] - D[1]) < 1 if pair.kind == "null" else D[0] >= 1 and D[1] <= -1
    row: dict = {"kind": pair.kind, "sentences": " | ".join(texts), "a": pair.a, "b": pair.b, "D": D, "fits": fits}
    if fits and pair.kind != "null":
        for name, stream in (("A", streams[0]), ("C", streams[2])):
            row[name] = dict(
                zip(
                    ("word", "last"),
                    short(patched(model, stream, streams[1], ids, (at, len(stream[0]) - 1)).T),
                    strict=True,
                )
            )
    return row


ALL = candidates()
STUDY = Study(
    "residual_stream",
    {"model": "SmolLM2-135M-Instruct", "six": SIX, "draws": DRAWS, "asked": len(ALL)},
    {
        "pairs": Part(
            everything,
            {each: (pair,) for each in SHOWN for pair in ALL if each == (pair.kind, pair.words[0])},
            key=("kind", "word"),
        ),
        "candidates": Part(asked, {(" | ".join(pair.texts()),): (pair,) for pair in ALL}, key=("sentences",)),
    },
    minutes=10,
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
