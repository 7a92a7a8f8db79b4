"""A live provider of RealModel: what it answers for a small model is what PyTorch's reader says, and a text it cannot
read is refused in words."""

import numpy as np
import pytest
import torch

from tests.shared.engine_answers import edit
from tests.shared.graph_node import node
from tests.shared.small_language_model import CONFIG, LETTERS, small_language_model
from tests.widgets.test_real_model import forward

TEXT, OTHER = "ab cak", "ab dax"
LAYERS, HEADS = CONFIG["layers"], CONFIG["heads"]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return small_language_model(tmp_path_factory.mktemp("small"), "smollm2", LETTERS)


def ids(text):
    return [LETTERS["alphabet"].index("Ġ" if letter == " " else letter) for letter in text]


def ran(lm, text, *edits):
    """The reader's stream [layers + 1, n, d], its weights and last logits; with these parts erased."""
    found = forward(lm, ids(text), edits)
    return found["stream"], found["maps"], found["logits"][-1]


def test_what_is_read_is_what_pytorch_reads(small):
    folder, lm = small
    read, lens, moved = node(
        "real_model_live.mjs",
        {"folder": str(folder), "questions": [["read", TEXT], ["lens", TEXT, 5], ["moved", TEXT]]},
    )
    stream, weights, logits = ran(lm, TEXT)
    n = len(TEXT)
    assert read["words"] == list(TEXT)
    np.testing.assert_allclose(np.array(read["maps"]).reshape(LAYERS, HEADS, n, n), weights, atol=2e-3)
    np.testing.assert_allclose(read["spread"], weights[:, :, -1].log().std(-1, correction=0), atol=2e-2)
    order = logits.argsort(descending=True)
    gaps = [gap for _, gap in read["next"]["top"]]
    np.testing.assert_allclose(gaps, (logits[order[0]] - logits[order[:40]]), atol=2e-2)
    assert sum(read["next"]["rest"]) == 20 and lens["words"] == [
        LETTERS["alphabet"][i].replace("Ġ", " ") for i in order[:5].tolist()
    ]
    p = lm.unembed(stream[:, -1]).softmax(-1)
    np.testing.assert_allclose(lens["p"], p[:, order[:5]], atol=5e-3)
    np.testing.assert_allclose(moved, 1 - torch.cosine_similarity(stream[1:], stream[:-1], dim=-1), atol=5e-3)


def test_an_erased_part_changes_what_pytorch_says_it_changes(small):
    folder, lm = small
    asked = [
        {"layer": 1, "part": 4, "fill": "zero"},
        {"layer": 1, "part": HEADS, "fill": "zero"},
        {"layer": 2, "part": HEADS + 1, "fill": "zero"},
    ]
    head, attention, fed, known, mean = node(
        "real_model_live.mjs",
        {
            "folder": str(folder),
            "questions": [
                *(["erase", TEXT, each] for each in asked),
                ["erased", TEXT, "zero"],
                ["erase", TEXT, asked[0] | {"fill": "mean"}],
            ],
        },
    )
    logits = ran(lm, TEXT)[2]
    five = logits.argsort(descending=True)[:5]
    for got, erased in (
        (head, edit("head", 1, 0, head=4)),
        (attention, edit("attention", 1, 0)),
        (fed, edit("feedForward", 2, 0)),
    ):
        np.testing.assert_allclose(
            got, (ran(lm, TEXT, erased)[2].log_softmax(-1) - logits.log_softmax(-1))[five], atol=2e-2
        )
    found = {
        (layer, part): value for layer, row in enumerate(known) for part, value in enumerate(row) if value is not None
    }
    assert found == {(1, 4): head[0], (1, HEADS): attention[0], (2, HEADS + 1): fed[0]} and mean != head


def test_a_patch_is_measured_and_told_as_it_comes(small):
    folder, lm = small
    state = {"view": "patched", "what": "stream", "layer": 30, "row": 5, "source": {"text": TEXT, "other": OTHER}}
    patched, same, unlike, last, seen, long, short = node(
        "real_model_live.mjs",
        {
            "folder": str(folder),
            "questions": [
                ["patch", TEXT, OTHER, "stream"],
                ["patch", TEXT, TEXT, "stream"],
                ["patch", TEXT, "ab", "stream"],
                ["look", state],
                ["look", state | {"what": "attention"}],
                ["read", "a" * 49],
                ["read", "a"],
            ],
        },
    )
    A, B = (ran(lm, text)[2] for text in (TEXT, OTHER))
    yes, no = int(A.argmax()), int(B.argmax())
    assert yes != no
    values, ends = np.array(patched["values"]), [float(each[yes] - each[no]) for each in (A, B)]
    assert [patched["A"], patched["B"]] == pytest.approx(ends, abs=3e-2)
    assert values.shape == (LAYERS, len(TEXT)) and values[:, :3] == pytest.approx(np.full((LAYERS, 3), patched["B"]))
    mixed = ran(lm, OTHER[:3] + TEXT[3] + OTHER[4:])[2]  # before the first layer a row is the piece itself
    assert values[0, 3] == pytest.approx(float(mixed[yes] - mixed[no]), abs=3e-2)
    assert last["told"].startswith("After 2 layers the row of")  # of three
    assert "of the way" in seen["told"] or "a change of" in seen["told"]
    assert seen["came"][0] > seen["came"][-1] == 0
    assert same["refused"].startswith("BadText: After both sentences")
    assert unlike["refused"] == "BadText: The two sentences must have as many pieces as each other: they have 6 and 2."
    assert (
        long["refused"] == "BadText: That is 49 pieces; at most 48 can be shown."
        and short["refused"] == "BadText: Type two pieces or more."
    )
