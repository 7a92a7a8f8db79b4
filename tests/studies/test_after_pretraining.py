"""After pretraining: only answers are paid for, adapters are changes of low rank, pairs differ in what they should, and
rows begin as they are stored."""

import math

import pytest
import torch
from torch import nn

from course_lib.results import load
from course_lib.shipped import town_model
from course_lib.text.vocabulary import END, START
from studies import after_pretraining as study
from studies import town_weights as town
from tools.models.train_towns import parts

STORED = load("after_pretraining")


@torch.no_grad()
def letter_by_letter(prompt, answer):
    """log π of each letter of the answer, by the model's own steps."""
    model = town_model().model
    state, found = model.start(1), []
    for token, following in zip([*prompt, *answer], [*prompt, *answer][1:], strict=False):
        logits, state = model.step(torch.tensor([token]), state)
        found.append(logits[0].log_softmax(-1)[following].item())
    return found[len(prompt) - 1 :]


def test_new_names_are_those_that_the_town_model_has_not_seen():
    assert town.split() == tuple(map(tuple, parts()))


def test_requests_that_are_set_aside_are_not_taught():
    taught, aside = study.requests()
    assert len(taught) == 60 and len(aside) == 20 and not {*taught} & {*aside}
    train, choose = study.lessons()
    prompts = {town.spelled(prompt[1:-1]) for prompt, _ in train + choose}
    assert prompts == {*taught} and not {tuple(answer) for _, answer in train} & {tuple(answer) for _, answer in choose}
    new = {tuple([*town.encoded(name), END]) for name in town.split()[1]}
    assert not new & {tuple(answer) for _, answer in train + choose}


def test_only_the_answer_is_paid_for():
    exchanges = [study.asked("Sanza"), study.asked("Camposanto")]
    letters = [each for exchange in exchanges for each in letter_by_letter(*exchange)]
    assert town.nats(town.base(), exchanges) == pytest.approx(-sum(letters) / len(letters), abs=1e-4)
    assert town.log_probs(town.base(), exchanges).tolist() == pytest.approx(
        [sum(letter_by_letter(*each)) for each in exchanges], abs=1e-3
    )
    tokens, targets = town.padded(exchanges, masked=False)
    assert targets[0].tolist()[: len(exchanges[0][0])] == tokens[0].tolist()[1 : 1 + len(exchanges[0][0])]


@pytest.mark.parametrize("arm", study.ARMS)
def test_every_arm_begins_as_the_old_model_and_has_the_numbers_it_says(arm):
    free, weights = study.learner(arm, 0)
    before = town.base()
    assert all(torch.equal(W, before[name]) for name, W in weights().items())
    numbers = {"full": 153728, "unmasked": 153728, "seven": 896, "norms": 896, "last block": 49728}
    assert sum(M.numel() for M in free) == numbers.get(
        arm, 3456 * int(arm.removeprefix("rank ")) if "rank" in arm else None
    )


def test_an_adapter_is_a_change_of_its_rank_and_no_other_weight_moves():
    free, weights = study.learner("rank 4", 0)
    with torch.no_grad():
        for M in free:
            M += 0.1 * torch.randn(M.shape, generator=torch.Generator().manual_seed(0))
    before, now = town.base(), weights()
    for name, W in now.items():
        moved = W.detach() - before[name]
        if name in town.matrices():
            assert torch.linalg.matrix_rank(town.flat(name, moved), rtol=1e-4) == 4
        else:
            assert not moved.any()


def test_a_flat_map_maps_as_the_heads_do():
    W = town.base()["stack.blocks.1.attention.W_V"]  # [h, d, m]
    x = torch.randn(5, W.shape[1], generator=torch.Generator().manual_seed(0))
    heads = torch.cat([x @ each for each in W], -1)
    assert torch.allclose(x @ town.flat("W_V", W), heads, atol=1e-5)
    O = town.base()["stack.blocks.1.attention.W_O"]  # [h, m, d]
    assert torch.allclose(heads @ town.flat("W_O", O), sum(x @ W[i] @ O[i] for i in range(len(W))), atol=1e-4)
    for name in town.matrices():
        assert torch.equal(town.unflat(name, town.flat(name, town.base()[name]), town.base()[name]), town.base()[name])


def test_a_cut_is_the_best_of_its_rank():
    M = torch.randn(12, 9, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    s = torch.linalg.eigvalsh(M.T @ M).flip(0)  # the squares of the singular values
    left = (M - town.cut(M, 4)).square().sum()
    assert torch.linalg.matrix_rank(town.cut(M, 4)) == 4 and left.item() == pytest.approx(s[4:].sum().item())
    assert town.share(M, 4) == pytest.approx((s[:4].sum() / s.sum()).item())


def test_doubles():
    assert (
        study.doubles("Bella Assisi") == ["l", "s"]
        and study.doubles("Aare") == ["a"]
        and study.doubles("San  Pio") == []
    )


@pytest.mark.parametrize("kind", ["rule", "matched", "length", "some", "shuffled"])
def test_pairs_differ_in_what_they_should(kind):
    first, second, preferred = study.compared(kind, 0, count=study.FEW)
    assert len(first) > 20
    for (prompt, a), (same, b) in zip(first, second, strict=True):
        assert prompt == same and a[-1] == b[-1] == END
        doubles = study.doubles(town.spelled(a[:-1]))
        assert not study.doubles(town.spelled(b[:-1])) and bool(doubles) == (kind != "length")
        if kind in ("matched", "length"):
            assert len(a) == len(b) if kind == "matched" else len(a) > len(b)
        if kind == "some":
            assert {*doubles} <= {*study.TAUGHT}
    sure = 0.5 if kind == "shuffled" else 1 / (1 + math.exp(-2))
    assert abs(preferred.double().mean().item() - sure) < 4 * math.sqrt(sure * (1 - sure) / len(preferred))


def test_no_prompt_of_the_test_is_one_of_the_training():
    assert not {tuple(each) for each in study.beginnings(True)} & {tuple(each) for each in study.beginnings(False)}


def test_dpo_is_a_logistic_regression_on_the_gains():
    draws = torch.Generator().manual_seed(0)
    first, second = (torch.randn(50, generator=draws, dtype=torch.float64) for _ in range(2))
    preferred = torch.rand(50, generator=draws) < 0.7
    expected = nn.BCEWithLogitsLoss()(0.3 * (first - second), preferred.double())
    assert study.dpo(first, second, preferred, 0.3).item() == pytest.approx(expected.item())


def test_answers_are_drawn_as_the_model_says():
    prompts = torch.tensor([[START, *town.encoded("Mon")]]).repeat(2000, 1)
    answers = town.written(town.base(), prompts, torch.Generator().manual_seed(0))
    first = town.encoded("t")[0]
    chance = math.exp(letter_by_letter([START, *town.encoded("Mon")], [first, END])[0])
    found = sum(answer[:1] == [first] for answer in answers) / 2000
    assert abs(found - chance) < 4 * math.sqrt(chance * (1 - chance) / 2000)


def test_the_ideal_has_the_odds_of_the_theorem():
    """Odds of single prompts grow by exp(R/β); so the shares of all lie below what one prompt with their mean would
    have, and rise as β falls."""
    s, rows = STORED["ideal"]["ideal"]["before"], STORED["ideal"]["ideal"]["betas"]
    shares = [rows[f"{beta:g}"][0] for beta in study.BETAS]
    for beta, share in zip(study.BETAS, shares, strict=True):
        odds = s / (1 - s) * math.exp(study.REWARD / beta)
        assert s < share <= odds / (1 + odds)
    assert shares == sorted(shares, reverse=True)
