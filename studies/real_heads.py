"""What heads of a real language model do: copy heads and what they read, tokens that weights rest on, and where the
next word appears.

    python studies/real_heads.py          (needs requirements/models.txt; about five minutes of one core)

Heads are chosen by their scores on the page's own sequences, written twice (seed 0), and judged on fresh ones (seed 1).
"removed": heads gone, what each adds being replaced by nothing or by its mean over the page's sequences. "withheld":
what one head adds is taken out of what the six copy heads make their queries, keys or values from, and of nothing else.
"rests": the first token of ordinary sentences. "depths": the last norm and the last matrix applied to every layer.
[Olsson et al. 2022; Xiao et al. 2024; nostalgebraist 2020]
"""

import sys
from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from course_lib.attention import attend, causal_mask
from course_lib.pretrained.smollm import DecoderLayer, SmolLM, rms_norm, rotate, share, swiglu
from course_lib.results.study import Again, Part, Study
from course_lib.results.workers import Once
from studies.fact_probe import OTHERS, language_model

Head = tuple[int, int]  # layer, head
N, CHOSEN_ON, FRESH, COPIERS, DRAWS = 24, 4, 8, 6, 20
H = 9  # heads of a layer
WRITER: Head = (16, 0)  # the head with the highest previous-token score on the page's sequences
PARTS, FILLS = ("queries", "keys", "values"), ("zero", "mean")
GROUPS = ("copy", "previous others", *(f"matched {i}" for i in range(DRAWS)), *(f"16.{i}" for i in range(H)))
SENTENCES = OTHERS[:6]
FIRST_PIECES, SINK = 5, 0.5  # random pieces put first; a head rests where it gives the first token more than this
ENDED = (  # a beginning, the right next piece, a rival
    ("The Eiffel Tower stands in the city of", " Paris", " Rome"),
    ("The Colosseum stands in the city of", " Rome", " Paris"),
    ("Isaac Newton is famous for his laws of", " motion", " relativity"),
    ("Albert Einstein is famous for his theory of", " relativity", " motion"),
    ("The capital of France is", " Paris", " Rome"),
    ("Mikhail Tal was a bad smoker but a good chess", " player", " board"),
)


def twice(seed: int, count: int) -> Tensor:
    """Random sequences written twice, [count, 2N]."""
    once = torch.randint(1000, 20_000, (count, N), generator=torch.Generator().manual_seed(seed))
    return torch.cat([once, once], 1)


class Ran(NamedTuple):
    """hidden: the vectors behind each layer. weights [layers, h, b, n, n]. means: what each head adds on average
    [layers, h, d]. firsts: the first token's values [layers, b, h, m]."""

    hidden: list[Tensor]
    weights: Tensor
    means: Tensor
    firsts: Tensor


def parts_of(model: SmolLM, layer: DecoderLayer, x: Tensor) -> dict[str, Tensor]:
    """What the heads of a layer make of x [b, n, d], [b, h, n, m] each, turned to their places."""
    y = rms_norm(x, layer.before_attention, model.epsilon)
    q, k, v = (torch.einsum("bnd,hdm->bhnm", y, W) for W in (layer.W_Q, layer.W_K, layer.W_V))
    return {"queries": rotate(q, model.base), "keys": share(rotate(k, model.base), H), "values": share(v, H)}


