"""RealModel: what its views show and say of the recorded runs, against the study's table and against the course's own
decoding."""

import base64
import math

import numpy as np
import pytest
import torch

from course_lib.decoding import restrict
from course_lib.results import load
from course_lib.widgets import RealModel
from tests.shared.graph_node import GLUE, call, exports, js

ROWS = load("open_model")["sentences"]
START = {
    "view": "maps", "sentence": 0, "layer": 23, "head": 4, "row": 63, "column": 3, "word": 0, "part": 10,
    "fill": "mean", "what": "stream", "seed": 1,
}  # fmt: skip
LAYERS, HEADS = 30, 9


PAGE = exports("real_model", "chance", "cut", "find", "looks", "opening", "stored")
STORED = PAGE.stored(ROWS)


def look(case, provider=STORED):
    """What is seen of these settings, of this provider."""
    row = ROWS[(START | case)["sentence"]]
    return PAGE.look(
        provider, STORED.read(row["text"]), START | case | {"source": {name: row[name] for name in ("text", "other")}}
    )


def asked(*cases):
    return call(*map(look, cases))


def grid(seen):
    return np.array(seen["numbers"], float).reshape(-1, seen["columns"])


def map_of(row, layer, head):
    """[n, n], from the packed triangles."""
    n = len(row["tokens"])
    packed = np.frombuffer(base64.b64decode(row["maps"]), np.uint8).reshape(LAYERS, HEADS, -1)[layer, head] / 100
    A = np.zeros((n, n))
    A[np.tril_indices(n)] = packed
    return A


def test_a_map_shows_the_head_that_is_chosen_and_hides_what_comes_later():
    first, later = asked({}, {"sentence": 2, "layer": 17, "head": 2, "row": 3, "column": 5})
    A = map_of(ROWS[0], 23, 4)
    shown = grid(first)
    masked = look({}).masked
    hidden = call(*(masked(i, j) for i in range(len(A)) for j in range(len(A))))
    assert (np.reshape(hidden, A.shape) == np.triu(np.ones_like(A), 1)).all() and shown == pytest.approx(A)
    assert first["value"] == pytest.approx(A[-1, 3]) and first["at"] == [8, 3]
    assert f"{A[-1, 3]:.2f} of the weight is on “Paris”" in first["told"] and "Most, " in first["told"]
    worth = A[-1].sum() ** 2 / (A[-1] ** 2).sum()
    s = ROWS[0]["spread"][23][4]
    assert (
        f"worth {worth:.1f} equal ones" in first["told"]
        and f"would be worth {9 * math.exp(-(s**2)):.2f}" in first["told"]
    )
    assert "is not to be seen" in later["told"] and later["value"] == 0 and "law" not in later["told"]


def test_the_lens_shows_the_five_likeliest_and_says_what_is_on_top():
    (seen,) = asked({"view": "lens", "layer": 30})
    lens, n = ROWS[0]["lens"], len(ROWS[0]["tokens"])
    assert grid(seen) == pytest.approx(np.array(lens["words"])[:, n - 1].T / 1000)
    assert seen["rows"][0] == ROWS[0]["words"][0].strip() and seen["value"] == pytest.approx(
        1 / sum(self_weights(ROWS[0]["next"])), abs=2e-3
    )
    assert f"“{seen['rows'][0]}” {seen['value']:.2f}" in seen["told"]


def self_weights(row):
    """Of all pieces, e^−gap; the binned ones by the middle of their bin."""
    return [
        *(math.exp(-gap) for _, gap in row["top"]),
        *(count * math.exp(-(k + 0.5) * 0.25) for k, count in enumerate(row["rest"])),
    ]


def test_erasure_stands_beside_another_part_of_the_same_kind():
    head, part = asked(
        {"view": "erased", "part": 4}, {"view": "erased", "part": 10, "fill": "zero", "layer": 0, "sentence": 1}
    )
    table = np.array(ROWS[0]["erased"]["mean"]) / 100  # [layers, parts, words]
    assert grid(head) == pytest.approx(table[:, :, 0].T) and head["value"] == pytest.approx(table[23, 4, 0])
    names, runs = zip(*head["compare"]["columns"], strict=True)
    assert names == ("untouched", "without it", "without another")
    assert np.log(np.array(runs[1]) / np.array(runs[0])) == pytest.approx(table[23, 4], abs=1e-6)
    assert (
        "Drawn by chance instead, head " in head["told"]
        and "the feed-forward layer" in part["told"].split("instead")[1]
    )


