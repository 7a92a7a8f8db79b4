"""One real language model opened on three sentences, and one kind of fact: what the page "Open a real model" shows
where the model itself is not.

    python studies/open_model.py          (needs requirements/models.txt; about six minutes of one core)

"sentences": three texts, each with a second one of equal length that differs in one piece. Every number of a row can be
asked of the model by the reader; the widget has the same views of both.

maps      all heads' weights, in hundredths: of each head the rows of the lower triangle, one byte a weight, base64
spread    of each head, the standard deviation of the last token's scores: that of the logarithms of its weights
next      the SHOWN likeliest next pieces, how far each logit is below the first; of all others, how many in each BIN
          below it
words     the five likeliest next pieces
lens      each token's row read after 0 … 30 layers: the three likeliest pieces, numbers of `pieces`, with p; and p of
          `words`, in thousandths
erased    the change of log p of `words`, in hundredths, where one part gives at every token zero, or its mean over
          `fact_probe.OTHERS`:
          [layers, 9 heads, all heads, feed-forward; words]
moved     1 − cosine of each token's row before a layer and after it: [layers, n]
patched   logit of the first text's likeliest piece less that of the second's, where the second text is read and one row
          of the stream, or what
          attention or the feed-forward layer of one layer adds at one token, comes from the first: [layers + 1 or
          layers, n]

"facts": cities, one sentence each. `fits`: the country is the likeliest next piece, and so it is for the city that
follows in the list. For those: `silenced`, the change of log p of the country with the attention or feed-forward part
of one layer at zero or at its mean, at every token; `city row` and `last row`, the share of the way from the other
city's difference of logits to its own that one row put in goes, after 0 … 30 layers.

"third": the control of `patched`: the last row of a third city's sentence put into the one with Rome, on the scale of
Paris and Rome, after 0 … 30 layers.
"""

import base64
import sys

import torch
from torch import Tensor

from course_lib.pretrained.smollm import SmolLM, rms_norm, swiglu
from course_lib.results.study import Again, Part, Study
from studies.fact_probe import language_model, means, parts
from studies.next_words import distribution
from studies.residual_stream import COUNTRIES, difference, onwards, patched, short

SHOWN, WORDS, TOP = 40, 5, 3
TEXTS = (
    ("The city of Paris is in the country of", "The city of Rome is in the country of"),
    ("The animal crossed the street because it was", "The animal crossed the river because it was"),
    ("red cat, blue dog, red cat, blue", "red cat, blue fish, red cat, blue"),
)
CITIES = tuple((city, country) for country, city in COUNTRIES)


def asks(city: str) -> str:
    return f"The city of {city} is in the country of"


@torch.no_grad()
def without(model: SmolLM, text: str, fill: Tensor, only: tuple[int, ...] | None = None) -> Tensor:
    """Logits at the last token with one part of one layer at `fill` [layers, h + 1, d] at every token: [layers, h + 2,
    vocab], heads, all of them, feed-forward.

    only: numbers of the parts wanted.
    """
    stream, added = parts(model, text)
    found = []
    for number, (layer, x, (*heads, _), put) in enumerate(zip(model.layers, stream, added, fill, strict=False)):
        rest = x + sum(heads)
        without_heads = [*(rest - head + row for head, row in zip(heads, put, strict=False)), x + put[:-1].sum(0)]
        fed = [each + swiglu(rms_norm(each, layer.before_feed_forward, model.epsilon), layer) for each in without_heads]
        rows = torch.stack([*fed, rest + put[-1]])
        found.append(onwards(model, rows if only is None else rows[list(only)], number + 1))
    return torch.stack(found)


@torch.no_grad()
def part_patched(model: SmolLM, texts: tuple[str, str], ids: tuple[int, int], feed_forward: bool) -> Tensor:
    """The difference of two logits after texts[1] where what one layer's attention, or feed-forward part, adds to one
    token comes from texts[0]: [layers, n]."""
    (_, clean), (stream, added) = (parts(model, text) for text in texts)
    table = []
    for number, (layer, x) in enumerate(zip(model.layers, stream, strict=False)):
        rows = (x + added[number, :-1].sum(0)).repeat(x.shape[0], 1, 1)  # a copy for each place
        each = range(len(x))
        if not feed_forward:
            rows[each, each] += (clean[number, :-1] - added[number, :-1]).sum(0)
        rows = rows + swiglu(rms_norm(rows, layer.before_feed_forward, model.epsilon), layer)
        if feed_forward:
            rows[each, each] += clean[number, -1] - added[number, -1]
        table.append(difference(onwards(model, rows, number + 1), *ids))
    return torch.stack(table)


def whole_numbers(values: Tensor) -> list:
    return values.double().round().int().tolist()