@torch.no_grad()
def layers(
    model: SmolLM, x: Tensor, first: int = 0, *, filled: Mapping[Head, Tensor] | None = None, withheld: tuple[Head, str,
    list[Head]] | None = None,
    silent: bool = False, swapped: Tensor | None = None,
) -> Ran:  # fmt: skip
    """The layers from `first` on, of x [b, n, d].

    filled: what a head adds instead, [d]. withheld: (a head, a part, readers): the readers make this part from vectors
    without what the head added. silent: in sequence j no later place gets anything from place j. swapped: values that
    later places get from place 0 instead.
    """
    b, n = x.shape[:2]
    mask, missing, hidden, weights, means, firsts = causal_mask(n), None, [], [], [], []
    for number in range(first, len(model.layers)):
        layer = model.layers[number]
        made = parts_of(model, layer, x)
        if withheld and missing is not None and (readers := [head for at, head in withheld[2] if at == number]):
            made[withheld[1]][:, readers] = parts_of(model, layer, x - missing)[withheld[1]][:, readers]
        heads, A, _ = attend(made["queries"], made["keys"], made["values"], mask)  # [b, h, n, m]
        if silent:
            for j in range(b):
                heads[j, :, j + 1 :] -= A[j, :, j + 1 :, j, None] * made["values"][j, :, j, None]
        if swapped is not None:
            heads[:, :, 1:] += A[:, :, 1:, :1] * (swapped[number] - made["values"][:, :, 0])[:, :, None]
        added = torch.einsum("bhnm,hmd->bhnd", heads, layer.W_O)
        for (at, head), vector in (filled or {}).items():
            if at == number:
                added[:, head] = vector
        if withheld and withheld[0][0] == number:
            missing = added[:, withheld[0][1]]
        x = x + added.sum(1)
        x = x + swiglu(rms_norm(x, layer.before_feed_forward, model.epsilon), layer)
        hidden.append(x)
        weights.append(A)
        means.append(added.mean((0, 2)))
        firsts.append(made["values"][:, :, 0])
    return Ran(hidden, torch.stack(weights).transpose(1, 2), torch.stack(means), torch.stack(firsts))


def scores(A: Tensor) -> dict[str, Tensor]:
    """Each head's mean weight on the previous token, and on what followed its piece the last time: [layers, h, b]."""
    i, every = torch.arange(N, 2 * N), torch.arange(1, 2 * N)
    return {"previous": A[..., every, every - 1].mean(-1), "copy": A[..., i, i - N + 1].mean(-1)}


@torch.no_grad()
def nats(model: SmolLM, x: Tensor, tokens: Tensor) -> tuple[list[float], list[float]]:
    """Of each sequence, what a piece costs in the first copy and in the second."""
    lost = -model.unembed(x).log_softmax(-1)[:, :-1].gather(-1, tokens[:, 1:, None])[..., 0]
    return short(lost[:, : N - 1].mean(1)), short(lost[:, N:].mean(1))


def short(values: Tensor) -> list:
    return torch.round(values.double(), decimals=4).tolist()


def name(head: Head) -> str:
    return f"{head[0]}.{head[1]}"


def chosen_heads() -> dict:
    """What the page's sequences say: the six copy heads, the previous-token heads, and what each head adds on
    average."""
    model = language_model()
    ran = layers(model, model.E[twice(0, CHOSEN_ON)])
    by = {what: score.mean(-1) for what, score in scores(ran.weights).items()}
    copiers = [divmod(k, H) for k in by["copy"].flatten().topk(COPIERS).indices.tolist()]
    previous = [
        divmod(k, H)
        for k in by["previous"].flatten().argsort(descending=True).tolist()
        if by["previous"].flatten()[k] > 0.5
    ]
    return {"copiers": copiers, "previous": previous, "means": ran.means}


def read_fresh() -> dict:
    """The fresh sequences: tokens, and what each layer reads of them with no head gone."""
    model, tokens = language_model(), twice(1, FRESH)
    ran = layers(model, model.E[tokens])
    return {"tokens": tokens, "reads": [model.E[tokens], *ran.hidden], "scores": scores(ran.weights)}


chosen, fresh = Once(chosen_heads), Once(read_fresh)


def row_of(ran: Ran, first: int) -> dict:
    """What a run from layer `first` on costs a piece in each sequence, and the copy heads' mean score there."""
    before, again = nats(language_model(), ran.hidden[-1], fresh()["tokens"])
    copy = torch.stack([scores(ran.weights)["copy"][at - first, head] for at, head in chosen()["copiers"]])
    return {"first": before, "second": again, "copy": short(copy.mean(0))}


