"""One model opened: what must hold in every recorded row, and single numbers made again by another way."""

import base64
import gzip
import json

import numpy as np
import pytest
import torch

from course_lib.pretrained.smollm import SmolLM
from course_lib.results import load
from studies import open_model as study

TABLE = load("open_model")
ROWS, FACTS = TABLE["sentences"], TABLE["facts"]


def triangles(row):
    return np.frombuffer(base64.b64decode(row["maps"]), np.uint8).reshape(30, 9, -1) / 100


# ------------------------------------------------------------------------------------------------------- what is stored
def test_the_recorded_runs_are_small():
    data = json.dumps(ROWS, ensure_ascii=False, separators=(",", ":")).encode()
    assert len(gzip.compress(data, 9)) <= 60_000


def test_every_row_of_a_map_sums_to_one_and_the_lens_ends_in_what_follows():
    for row in ROWS:
        n = len(row["tokens"])
        assert triangles(row)[..., -n:].sum(-1) == pytest.approx(1, abs=0.005 * n)
        gaps = np.array([gap for _, gap in row["next"]["top"]])
        assert (
            row["words"] == [piece for piece, _ in row["next"]["top"][:5]]
            and (np.diff(gaps) >= 0).all()
            and sum(row["next"]["rest"]) == 49152 - 40
        )
        p = np.array(row["lens"]["words"])[-1, -1] / 1000
        assert np.log(p[0] / p[4]) == pytest.approx(gaps[4], abs=0.15)  # thousandths, of a few hundredths


def test_what_patching_must_give_it_gives():
    for row in ROWS:
        A, B = row["D"]
        stream, at = (
            np.array(row["patched"]["stream"]),
            [i for i, (a, b) in enumerate(zip(row["tokens"], row["other tokens"], strict=True)) if a != b],
        )
        assert (
            len(at) == 1
            and stream[0, at[0]] == pytest.approx(A, abs=0.01)
            and stream[30, -1] == pytest.approx(A, abs=0.01)
        )
        for part in row["patched"].values():
            assert np.array(part)[:, : at[0]] == pytest.approx(B, abs=0.01)
        assert np.array(row["patched"]["feed-forward"])[0, at[0]] == pytest.approx(
            stream[1, at[0]], abs=0.6
        )  # the piece itself, and its first attention


def test_cities_are_asked_in_order_and_each_with_the_next():
    assert [(row["city"], row["country"]) for row in FACTS] == list(study.CITIES)
    assert [row["partner"] for row in FACTS] == [city for city, _ in (*study.CITIES[1:], study.CITIES[0])]
    for row in FACTS:
        if row["fits"]:
            assert (
                row["next"] == row["country"]
                and row["city row"][0] == pytest.approx(1, abs=2e-3)
                and row["last row"][30] == pytest.approx(1, abs=2e-3)
            )
            assert row["city row"][30] == pytest.approx(0, abs=2e-3) == row["last row"][0]


def test_a_third_city_begins_at_nothing_and_no_country_but_paris_goes_as_far():
    rows = TABLE["third"]
    paris = FACTS[0]["last row"]
    assert [row["city"] for row in rows] == [city for city, _ in study.CITIES if city not in ("Paris", "Rome")]
    for row in rows:
        assert (
            len(row["last row"]) == 31
            and row["last row"][0] == pytest.approx(0, abs=2e-3)
            and row["last row"][24] < paris[24]
        )


# ----------------------------------------------------------------------------------------------------------- made again
def test_maps_spread_and_turns_are_the_readers(model):
    row = ROWS[1]
    seen = model.read(row["text"])
    n = len(seen.tokens)
    assert triangles(row) == pytest.approx(seen.weights[:, :, *torch.tril_indices(n, n)].numpy(), abs=0.0051)
    scores = seen.weights[3, 2, -1].log()
    assert row["spread"][3][2] == pytest.approx(float(scores.std(correction=0)), abs=0.006)
    x, y = seen.hidden[4, 2], seen.hidden[5, 2]
    assert row["moved"][4][2] == pytest.approx(1 - float(x @ y / x.norm() / y.norm()), abs=2e-3)


def without_head(model, layer, head):
    layers = list(model.layers)
    W_O = layers[layer].W_O.clone()
    W_O[head] = 0
    layers[layer] = layers[layer]._replace(W_O=W_O)
    return SmolLM(model.E, layers, model.norm, model.base, model.epsilon, model.tokenizer)


@pytest.mark.slow
@torch.no_grad()
def test_an_erased_head_and_an_erased_part_lose_what_is_recorded(model):
    row = ROWS[0]
    words, tokens = (
        torch.tensor([model.piece(word) for word in row["words"]]),
        torch.tensor([model.encode(row["text"])]),
    )
    whole = model.read(row["text"]).logits[-1].log_softmax(-1)[words]
    lost = without_head(model, 23, 4).read(row["text"]).logits[-1].log_softmax(-1)[words] - whole
    assert row["erased"]["zero"][23][4] == pytest.approx((100 * lost).tolist(), abs=1)
    again = (
        study.without(model, row["text"], torch.zeros_like(study.means()), (4,))[23, 0].log_softmax(-1)[words] - whole
    )
    torch.testing.assert_close(again, lost, rtol=0, atol=1e-3)
    for part, number in ((0, 9), (1, 10)):
        keep, instead = torch.ones(30, 2, 1, tokens.shape[1]), torch.zeros(30, 2, 1, 576)
        keep[23, part] = 0
        instead[23, part] = study.means()[23, :-1].sum(0) if part == 0 else study.means()[23, -1]
        changed = (
            model.unembed(model.forward(tokens, model.start(), keep, instead)[0][-1][0, -1]).log_softmax(-1)[words]
            - whole
        )
        assert row["erased"]["mean"][23][number] == pytest.approx((100 * changed).tolist(), abs=1)


@torch.no_grad()
def test_an_attention_put_in_from_the_first_sentence_goes_as_far_as_recorded(model):
    row = ROWS[0]
    tokens = torch.tensor([model.encode(row["other"])])
    ids = [model.piece(row[name]) for name in ("yes", "no")]
    added = study.parts(model, row["text"])[1][23, :-1].sum(0)[-1]  # what layer 23's attention adds at the last token
    keep, instead = torch.ones(30, 2, 1, tokens.shape[1]), torch.zeros(30, 2, 1, 576)
    keep[23, 0, 0, -1], instead[23, 0] = 0, added
    logits = model.unembed(model.forward(tokens, model.start(), keep, instead)[0][-1][0, -1])
    assert row["patched"]["attention"][23][-1] == pytest.approx(float(logits[ids[0]] - logits[ids[1]]), abs=0.02)


@torch.no_grad()
def test_after_all_layers_a_third_city_goes_as_far_as_its_own_sentence(model):
    ids = [model.piece(word) for word in (" France", " Italy")]
    A, B, own = (
        float(logits[ids[0]] - logits[ids[1]])
        for logits in (model.read(study.asks(city)).logits[-1] for city in ("Paris", "Rome", "Cairo"))
    )
    row = next(row for row in TABLE["third"] if row["city"] == "Cairo")
    assert row["last row"][30] == pytest.approx((own - B) / (A - B), abs=5e-3)
