"""Experts: the layer does what its definition says token by token, and what is measured is counted right."""

import pytest
import torch
import torch.nn.functional as F

from studies import experts as study

NO_LOTS = torch.ones(1)


def layer(experts, r, top, router="learned"):
    torch.manual_seed(0)
    return study.Experts(experts, r, top, router).double()


def tokens(*shape):
    return torch.randn(*shape, study.D, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def one_expert(own, e, x):
    """The feed-forward layer e at a token [d], neuron by neuron."""
    out = own.b_down[e].clone()
    for j in range(own.up.shape[2]):
        out = out + max((x @ own.up[e, :, j] + own.b_up[e, j]).item(), 0.0) * own.down[e, j]
    return out


@pytest.mark.parametrize("top", [1, 2])
def test_a_token_gets_what_its_chosen_experts_say_times_their_gates(top):
    own, X = layer(4, 3, top), tokens(20)
    with torch.no_grad():
        Y, gates, p = own(X, NO_LOTS)
        for x, y, gate, row in zip(X, Y, gates, p, strict=True):
            scores = [(x @ own.W_R[:, e]).exp().item() for e in range(4)]
            first = sorted(range(4), key=scores.__getitem__)[-top:]
            whole = sum(scores) if top == 1 else sum(scores[e] for e in first)
            assert row.tolist() == pytest.approx([score / sum(scores) for score in scores])
            assert gate.tolist() == pytest.approx([scores[e] / whole if e in first else 0 for e in range(4)])
            assert torch.allclose(y, sum(scores[e] / whole * one_expert(own, e, x) for e in first))


def test_all_experts_with_gate_1_are_one_dense_layer():
    own, X = layer(4, 3, 1, "lot"), tokens(20)
    with torch.no_grad():
        Y, _, _ = own(X, torch.ones(20, 4, dtype=torch.float64))
        wide = F.relu(X @ own.up.transpose(0, 1).flatten(1) + own.b_up.flatten()) @ own.down.flatten(
            0, 1
        ) + own.b_down.sum(0)
    assert torch.allclose(Y, wide)


def test_experts_that_are_not_chosen_get_no_gradient_and_a_frozen_router_none():
    for router, moves in (("learned", True), ("frozen", False)):
        own, X = layer(4, 3, 1, router), tokens(1)
        Y, gates, _ = own(X, NO_LOTS)
        Y.square().sum().backward()
        assert ((own.up.grad.abs().sum((1, 2)) > 0) == (gates[0] > 0)).all()
        assert (own.W_R.grad is not None) == moves
        if moves:
            assert (own.W_R.grad.abs().sum(0) > 0).all()


def test_a_text_is_a_name_and_pairs_of_its_table():
    value = study.tables(3)
    for text in study.texts(20, value, torch.Generator().manual_seed(0)).tolist():
        keys = [letter - study.VALUES for letter in text[1::2]]
        assert len(set(keys)) == study.PAIRS and all(0 <= key < study.KEYS for key in keys)
        assert text[2::2] == [value[text[0] - study.MARK, key].item() for key in keys]


@pytest.mark.parametrize("row", study.ROWS)
def test_no_letter_sees_a_later_one(row):
    torch.manual_seed(0)
    experts, r, top, router, _ = study.ROWS[row]
    model, batch = (
        study.Model(experts, r, top, router),
        study.texts(2, study.tables(0), torch.Generator().manual_seed(0))[:, :-1],
    )
    other = batch.clone()
    other[:, 9] = (other[:, 9] + 1) % study.MARK
    lots = torch.ones(2, 16, 1).expand(2, 16, experts) if router == "lot" else NO_LOTS
    before, after = model(batch, lots)[0], model(other, lots)[0]
    assert torch.allclose(before[:, :9], after[:, :9], atol=1e-5) and not torch.allclose(
        before[:, 9:], after[:, 9:], atol=1e-3
    )


def test_parameters_are_those_of_the_parts():
    count = {row: sum(p.numel() for p in study.Model(*shape[:4]).parameters()) for row, shape in study.ROWS.items()}
    d, r = study.D, study.R
    assert count["dense 8r"] - count["dense r"] == 7 * r * (2 * d + 1)
    assert count["top-1 of 8"] - count["dense 8r"] == 7 * d + 8 * d  # each expert has an output bias; and the router
    assert count["top-2 of 16 halves"] - count["top-1 of 8"] == 8 * d + 8 * d
    assert count["top-1 of 8"] - count["by lot"] == 8 * d and count["frozen"] == count["top-1 of 8"]


def test_load_term_by_hand():
    """Three tokens, three experts: shares 1/3, 2/3, 0 of the choices, mean chances 7, 10 and 4 in 21; no gradient
    through the shares."""
    p = torch.tensor([[4.0, 2, 1], [1, 4, 2], [2, 4, 1]], dtype=torch.float64) / 7
    p.requires_grad_()
    gates = p * F.one_hot(p.argmax(-1), 3)
    term, f = study.load_term(gates, p)
    assert f.tolist() == pytest.approx([1 / 3, 2 / 3, 0]) and term.item() == pytest.approx(9 / 7)
    term.backward()
    assert torch.allclose(p.grad, f.expand(3, 3))  # E · f / tokens, and E = tokens = 3


def test_who_takes_what_is_counted():
    value, E = study.tables(0), 8
    batch = study.texts(400, value, torch.Generator().manual_seed(0))
    inputs = batch[:, :-1]
    by_source = F.one_hot((inputs[:, :1] - study.MARK).expand_as(inputs) % E, E).float()
    found = study.taken(by_source, batch)
    assert (
        found["source"] == pytest.approx(3, abs=0.02) and found["key"] < 0.35 and found["dead"] == 0
    )  # 128 keys, 3,200 looks: a bias upwards
    assert found["map"][3] == [0, 0, 0, 1, 0, 0, 0, 0]
    by_key = F.one_hot((inputs - study.VALUES).clamp(0, study.KEYS - 1) % E, E).float()
    found = study.taken(by_key, batch)
    assert found["key"] == pytest.approx(3, abs=0.02) and found["source"] < 0.1
    assert (
        sum(found["load"]) == pytest.approx(1, abs=0.005)
        and study.taken(by_key * (torch.arange(E) == 0), batch)["dead"] == 7
    )


def test_seeds_side_by_side_are_each_by_itself():
    together, alone = (
        study.run("top-2 of 8 halves, load", 0.01, 3, (0, 1)),
        study.run("top-2 of 8 halves, load", 0.01, 3, (1,)),
    )
    assert together[1]["losses"] == pytest.approx(alone[0]["losses"], abs=1e-4)
