"""A live provider of RealModel: what it answers for a small model is what PyTorch's reader says, and a text it cannot read is refused in words."""

import numpy as np
import pytest
import torch

from course_lib.pretrained.smollm import rms_norm, share, swiglu
from tests.shared.graph_node import node
from tests.shared.small_language_model import CONFIG, LETTERS, small_language_model

TEXT, OTHER = "ab cak", "ab dax"
LAYERS, HEADS = CONFIG["layers"], CONFIG["heads"]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return small_language_model(tmp_path_factory.mktemp("small"), "smollm2", LETTERS)


def ids(text):
    return [LETTERS["alphabet"].index("Ġ" if letter == " " else letter) for letter in text]


@torch.no_grad()
def ran(lm, tokens, change=None):
    """The stream [layers + 1, n, d], the weights, and the last logits; change(layer, heads [h, n, d], fed [n, d], x) → what these are instead."""
    x, stream, weights = lm.E[torch.tensor(tokens)], [], []
    maps = lm.forward(torch.tensor([tokens]), lm.start())[1]
    for number, layer in enumerate(lm.layers):
        if change is not None:
            maps = lm_weights(lm, layer, x)
        stream.append(x)
        A = maps if change is not None else maps[number][0]
        v = torch.einsum("nd,gdm->gnm", rms_norm(x, layer.before_attention, lm.epsilon), layer.W_V)
        heads = torch.einsum("hnm,hmd->hnd", A @ share(v[None], HEADS)[0], layer.W_O)
        heads = heads if change is None else change("heads", number, heads)
        x = x + heads.sum(0)
        fed = swiglu(rms_norm(x, layer.before_feed_forward, lm.epsilon), layer)
        x = x + (fed if change is None else change("fed", number, fed))
        weights.append(A)
    stream.append(x)
    return torch.stack(stream), torch.stack(weights), lm.unembed(x[-1])


def lm_weights(lm, layer, x):
    from course_lib.attention import attend, causal_mask
    from course_lib.pretrained.smollm import rotate

    y = rms_norm(x, layer.before_attention, lm.epsilon)[None]
    q = rotate(torch.einsum("bnd,hdm->bhnm", y, layer.W_Q), lm.base)
    k = rotate(torch.einsum("bnd,gdm->bgnm", y, layer.W_K), lm.base)
    v = torch.einsum("bnd,gdm->bgnm", y, layer.W_V)
    return attend(q, share(k, HEADS), share(v, HEADS), causal_mask(len(x)))[1][0]


def test_what_is_read_is_what_pytorch_reads(small):
    folder, lm = small
    read, lens, moved = node(
        "real_model_live.mjs", {"folder": str(folder), "questions": [["read", TEXT], ["lens", TEXT, 5], ["moved", TEXT]]}
    )
    stream, weights, logits = ran(lm, ids(TEXT))
    n = len(TEXT)
    assert read["words"] == list(TEXT)
    np.testing.assert_allclose(np.array(read["maps"]).reshape(LAYERS, HEADS, n, n), weights, atol=2e-3)
    np.testing.assert_allclose(read["spread"], weights[:, :, -1].log().std(-1, correction=0), atol=2e-2)
    order = logits.argsort(descending=True)
    gaps = [gap for _, gap in read["next"]["top"]]
    np.testing.assert_allclose(gaps, (logits[order[0]] - logits[order[:40]]), atol=2e-2)
    assert sum(read["next"]["rest"]) == 20 and lens["words"] == [LETTERS["alphabet"][i].replace("Ġ", " ") for i in order[:5].tolist()]
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
    logits = ran(lm, ids(TEXT))[2]
    five = logits.argsort(descending=True)[:5]

    def wanted(change):
        return (ran(lm, ids(TEXT), change)[2].log_softmax(-1) - logits.log_softmax(-1))[five]

    mask = torch.ones(HEADS, 1, 1)
    mask[4] = 0
    for got, change in (
        (head, lambda what, layer, x: x * mask if (what, layer) == ("heads", 1) else x),
        (attention, lambda what, layer, x: 0 * x if (what, layer) == ("heads", 1) else x),
        (fed, lambda what, layer, x: 0 * x if (what, layer) == ("fed", 2) else x),
    ):
        np.testing.assert_allclose(got, wanted(change), atol=2e-2)
    found = {(layer, part): value for layer, row in enumerate(known) for part, value in enumerate(row) if value is not None}
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
    A, B = (ran(lm, ids(text))[2] for text in (TEXT, OTHER))
    yes, no = int(A.argmax()), int(B.argmax())
    assert yes != no
    values, ends = np.array(patched["values"]), [float(each[yes] - each[no]) for each in (A, B)]
    assert [patched["A"], patched["B"]] == pytest.approx(ends, abs=3e-2)
    assert values.shape == (LAYERS, len(TEXT)) and values[:, :3] == pytest.approx(np.full((LAYERS, 3), patched["B"]))
    mixed = ran(lm, ids(OTHER[:3] + TEXT[3] + OTHER[4:]))[2]  # before the first layer a row is the piece itself
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
