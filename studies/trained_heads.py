"""Do trained heads obey the laws of Gaussian attention? Every head of four models: its scores' spread, effective keys,
and the Gaussian map.

    python studies/trained_heads.py          (needs requirements/models.txt; about two minutes of one core)

A head is given its queries, keys and values as its model makes them, and every query a list of keys: in the
translator's encoder and in the model of towns the keys of all sentences or names together (each was read alone; neither
has places inside its scores), in the two real models those of one text, for the language model the ones up to the
query. Only queries with at least LEAST keys count. For each query, over its n keys: s, the standard deviation of the
scores; the effective number of keys 1/Σw², beside n e^(−s²); and the error of the Gaussian map, which says that the
weighted mean of the values is mean + covariance(values, scores): the length of what it misses, over the length of what
the softmax moves the mean. A row holds the medians over queries, and for how many queries s is beyond √(2 ln n).
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor

from course_lib import attention
from course_lib.attention import Attended
from course_lib.pretrained import minilm, smollm
from course_lib.results.study import Part, Study
from course_lib.shipped import town_model, translator
from course_lib.text.corpora import english_french, towns
from course_lib.text.vocabulary import START
from studies.quantisation import passages

SENTENCES, NAMES, WORDS, TEXTS, LEAST = 48, 60, 160, 3, 64  # TEXTS of so many WORDS


def recorded(module: Any, read: Callable[[], Any]) -> list[tuple[Tensor, Tensor, Tensor]]:
    """(q, k, v) [h, n, m] of every call of attention that `module` makes meanwhile, layer after layer."""
    seen = []

    def attend(q: Tensor, k: Tensor, v: Tensor, *rest: Any, **more: Any) -> Attended:
        seen.append(tuple(each.detach().reshape(-1, *each.shape[-2:]).double() for each in (q, k, v)))
        return whole(q, k, v, *rest, **more)

    whole = attention.attend
    with patch.object(module, "attend", attend), torch.no_grad():
        read()
    return seen


def together(module: Any, reads: list[Callable[[], Any]], layers: int) -> list[tuple[Tensor, Tensor, Tensor]]:
    """The same for several texts, a layer's rows of all of them as one list of tokens."""
    each = [recorded(module, read)[:layers] for read in reads]
    return [tuple(torch.cat(parts, 1) for parts in zip(*layer, strict=True)) for layer in zip(*each, strict=True)]


def of_translator() -> list[list[tuple[Tensor, Tensor, Tensor]]]:
    model, english, _, info = translator()
    sources = [torch.tensor([english.encode(pair.source)]) for pair in english_french().test[:SENTENCES]]
    return [together(attention, [lambda x=x: model.encode(x) for x in sources], info["config"]["layers"])]


def of_towns() -> list[list[tuple[Tensor, Tensor, Tensor]]]:
    model, letters, info = town_model()
    names = [torch.tensor([[START, *letters.encode(list(name))]]) for name in towns()[:: len(towns()) // NAMES][:NAMES]]
    return [together(attention, [lambda x=x: model(x) for x in names], info["config"]["layers"])]


def of_minilm() -> list[list[tuple[Tensor, Tensor, Tensor]]]:
    model = minilm.MiniLM.load()
    return [recorded(minilm, lambda text=text: model.read(text)) for text in passages(TEXTS, WORDS)]


def of_smollm() -> list[list[tuple[Tensor, Tensor, Tensor]]]:
    model = smollm.SmolLM.load()
    return [recorded(smollm, lambda text=text: model.read(text)) for text in passages(TEXTS, WORDS)]


MODELS = {
    "translator, encoder": (of_translator, False),
    "towns": (of_towns, False),
    "MiniLM": (of_minilm, False),
    "SmolLM2": (of_smollm, True),
}


def laws(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Iterator[tuple[int, float, float, float]]:
    """For each query of one head, q, k [n, m] and v [n, c]: its keys n, s, the effective keys, and the error of the
    Gaussian map."""
    scores = q @ k.T * q.shape[-1] ** -0.5
    for i in range(len(q)):
        n = i + 1 if causal else len(k)
        if n < LEAST:
            continue
        own, values = scores[i, :n], v[:n]
        w = own.softmax(-1)
        shift = w @ values - values.mean(0)
        said = (own - own.mean()) @ (values - values.mean(0)) / n
        yield n, own.std(correction=0).item(), 1 / (w @ w).item(), ((said - shift).norm() / shift.norm()).item()


def row(model: str, layer: int, head: int, found: list[tuple[int, float, float, float]]) -> dict[str, Any]:
    n, s, effective, error = map(torch.tensor, zip(*found, strict=True))
    law = n * (-s.double().square()).exp()
    middle = {"keys": n, "spread": s, "effective": effective, "law": law.clamp(min=1), "error": error}
    beyond = (s > (2 * n.double().log()).sqrt()).double().mean().item()
    return {
        "model": model, "layer": layer, "head": head, "queries": len(found),
        **{name: round(values.double().median().item(), 3) for name, values in middle.items()},
        "beyond the wall": round(beyond, 3),
    }  # fmt: skip


def heads(model: str) -> list[dict[str, Any]]:
    made, causal = MODELS[model]
    texts = made()
    rows = []
    for layer, parts in enumerate(zip(*texts, strict=True)):
        for head in range(len(parts[0][0])):
            rows.append(
                row(model, layer, head, [each for q, k, v in parts for each in laws(q[head], k[head], v[head], causal)])
            )
    return rows


STUDY = Study(
    "trained_heads",
    {"settings": {"sentences": SENTENCES, "names": NAMES, "words": WORDS, "texts": TEXTS, "least": LEAST}},
    {"rows": Part(heads, [(model,) for model in MODELS], key=("model",))},
    minutes=2,
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
