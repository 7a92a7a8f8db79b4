"""TokensInDepth: the page's run against `course_lib.gaussian.sphere`, its words, and what it reads back."""

import numpy as np
import pytest

from course_lib.gaussian import sphere
from course_lib.graphs.random import Generator
from course_lib.widgets import TokensInDepth
from tests.shared.graph_node import call, exports, js, pieces

DEFAULT = TokensInDepth().get_state(TokensInDepth._settings)
MATRICES = 100_000
PAGE = exports("tokens_in_depth", "flow", "words")


def ran(each, known=None):
    """The last layer of a run in the page, which may go on from a run that is known."""
    layers = PAGE.run(each, known).layers
    last = layers[each["layers"]]
    told = {
        "sizes": PAGE.sizes(last.group),
        "told": PAGE.told(each, last),
        "counts": [layers[k].count for k in range(each["layers"] + 1)],
    }
    return js().Object.assign(told, last)


def state(**more):
    return DEFAULT | more


def path(each):
    """The tokens behind every layer, by course_lib."""
    d, n = each["d"], each["n"]
    x, drawn = sphere.unit(Generator(each["seed"]).normal(n * d).reshape(n, d)), Generator(MATRICES + each["seed"])
    h = each["heads"] if each["look"] == "random" else 1
    matrices = lambda: drawn.normal(h * d * d).reshape(h, d, d) / np.sqrt(d)
    C = matrices() if each["look"] == "random" else None
    V = matrices() if each["value"] == "one" else {"minus": -1.0}.get(each["value"], 1.0)
    found = [x]
    for _ in range(each["layers"]):
        V = matrices() if each["value"] == "fresh" else V
        found.append(sphere.sphere_layer(found[-1], each["beta"], each["step"], V, C))
    return found


CASES = {
    "circle": {"layers": 60},
    "sphere": {"d": 3, "n": 40, "layers": 30, "beta": 4},
    "no scores": {"d": 3, "n": 9, "layers": 5, "beta": 0},
    "apart": {"n": 12, "layers": 80, "value": "minus", "step": 0.3},
    "one matrix": {"d": 8, "n": 20, "layers": 12, "value": "one"},
    "fresh": {"d": 3, "n": 20, "layers": 12, "value": "fresh", "seed": 4},
    "heads": {"d": 8, "n": 16, "layers": 8, "look": "random", "heads": 3, "beta": 20},
    "all random": {"d": 32, "n": 8, "layers": 4, "look": "random", "heads": 4, "value": "fresh", "step": 1},
}


@pytest.mark.parametrize("name", CASES)
def test_the_page_computes_what_python_does(name):
    each = state(**CASES[name])
    x = path(each)
    found, halved = call(ran(each), ran(each, PAGE.run(each | {"layers": each["layers"] // 2})))
    np.testing.assert_allclose(np.reshape(found["x"], x[-1].shape), x[-1], atol=1e-9)
    assert halved["x"] == found["x"]  # to go on from what is known changes nothing
    assert found["group"] == sphere.groups(x[-1]).tolist()
    assert found["counts"] == [sphere.groups(row).max() + 1 for row in x]
    assert found["sizes"] == sorted(np.bincount(sphere.groups(x[-1])).tolist(), reverse=True)
    assert found["cosine"] == pytest.approx(sphere.mean_cosine(x[-1]), abs=1e-9)
    if each["look"] == "random" or each["value"] in ("one", "fresh"):
        assert found["equal"] is None
    else:
        times = each["step"] * np.arange(each["layers"] + 1)
        wanted = sphere.cosine_path(
            sphere.mean_cosine(x[0]), each["n"], each["beta"], times, -1.0 if each["value"] == "minus" else 1.0
        )
        assert found["equal"] == pytest.approx(wanted[-1], abs=1e-9)


def test_the_work_is_cut_into_layers():
    assert pieces(PAGE.run, state(layers=25)) == 25


def test_words_say_what_is_seen():
    start, later, alone, all_one, random = (each["told"] for each in call(
        ran(state()), ran(state(layers=60)), ran(state(d=32, n=5)), ran(state(d=8, n=6, beta=0, layers=400)),
        ran(state(value="fresh", layers=1)),
    ))  # fmt: skip
    x = path(state(layers=60))
    sizes = sorted(np.bincount(sphere.groups(x[-1])).tolist(), reverse=True)
    assert f"groups, the largest of {sizes[0]}" in later or f"groups of {sizes[0]}" in later
    assert (
        later.startswith("After 60 layers the 64 tokens form")
        and f"two tokens is {sphere.mean_cosine(x[-1]):.2f}".replace("-", "−") in later
    )
    assert (
        start.startswith("At the start the 64 tokens form") and "Equal angles" not in start and "Equal angles" in later
    )
    assert "the 5 tokens stand each alone" in alone and "all 6 tokens are one group" in all_one
    assert random.startswith("After 1 layer ") and "Equal angles" not in random