def opened(*texts: str) -> dict:
    """A row of "sentences"."""
    model, text = language_model(), texts[0]
    (seen, other), fills = map(model.read, texts), {"zero": torch.zeros_like(means()), "mean": means()}
    n = len(seen.tokens)
    lower = seen.weights[:, :, *torch.tril_indices(n, n)]  # [layers, h, n(n + 1)/2]
    whole = seen.logits[-1].log_softmax(-1)
    words = whole.topk(WORDS).indices
    log_p = model.unembed(seen.hidden).log_softmax(-1)  # [layers + 1, n, vocab]
    best = log_p.topk(TOP)
    pieces = best.indices.unique().tolist()
    number = {piece: i for i, piece in enumerate(pieces)}
    ids = tuple(int(each.logits[-1].argmax()) for each in (seen, other))
    streams = seen.hidden, other.hidden
    return {
        "text": text, "other": texts[1], "tokens": seen.tokens, "other tokens": other.tokens,
        "maps": base64.b64encode((100 * lower).round().byte().numpy().tobytes()).decode(),
        "spread": short(seen.weights[:, :, -1].log().std(-1, correction=0), 2),
        "next": distribution(model, seen.logits[-1], SHOWN, 3), "words": [model.decode([i]) for i in words.tolist()],
        "lens": {
            "pieces": [model.decode([i]) for i in pieces],
            "top": [[[number[i] for i in cell] for cell in row] for row in best.indices.tolist()],
            "p": short(best.values.exp(), 2), "words": whole_numbers(1000 * log_p[..., words].exp()),
        },
        "erased": {how: whole_numbers(100 * (without(model, text, fill).log_softmax(-1)[...,
        words] - whole[words])) for how, fill in fills.items()},
        "moved": short(1 - torch.cosine_similarity(seen.hidden[1:], seen.hidden[:-1], dim=-1)),
        "yes": model.decode([ids[0]]), "no": model.decode([ids[1]]), "D": [short(difference(each.logits[-1],
        *ids)) for each in (seen, other)],
        "patched": {
            "stream": short(patched(model, *streams, ids, range(n)), 2),
            "attention": short(part_patched(model, texts, ids, False), 2), "feed-forward": short(part_patched(model,
            texts, ids, True), 2),
        },
    }  # fmt: skip


def fact(city: str, country: str, partner: tuple[str, str]) -> dict:
    """A row of "facts"; `partner`: the city that follows in the list, with its country."""
    model = language_model()
    texts, words = (asks(city), asks(partner[0])), (country, partner[1])
    p = [model.probabilities(text) for text in texts]
    first = [model.decode([int(each.argmax())]) for each in p]
    own, other = (model.piece(f" {word}") for word in words)
    row: dict = {
        "city": city,
        "country": country,
        "partner": partner[0],
        "next": first[0].strip(),
        "p": round(float(p[0].max()), 3),
    }
    pieces = [model.encode(text) for text in texts]
    row["fits"] = first == [f" {word}" for word in words] and len(pieces[0]) == len(pieces[1]) == len(
        model.encode(TEXTS[0][0])
    )
    if row["fits"]:
        h = len(model.layers[0].W_Q)
        whole = p[0][own].log()
        row["silenced"] = {}
        for how, fill in (("zero", torch.zeros_like(means())), ("mean", means())):
            lost = without(model, texts[0], fill, (h, h + 1)).log_softmax(-1)[..., own] - whole
            row["silenced"][how] = {"attention": short(lost[:, 0]), "feed-forward": short(lost[:, 1])}
        streams = [model.read(text).hidden for text in texts]
        D = patched(model, *streams, (own, other), (3, len(pieces[0]) - 1))  # the city's place and the last
        A, B = (difference(model.unembed(stream[-1, -1]), own, other) for stream in streams)
        row |= dict(zip(("city row", "last row"), short(((D - B) / (A - B)).T), strict=True))
    return row


def third(city: str) -> dict:
    """A row of "third"."""
    model = language_model()
    paris, rome, other = (model.read(text).hidden for text in (*TEXTS[0], asks(city)))
    ids = model.piece(" France"), model.piece(" Italy")
    A, B = (difference(model.unembed(stream[-1, -1]), *ids) for stream in (paris, rome))
    D = patched(model, other, rome, ids, (len(rome[0]) - 1,))[:, 0]
    return {"city": city, "last row": short((D - B) / (A - B))}


STUDY = Study(
    "open_model",
    {"model": "SmolLM2-135M-Instruct", "shown": SHOWN, "words": WORDS, "cities": len(CITIES)},
    {
        "sentences": Part(opened, {(texts[0],): texts for texts in TEXTS}, key=("text",)),
        "facts": Part(
            fact,
            {(city,): (city, country, CITIES[(i + 1) % len(CITIES)]) for i, (city, country) in enumerate(CITIES)},
            key=("city",),
        ),
        "third": Part(third, {(city,): (city,) for city, _ in CITIES[2:]}, key=("city",)),
    },
    minutes=6,
    again=[Again("third", [("Cairo",)], third, ("last row",), abs=5e-3)],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