def group(label: str) -> list[Head]:
    """The heads of a group. A matched one has as many heads in each layer as the copy heads, drawn from the others."""
    copiers = chosen()["copiers"]
    if label == "copy":
        return copiers
    if label == "previous others":
        return [head for head in chosen()["previous"] if head != WRITER]
    if not label.startswith("matched"):
        return [(WRITER[0], int(label.partition(".")[2]))]
    draw, heads = torch.Generator().manual_seed(int(label.split()[1])), []
    for at in sorted({at for at, _ in copiers}):
        others = [head for head in range(H) if (at, head) not in copiers]
        heads += [
            (at, others[k])
            for k in torch.randperm(len(others), generator=draw)[: sum(layer == at for layer, _ in copiers)].tolist()
        ]
    return heads


def removed(label: str, fill: str) -> dict:
    """A group gone. Its heads add nothing, or what each adds on average."""
    heads = group(label) if label != "none" else []
    means = chosen()["means"]
    filled = {head: means[head] * (fill == "mean") for head in heads}
    first = min([WRITER[0], *(at for at, _ in heads)])  # below it nothing changes
    ran = layers(language_model(), fresh()["reads"][first], first, filled=filled)
    return {"group": label, "fill": fill, "heads": [name(head) for head in heads], **row_of(ran, first)}


def kept_from(label: str, part: str) -> dict:
    """What a head of the writer's layer adds is withheld from one part of the copy heads."""
    at, head = WRITER[0], int(label.partition(".")[2])
    ran = layers(language_model(), fresh()["reads"][at], at, withheld=((at, head), part, chosen()["copiers"]))
    return {"head": label, "part": part, **row_of(ran, at)}


def head_row(what: str) -> dict:
    """The heads that were chosen, with their mean score on the page's sequences' successors."""
    heads = chosen()["copiers" if what == "copy" else "previous"]
    found = fresh()["scores"][what].mean(-1)
    return {
        "what": what,
        "heads": [name(head) for head in heads],
        "fresh": [round(found[head].item(), 4) for head in heads],
    }


@torch.no_grad()
def rest(text: str) -> dict:
    """How much weight the first token gets and how much it adds, with its own piece and with others; and what its
    silence costs."""
    model = language_model()
    ids = torch.tensor(model.encode(text))
    n = len(ids)
    others = torch.randint(1000, 20_000, (FIRST_PIECES,), generator=torch.Generator().manual_seed(0))
    tokens = ids.repeat(1 + FIRST_PIECES, 1)
    tokens[1:, 0] = others
    ran = layers(model, model.E[tokens])
    weight, length, largest, runner, alike, unlike = [], [], [], [], [], []
    for x, layer, a in zip([model.E[tokens], *ran.hidden[:-1]], model.layers, ran.weights, strict=True):
        v = torch.einsum("bnd,gdm->bgnm", rms_norm(x, layer.before_attention, model.epsilon), layer.W_V)
        v = torch.einsum("bhnm,hmd->bhnd", share(v, H), layer.W_O)  # [b, h, n, d]
        sizes = a[:, 0] * v[0].norm(dim=-1)[:, None]  # of the text itself: [h, n, n]
        shares = sizes[:, 1:] / sizes[:, 1:].sum(-1, keepdim=True)
        weight.append(a[:, :, 1:, 0].mean(-1))  # [h, b]
        length.append(shares[..., 0].mean(-1))  # [h]
        largest.append((shares.argmax(-1) == 0).float().mean(-1))
        runner.append(shares[..., 1:].max(-1).values.mean(-1))
        unit = torch.nn.functional.normalize(v, dim=-1)
        first = unit[:, :, 0].transpose(0, 1)  # [h, b, d]
        pairs = first @ first.mT
        alike.append((pairs.sum((1, 2)) - pairs.shape[1]) / (pairs.shape[1] * (pairs.shape[1] - 1)))
        places = unit[0, :, 1:] @ unit[0, :, 1:].mT
        unlike.append((places.sum((1, 2)) - places.shape[1]) / (places.shape[1] * (places.shape[1] - 1)))
    weight, length, largest, runner, alike, unlike = map(torch.stack, (weight, length, largest, runner, alike, unlike))
    resting = weight[:, :, 0] > SINK  # [layers, h]
    repeated = ids.repeat(n, 1)  # sequence j: place j adds nothing to later places; the last is the text itself
    after = layers(model, model.E[repeated], silent=True).hidden[-1]
    exchanged = layers(model, model.E[repeated[:FIRST_PIECES]], swapped=ran.firsts[:, 1:]).hidden[-1]
    repeated = ids.repeat(n + FIRST_PIECES, 1)
    lost = (
        -model.unembed(torch.cat([after, exchanged])).log_softmax(-1)[:, :-1].gather(-1, repeated[:, 1:, None])[..., 0]
    )
    more = lost - lost[n - 1]  # [n + others, n − 1]
    silence = [round(more[j, j + 1 :].mean().item(), 4) for j in range(n - 2)]
    return {
        "text": text, "pieces": n, "weight": round(weight[..., 0].mean().item(), 4), "other firsts": short(weight[...,
        1:].mean((0, 1))),
        "resting": int(resting.sum()), "length": round(length.mean().item(), 4), "largest": round(largest.mean().item(),
        4), "next": round(runner.mean().item(), 4),
        "alike": round(alike[resting].mean().item(), 4), "unlike": round(unlike[resting].mean().item(), 4),
        "silence": silence, "swapped": short(more[n:, 1:].mean(-1)),
    }  # fmt: skip


