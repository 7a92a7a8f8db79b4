"""The residual stream of a real model: sums and identities that hold for every stored row, and some rows made again by
another way."""

import numpy as np
import pytest
import torch

from course_lib.results import load
from studies import residual_stream as study

TABLE = load("residual_stream")
PAIRS = TABLE["pairs"]


# ------------------------------------------------------------------------------------------------------- what is stored
def test_shown_are_the_first_pairs_of_their_kind_that_pass():
    assert [each["sentences"] for each in TABLE["candidates"]] == [
        " | ".join(pair.texts()) for pair in study.ALL
    ] and len(study.ALL) == 36
    for kind, word in study.SHOWN:
        first = next(each for each in TABLE["candidates"] if each["kind"] == kind and each["fits"])
        row = next(row for row in PAIRS if row["kind"] == kind)
        assert (
            first["sentences"] == " | ".join(row["texts"])
            and row["word"] == word
            and first["D"] == pytest.approx(row["D"], abs=2e-3)
        )
    for each in TABLE["candidates"]:
        A, B, _ = each["D"]
        assert each["fits"] == (abs(A - B) < 1 if each["kind"] == "null" else A >= 1 and B <= -1)
        assert ("A" in each) == (each["fits"] and each["kind"] != "null")


def test_direct_contributions_add_up_to_the_difference():
    for row in PAIRS:
        for side, D in zip("AB", row["D"], strict=False):
            assert row["written"][side]["start"] + np.sum(row["written"][side]["parts"]) == pytest.approx(D, abs=0.01)


def test_what_patching_must_give_it_gives():
    for row in PAIRS:
        at, B = row["at"], row["D"][1]
        for source, D in (("A", row["D"][0]), ("C", row["D"][2])):
            grid = np.array(row["patched"][source])  # [31, n]
            assert grid[0, at] == pytest.approx(D, abs=2e-3) and grid[30, -1] == pytest.approx(D, abs=2e-3)
            assert np.delete(grid[0], at) == pytest.approx(B, abs=2e-3) and grid[30, :-1] == pytest.approx(B, abs=2e-3)
            assert grid[:, :at] == pytest.approx(B, abs=2e-3)
    for each in TABLE["candidates"]:
        for source, D in (("A", each["D"][0]), ("C", each["D"][2])) if "A" in each else ():
            assert each[source]["word"][0] == pytest.approx(D, abs=2e-3) and each[source]["last"][30] == pytest.approx(
                D, abs=2e-3
            )
            assert each[source]["word"][30] == pytest.approx(each["D"][1], abs=2e-3) and each[source]["last"][
                0
            ] == pytest.approx(each["D"][1], abs=2e-3)


def test_the_six_write_most():
    for row in PAIRS:
        parts = np.array(row["written"]["A"]["parts"])
        six = [parts[tuple(part)] for part in row["control"]["parts"]]
        assert (
            len(six) == TABLE["six"]
            and min(six) >= np.sort(parts.ravel())[-TABLE["six"]]
            and len(row["control"]["others"]) == TABLE["draws"]
        )


# ------------------------------------------------------------------------------------------------------- made again
def test_the_parts_are_what_the_model_adds(model):
    text = PAIRS[2]["texts"][0]
    stream, parts = study.parts(model, text)
    torch.testing.assert_close(
        stream[0] + parts.sum((0, 1)), stream[-1], rtol=1e-4, atol=1e-2
    )  # the first token's numbers are in the thousands
    row = PAIRS[2]["written"]["A"]
    assert study.written(model, text, model.piece(" tea"), model.piece(" beer"))["parts"] == pytest.approx(
        np.array(row["parts"]), abs=2e-3
    )