def test_chance_draws_every_other_part_of_the_kind_and_never_the_same():
    at = {"layers": LAYERS, "heads": HEADS, "layer": 23, "part": 4}
    heads = [(each["layer"], each["part"]) for each in call(*(PAGE.drawn(seed, at) for seed in range(1, 1000)))]
    assert (
        (23, 4) not in heads
        and len(set(heads)) > 250
        and all(0 <= layer < LAYERS and 0 <= part < HEADS for layer, part in heads)
    )
    layers = [each["layer"] for each in call(*(PAGE.drawn(seed, at | {"part": 9}) for seed in range(1, 400)))]
    assert set(layers) == set(range(LAYERS)) - {23}


def test_patching_is_measured_from_the_second_sentence_to_the_first():
    whole, end, part = asked(
        {"view": "patched", "layer": 0, "row": 3},
        {"view": "patched", "layer": 30},
        {"view": "patched", "what": "attention", "layer": 23},
    )
    A, B = ROWS[0]["D"]
    assert (
        whole["value"] == pytest.approx(1, abs=2e-3)
        and end["value"] == pytest.approx(1, abs=2e-3)
        and whole["rows"][3] == "Paris → Rome"
    )
    assert (
        part["value"] == pytest.approx((ROWS[0]["patched"]["attention"][23][8] - B) / (A - B))
        and "attention of layer 23" in part["told"]
    )
    assert grid(part).shape == (9, 30) and grid(whole).shape == (9, 31)


def test_a_provider_that_answers_later_shows_the_same_and_turns_are_those_of_the_table():
    slow = GLUE.later(STORED, ["lens", "erase", "erased", "patch", "moved"], js().Object())
    cases = [{"view": view, "sentence": i} for view in ("maps", "lens", "erased", "patched", "moved") for i in range(3)]
    seen = asked(*cases)
    assert seen == call(*(look(case, slow) for case in cases))
    assert grid(seen[-1]) == pytest.approx(np.array(ROWS[2]["moved"]).T)


def test_cuts_are_those_of_the_course():
    """A small distribution whose others lie in the middle of a bin, so that both sides know all of it."""
    gaps = [0, 0.5, 0.7, 1.9, 2.125, 2.125, 2.125, 2.125]
    row = {"top": [[str(i), gap] for i, gap in enumerate(gaps[:4])], "rest": [0] * 8 + [4]}
    dials = [
        {"temperature": T, "k": k, "p": p} for T in (0.5, 1, 2) for k in (None, 1, 3) for p in (0.05, 0.5, 0.8, 0.97, 1)
    ]
    for found, each in zip(call(*(PAGE.cut(row, each) for each in dials)), dials, strict=True):
        wanted = restrict(
            (-torch.tensor([gaps], dtype=torch.float64)).log_softmax(-1),
            temperature=each["temperature"],
            top_k=each["k"],
            top_p=each["p"],
        )[0]
        assert found["shares"] == pytest.approx(wanted[:4].tolist(), abs=1e-5), each
        assert (
            found["others"] == pytest.approx(wanted[4:].sum().item(), abs=1e-5)
            and found["kept"] == int((wanted > 0).sum())
            and found["all"] == 8
        )


def test_the_head_that_does_a_thing_most_is_found_among_all():
    cell = {"row": 8, "column": 3}
    here, first, copy, none = call(
        *(
            PAGE.most(kind, STORED, STORED.read(ROWS[row]["text"]), cell)
            for row, kind in ((0, "here"), (0, "first"), (2, "copy"), (1, "copy"))
        )
    )
    all_maps = np.array([[map_of(ROWS[0], layer, head) for head in range(HEADS)] for layer in range(LAYERS)])
    assert here["score"] == pytest.approx(all_maps[:, :, 8, 3].max()) and all_maps[
        here["layer"], here["head"], 8, 3
    ] == pytest.approx(here["score"])
    assert first["score"] == pytest.approx(all_maps[:, :, 1:, 0].mean(-1).max(), abs=1e-6)
    words, A = ROWS[2]["tokens"], map_of(ROWS[2], copy["layer"], copy["head"])
    again = [
        (i, max(j for j in range(i) if words[j] == words[i]) + 1) for i in range(1, len(words)) if words[i] in words[:i]
    ]
    assert (
        copy["possible"]
        and copy["score"] == pytest.approx(np.mean([A[i, j] for i, j in again]))
        and copy["score"] > 0.4
    )
    assert not none["possible"]


def test_a_small_device_is_told_by_its_memory_or_else_by_its_screen():
    devices = ({"deviceMemory": 2}, 1500), ({"deviceMemory": 8}, 375), ({}, 375), ({}, 1500)
    assert call(*(PAGE.little(*each) for each in devices)) == [True, False, True, False]


def test_a_sentence_that_was_not_recorded_is_refused_in_words():
    assert call(GLUE.refused(STORED.read, "A sentence of my own")) == ["A sentence of your own needs the model."]


def test_rows_are_three_recorded_sentences():
    for rows in ([], ROWS[:2], [{"text": ""}] * 3):
        with pytest.raises(ValueError, match="rows"):
            RealModel(rows)