@torch.no_grad()
def ended(text: str, answer: str, rival: str) -> dict:
    """Behind every layer, the rank of the right next piece and of a rival, and the likeliest piece."""
    model = language_model()
    hidden = torch.stack([x[-1] for x in model.read(text).hidden])
    logits = model.unembed(hidden)  # [layers + 1, vocab]
    ranks = {word: (1 + (logits > logits[:, [model.encode(word)[0]]]).sum(-1)).tolist() for word in (answer, rival)}
    return {
        "text": text,
        "answer": answer,
        "rival": rival,
        "ranks": ranks[answer],
        "rivals": ranks[rival],
        "top": [model.decode([k]) for k in logits.argmax(-1).tolist()],
    }


@torch.no_grad()
def settled(text: str) -> dict:
    """At each place, the number of layers behind which the model's final first piece stays first, and whether it is the
    right one."""
    model = language_model()
    ids = model.encode(text)
    seen = model.read(text)
    top = torch.stack([model.unembed(x).argmax(-1) for x in seen.hidden])[:, :-1]  # [layers + 1, n − 1]
    wrong = (top != top[-1]).long()
    last = [int(column.nonzero().max()) + 1 if column.any() else 0 for column in wrong.T]
    return {"text": text, "layers": last, "right": (top[-1] == torch.tensor(ids[1:])).long().tolist()}


STUDY = Study(
    "real_heads",
    {
        "model": "SmolLM2-135M-Instruct", "pieces": N, "sequences": FRESH, "draws": DRAWS, "writer": name(WRITER),
        "first_pieces": FIRST_PIECES, "sink": SINK,
    },
    {
        "chosen": Part(head_row, [("copy",), ("previous",)], key=("what",)),
        "removed": Part(removed, [("none", "zero"), *((label, fill) for label in GROUPS for fill in FILLS)],
        key=("group", "fill")),
        "withheld": Part(kept_from, [(f"16.{i}", part) for i in range(H) for part in PARTS], key=("head", "part")),
        "rests": Part(rest, [(text,) for text in SENTENCES], key=("text",)),
        "ended": Part(ended, {(text,): (text, answer, rival) for text, answer, rival in ENDED}, key=("text",)),
        "settled": Part(settled, [(text,) for text in SENTENCES], key=("text",)),
    },
    minutes=5,
    again=[
        Again("chosen", [("copy",)], head_row, ("heads",)),
        Again("withheld", [("16.0", "keys")], kept_from, ("second",), abs=0.02),
        Again("removed", [("copy", "mean")], removed, ("second",), abs=0.02),
        Again("rests", [(SENTENCES[0],)], rest, ("weight", "length", "silence"), abs=0.02),
        Again("ended", [ENDED[0][:1]], ended, ("ranks",), rel=0.05),
    ],
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
