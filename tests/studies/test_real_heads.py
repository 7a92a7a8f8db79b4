"""A real model's heads: the stored rows are the model's, and what the page concludes from them holds in every sequence
or sentence it names."""

from statistics import mean, median

import torch

from course_lib.results import load
from studies import real_heads as study

TABLE = load("real_heads")
GONE = {(row["group"], row["fill"]): row for row in TABLE["removed"]}
KEPT = {(row["head"], row["part"]): row for row in TABLE["withheld"]}
CONTROLS = [f"matched {i}" for i in range(study.DRAWS)] + [f"16.{i}" for i in range(1, study.H)]


def test_the_study_runs_the_models_own_layers(model):
    tokens = study.twice(1, 2)
    with torch.no_grad():
        hidden, weights, _ = model.forward(tokens, model.start(2))
    ran = study.layers(model, model.E[tokens])
    later = study.layers(model, hidden[16], 16)
    for ours in (ran.hidden[-1], later.hidden[-1]):
        torch.testing.assert_close(ours, hidden[-1], rtol=1e-3, atol=0.05)  # vectors of length 1e3 and more
    torch.testing.assert_close(ran.weights.transpose(1, 2), torch.stack(weights), rtol=0, atol=1e-3)


def test_a_filled_head_is_an_erased_one_and_its_own_values_change_nothing(model):
    x = model.E[study.twice(1, 1)[:, :9]]
    plain = study.layers(model, x)
    layers = list(model.layers)
    W_O = layers[29].W_O.clone()
    W_O[4] = 0
    layers[29] = layers[29]._replace(W_O=W_O)
    erased = study.layers(type(model)(model.E, layers, model.norm, model.base, model.epsilon), x).hidden[-1]
    filled = study.layers(model, x, filled={(29, 4): torch.zeros(x.shape[-1])}).hidden[-1]
    torch.testing.assert_close(filled, erased)
    assert (filled - plain.hidden[-1]).abs().max() > 0.01
    torch.testing.assert_close(study.layers(model, x, swapped=plain.firsts).hidden[-1], plain.hidden[-1])


def test_copying_needs_its_heads_in_every_sequence_and_both_fills():
    for fill in study.FILLS:
        worst = [max(column) for column in zip(*(GONE[label, fill]["second"] for label in CONTROLS), strict=True)]
        for label in ("copy", "16.0"):
            assert all(a > b + 1 for a, b in zip(GONE[label, fill]["second"], worst, strict=True))
    assert mean(GONE["16.0", "zero"]["copy"]) < 0.2 < 0.6 < min(mean(GONE[label, "zero"]["copy"]) for label in CONTROLS)


def test_the_note_is_in_the_keys():
    assert max(KEPT["16.0", "keys"]["copy"]) < 0.02
    assert min(mean(row["copy"]) for key, row in KEPT.items() if key != ("16.0", "keys")) > 0.5
    assert all(
        a > 1 + max(row["second"][j] for key, row in KEPT.items() if key != ("16.0", "keys"))
        for j, a in enumerate(KEPT["16.0", "keys"]["second"])
    )
    assert mean(KEPT["16.0", "keys"]["second"]) > mean(
        GONE["16.0", "zero"]["second"]
    )  # the page says that it has no reason for this


def test_the_first_token_is_needed_and_its_piece_is_not():
    for row in TABLE["rests"]:
        assert row["weight"] > row["length"] > row["next"] and row["alike"] > 0.9 and row["unlike"] < 0.3
        assert row["silence"][0] > 2 * median(row["silence"][1:]) and median(row["swapped"]) < row["silence"][0] / 2


def test_the_right_word_comes_late_and_before_its_rival():
    for row in TABLE["ended"]:
        assert row["ranks"][-1] == 1 and min(row["ranks"][1:23]) > 500 and row["rivals"][-1] > 1
    layers = [each for row in TABLE["settled"] for each in row["layers"]]
    assert median(layers) >= 27 and sum(each <= 20 for each in layers) < 0.1 * len(layers)