def test_the_lens_is_the_models_own_read_out(model):
    for row, side in ((PAIRS[0], "A"), (PAIRS[1], "B"), (PAIRS[3], "B")):
        i = "AB".index(side)
        table, seen = row["lens"][side], model.read(row["texts"][i])
        last = len(row["tokens"][0]) - 1
        for layer, token in ((0, 1), (17, 2), (30, last)):
            p = model.unembed(seen.hidden[layer, token]).softmax(-1)
            assert model.decode([int(p.argmax())]) == table["words"][table["top"][layer][token][0]]
            assert table["p"][layer][token] == pytest.approx(p.topk(3).values.tolist(), abs=2e-3)
            own = row["a"] if row["kind"] == "null" else row["ab"[i]]
            true = model.piece(own) if token == last else model.encode(row["texts"][i])[token + 1]
            assert table["next"][layer][token] == pytest.approx(p[true].item(), abs=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("fill", study.FILLS)
def test_erasing_a_whole_part_is_what_the_model_does_with_silence(model, fill):
    """Attention as a whole and feed-forward, through `SmolLM.forward` and its own way to replace a part."""
    row = PAIRS[0]
    tokens = model.encode(row["texts"][0])
    means = study.means() if fill == "mean" else torch.zeros_like(study.means())
    instead = torch.stack([means[:, :9].sum(1), means[:, 9]], 1)[:, :, None]  # [layers, 2, 1, d]
    for part, column, layer in ((0, 9, 23), (1, 10, 0), (1, 10, 24)):
        keep = torch.ones(30, 2, 1, len(tokens))
        keep[layer, part, 0, -1] = 0
        with torch.no_grad():
            logits = model.unembed(model.forward(torch.tensor([tokens]), model.start(), keep, instead)[0][-1][0, -1])
        table = row["erased"]["A"][fill]
        assert table["log p"][layer][column] == pytest.approx(
            logits.log_softmax(-1)[model.piece(" Paris")].item(), abs=5e-3
        )
        assert table["D"][layer][column] == pytest.approx(
            (logits[model.piece(" Paris")] - logits[model.piece(" Rome")]).item(), abs=5e-3
        )


def test_a_single_head_is_erased_by_its_rows_of_the_output_map(model):
    """At the last token alone: the other tokens' keys and values are those of the whole model."""
    row = PAIRS[0]
    *before, last = model.encode(row["texts"][0])
    layers = list(model.layers)
    W_O = layers[23].W_O.clone()
    W_O[4] = 0
    layers[23] = layers[23]._replace(W_O=W_O)
    lame = study.SmolLM(model.E, layers, model.norm, model.base, model.epsilon)
    with torch.no_grad():
        state = model.forward(torch.tensor([before]), model.start())[2]
    logits = lame.step(torch.tensor([last]), state)[0][0]
    assert row["erased"]["A"]["zero"]["log p"][23][4] == pytest.approx(
        logits.log_softmax(-1)[model.piece(" Paris")].item(), abs=5e-3
    )


def test_a_patched_row_is_what_a_part_that_writes_the_difference_makes(model):
    """Without cutting the model in two: the feed-forward layer below writes, at this token, what is missing to A's
    row."""
    row = PAIRS[2]
    texts, ids = row["texts"], (model.piece(row["a"]), model.piece(row["b"]))
    (stream_A, _), (stream_B, parts) = (study.parts(model, text) for text in texts[:2])
    tokens = torch.tensor([model.encode(texts[1])])
    for layer, token in ((5, 2), (24, 3), (24, 9)):
        keep, instead = torch.ones(30, 2, *tokens.shape), torch.zeros(30, 2, 1, 576)
        keep[layer - 1, 1, 0, token] = 0
        instead[layer - 1, 1, 0] = stream_A[layer, token] - stream_B[layer, token] + parts[layer - 1, 9, token]
        with torch.no_grad():
            logits = model.unembed(model.forward(tokens, model.start(), keep, instead)[0][-1][0, -1])
        assert row["patched"]["A"][layer][token] == pytest.approx((logits[ids[0]] - logits[ids[1]]).item(), abs=5e-3)


def test_the_rows_read_on_give_the_models_own_logits(model):
    text = PAIRS[1]["texts"][0]
    seen = model.read(text)
    for layer in (0, 13, 29, 30):
        torch.testing.assert_close(
            study.onwards(model, seen.hidden[layer][None], layer)[0], seen.logits[-1], rtol=1e-4, atol=1e-3
        )


def test_the_draws_are_what_the_study_draws(model):
    row = PAIRS[0]
    again = study.control(
        model,
        row["texts"][0],
        row["written"]["A"]["parts"],
        study.means(),
        (model.piece(" Paris"), model.piece(" Rome")),
        model.piece(" Paris"),
    )
    assert again["parts"] == [tuple(part) for part in row["control"]["parts"]]
    assert again["erased"] == pytest.approx(row["control"]["erased"], abs=5e-3)
    assert np.array(again["others"]) == pytest.approx(np.array(row["control"]["others"]), abs=5e-3)


def test_sentences_that_differ_in_more_than_a_piece_are_refused():
    with pytest.raises(ValueError, match="one piece"):
        study.ready(study.Pair("fact", "{} is", ("France", "Italy", "a Japan"), " a", " b"))
