"""Linear recurrences: each layer's parallel form is its recurrence, and a text asks for what was written last."""

import pytest
import torch

from course_lib.attention import attend
from course_lib.results import load
from studies import linear_recurrences as study


def drawn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def token_by_token(layer, q, k, v, gate):
    """The state of one text, entry by entry, and what queries [a, m] read."""
    state = torch.zeros(k.shape[1], v.shape[1], dtype=torch.float64)
    k, q = k / k.norm(dim=1, keepdim=True), q / q.norm(dim=1, keepdim=True)
    for key, value, logit in zip(k, v, gate, strict=True):
        if layer == "decay":
            state = state / (1 + (-logit - 4).exp())
        part, write = 1.0, value
        if layer == "delta":
            part, write = 1 / (1 + (-logit).exp()), value - key @ state
        for i in range(len(key)):
            state[i] += part * key[i] * write
    return q @ state


@pytest.mark.parametrize("layer", study.LAYERS[1:])
def test_the_parallel_form_is_the_recurrence(layer):
    q, k, v, gate = drawn(2, 3, 5, seed=1), drawn(2, 12, 5, seed=2), drawn(2, 12, 7, seed=3), 3 * drawn(2, 12, seed=4)
    said = study.read(layer, q, k, v, gate)
    for each in range(2):
        assert (said[each] - token_by_token(layer, q[each], k[each], v[each], gate[each])).abs().max() < 1e-10


def test_softmax_is_attention_to_all_that_is_written():
    q, k, v = drawn(2, 3, 5, seed=1), drawn(2, 12, 5, seed=2), drawn(2, 12, 7, seed=3)
    assert torch.allclose(study.read("softmax", q, k, v, drawn(2, 12)), attend(q, k, v).output)


def test_what_an_overwritten_key_reads():
    """One key with the values 3 and 5, another with 2 between them: the sum says 8, a decay of ½ for each token 5.75,
    the delta rule 5; and 2, or 1."""
    k, v = torch.tensor([[2.0, 0], [0, 1], [3, 0]]).double(), torch.tensor([[3.0], [2], [5]]).double()
    q = torch.eye(2).double()
    for layer, logit, wanted in (("linear", 0, [8, 2]), ("decay", -4, [5.75, 1]), ("delta", 50, [5, 2])):
        assert study.read(layer, q, k, v, torch.full((3,), float(logit)).double())[:, 0].tolist() == pytest.approx(
            wanted
        )


@pytest.mark.parametrize("task", study.TASKS)
def test_a_text_asks_for_what_was_written_last(task):
    batch = study.texts(task, 50, torch.Generator().manual_seed(0))
    for keys, values, asked, right in zip(*(part.tolist() for part in batch), strict=True):
        notebook = dict(zip(keys, values, strict=True))  # a later value replaces an earlier one
        assert [notebook[key] for key in asked] == right and sorted(notebook) == sorted(asked)
        assert {keys.count(key) for key in asked} == {1 if task == "once" else 2}


@pytest.mark.parametrize("layer", study.LAYERS)
def test_who_asks_writes_nothing(layer):
    own = {name: each[None] for name, each in study.parameters(8, 0).items()}
    keys, values, asked, _ = (part[None] for part in study.texts("once", 2, torch.Generator().manual_seed(0)))
    whole, some = (
        study.answers(layer, own, keys, values, asked),
        study.answers(layer, own, keys, values, asked[..., [5, 2]]),
    )
    assert torch.allclose(whole[..., [5, 2], :], some, atol=1e-5)


@pytest.mark.parametrize("layer", study.LAYERS)
def test_seeds_side_by_side_are_each_by_itself(layer):
    together, alone = (study.run("twice", layer, 4, 0.003, 3, seeds) for seeds in ((0, 1), (1,)))
    assert together[1]["losses"] == pytest.approx(alone[0]["losses"], abs=1e-4)


def test_parameters_are_those_of_the_parts():
    count = {(row["layer"], row["m"]): row["parameters"] for row in load("linear_recurrences")["rows"]}
    for m in study.STATES:
        assert (
            count["softmax", m]
            == count["linear", m]
            == count["delta", m] - study.D - 1
            == count["decay", m] - study.D - 1
        )
        assert count["softmax", m] == study.D * (study.KEYS + 2 * study.VALUES + study.D + 2 * m)


def test_equal_maps_are_another_start():
    table, key = load("linear_recurrences"), ("task", "layer", "m", "seed")
    others = {
        tuple(row[name] for name in key): row["losses"] for row in table["rows"] if row["rate"] == study.ALIKE_RATE
    }
    assert all(
        row["losses"] != pytest.approx(others[tuple(row[name] for name in key)], abs=1e-3) for row in table["alike"]
    )
