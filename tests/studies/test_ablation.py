"""The ablation study: its rows, its test, its command, and the beginning of stored runs made again."""

import itertools
import json
import math
from collections import Counter
from statistics import fmean

import numpy as np
import pytest
import torch

from course_lib import results as stored_tables
from course_lib.ablation import (
    BASE,
    VARIANTS,
    at_peak,
    column,
    holm,
    judge,
    side_by_side,
    smallest_p,
    stored,
    tail,
    variant,
    welch,
)
from course_lib.ablation import data as sentences
from course_lib.ablation.study import Settings, flops_of, make, scored
from course_lib.published.vaswani import results, variations
from course_lib.text.batches import Pairs
from course_lib.text.corpora import english_prose
from course_lib.text.tokenisers import BytePairs, words
from course_lib.text.vocabulary import END
from course_lib.training import train, translation_loss
from course_lib.translation import translate
from studies import ablation, ablation_rates
from tests.shared.seeded import normal, seeded

FEW = ["--steps", "2", "--seeds", "1", "--only", "base", "k = 2", "no positions"]


@pytest.fixture
def short(monkeypatch):
    """A few sentences in place of all of them."""
    whole = sentences.data()
    few = whole._replace(train=whole.train[:200], held_out=whole.held_out[:6])
    monkeypatch.setattr("course_lib.ablation.study.data", lambda: few)
    return few


# --- what the paper prints --------------------------------------------------------------------------------------------


# L3.7: sums over the columns of figure 3.10 of source L, added up there, and row (E) of the paper
def test_the_published_table():
    rows = variations()
    assert len(rows) == 20
    assert sum(row.ppl for row in rows.values()) == pytest.approx(96.95 + 4.92)
    assert sum(row.bleu for row in rows.values()) == pytest.approx(482.0 + 25.7)
    assert sum(row.params for row in rows.values() if row.params) == 901
    assert [sum(row.group == group for row in rows.values()) for group in "ABCDE"] == [4, 2, 7, 4, 1]
    for row in rows.values():
        if row.group == "A":  # at constant computation: h · d_k = h · d_v = 512
            assert row.changes["h"] * row.changes["d_k"] == row.changes["h"] * row.changes["d_v"] == 512


def test_results_and_their_cost(record):  # L3.7
    base, big = (results()[name] for name in ("Transformer (base model)", "Transformer (big)"))
    assert (base.bleu_en_de, base.bleu_en_fr, big.bleu_en_de, big.bleu_en_fr) == (27.3, 38.1, 28.4, 41.8)
    # time × devices × sustained rate: how the paper estimates its column; 9.5e12 FLOP/s is the footnote's for a P100
    base_flops, big_flops = (hours * 3600 * 8 * 9.5e12 for hours in (12, 3.5 * 24))
    assert record("L3.7.base-flops", base_flops / 1e18) == pytest.approx(base.flops_en_de / 1e18, abs=0.05)
    assert record("L3.7.big-flops", big_flops / 1e19) == pytest.approx(big.flops_en_de / 1e19, abs=0.05)
    # BLEU points over the best published before, ensembles included: the text says "more than 2"
    before = [
        row.bleu_en_de for row in results().values() if row.bleu_en_de and not row.model.startswith("Transformer")
    ]
    assert 2 < record("L3.7.lead", big.bleu_en_de - max(before)) < 2.1


def test_word_pieces_leave_little_unknown():  # L-E18: in the last tenth of the prose, with 300 words or 300 pieces
    text = words(english_prose())
    seen, new = text[: len(text) * 9 // 10], text[len(text) * 9 // 10 :]
    known = {word for word, _ in Counter(seen).most_common(300)}
    assert fmean(word not in known for word in new) > 0.2
    pieces = BytePairs.learn(seen, 299 - len({character for word in seen for character in word}))
    assert fmean(piece == "⟨unk⟩" for word in new for piece in pieces.encode(word)) < 0.005


# --- the rows and their sentences -------------------------------------------------------------------------------------


def test_every_published_row_has_one_of_ours_with_the_same_ratio():
    assert [each.published for each in VARIANTS.values() if each.published] == list(variations())
    base = variations()["base"].changes
    names = {"N": "layers", "d_model": "d", "d_ff": "r", "h": "h", "d_k": "k", "d_v": "m"}
    for each in VARIANTS.values():
        there = base | variations()[each.published].changes if each.published else base
        for theirs, ours in names.items():
            if each.name != "h = 1":  # one head is one head, at any size
                assert getattr(each.sizes, ours) / getattr(BASE, ours) == there[theirs] / base[theirs], (
                    each.name,
                    ours,
                )
        assert (each.sizes.dropout, each.sizes.smoothing) == (there["P_drop"], there["eps_ls"])
        if each.group == "A":
            assert each.sizes.h * each.sizes.m == each.sizes.h * each.sizes.k == BASE.d


def test_the_sentences():
    given = sentences.data()
    assert len(given.held_out) == sentences.HELD_OUT and not set(given.train) & set(given.held_out)
    held = given.held()
    batch = held.batch_of(range(len(held)))
    assert not (batch.source == 3).any() and not (batch.answers == 3).any()  # no unknown word


def test_narrow_keys_change_nothing_else():
    wide, narrow = (make(BASE._replace(k=k), (20, 30), 0) for k in (8, 2))
    theirs = dict(narrow.named_parameters())
    for name, parameter in wide.named_parameters():
        other = theirs[name]
        assert torch.equal(parameter[..., : other.shape[-1]], other)
        assert (parameter.shape == other.shape) is not name.endswith(("W_Q", "W_K")), name
    attentions = 3 * BASE.layers
    assert (
        sum(p.numel() for p in wide.parameters()) - sum(p.numel() for p in narrow.parameters())
        == attentions * 2 * 32 * 4 * 6
    )
    with pytest.raises(ValueError, match="k must be at most"):
        make(BASE._replace(k=9), (20, 30), 0)


def test_narrow_keys_step_as_they_read():
    model = make(BASE._replace(k=2), (20, 30), 0).double().eval()
    source, target = torch.randint(4, 20, (2, 5), generator=seeded()), torch.tensor([[1, 7, 9], [1, 8, 4]])
    with torch.no_grad():
        whole, state = model(source, target).logits, model.start(source)
        for i in range(3):
            logits, state = model.step(target[:, i], state)
            torch.testing.assert_close(logits, whole[:, i])
    for block in model.decoder.blocks:  # scores over √k, by hand
        x, layer = normal(4, 32, seed=1), block.attention
        torch.testing.assert_close(layer(x).scores[1], (x @ layer.W_Q[1]) @ (x @ layer.W_K[1]).T / math.sqrt(2))


def test_flops_of_an_update():
    model = make(BASE._replace(layers=1), (20, 30), 0)
    batches = [Pairs([[5, 6, 7]], [[5, 6, 7, 8]], 1).batch_of([0])]
    n, s, d, r, h, m, v = 5, 3, 32, 128, 4, 8, 30
    encoder = s * (4 * d * d + 2 * d * r) + 2 * h * s * s * m
    decoder = (
        n * (4 * d * d + 2 * d * r) + 2 * h * n * n * m + 2 * n * d * d + 2 * s * d * d + 2 * h * n * s * m + n * d * v
    )
    # backward costs twice as much: a product for each factor's gradient
    assert flops_of(model, batches) == pytest.approx(6 * (encoder + decoder), rel=0.001)


# --- the test ---------------------------------------------------------------------------------------------------------


def test_students_tail_against_closed_forms():
    t = np.array([0.1, 1.0, 2.5, 7.0, 40.0])
    np.testing.assert_allclose(tail(t, 1), 1 - 2 / np.pi * np.arctan(t), rtol=1e-9)
    np.testing.assert_allclose(tail(t, 2), 1 - t / np.sqrt(2 + t**2), rtol=1e-9)
    np.testing.assert_allclose(tail(-t, 4), 1 - t / np.sqrt(4 + t**2) * (1 + 2 / (4 + t**2)), rtol=1e-8)
    with pytest.raises(ValueError, match="df must be"):
        tail(1.0, 0.5)


def test_welch_by_hand():
    found = welch([3.0, 5.0], [1.0, 1.5, 2.0])
    se = math.sqrt(2 / 2 + 0.25 / 3)
    assert (found.difference, found.error) == pytest.approx((2.5, se))
    assert found.df == pytest.approx(se**4 / ((2 / 2) ** 2 / 1 + (0.25 / 3) ** 2 / 2))
    assert welch([1.0, 1.0], [1.0, 1.0]).p == 1 and welch([2.0, 2.0], [1.0, 1.0]).p == 0
    with pytest.raises(ValueError, match="scores must be"):
        welch([1.0], [1.0, 2.0])


def test_holm():
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06})


def test_the_smallest_p_of_five_pairs():
    differences = np.array([0.3, 1.1, 0.2, 0.7, 0.5])  # all of one sign: the clearest that five pairs can be
    flips = np.array(list(itertools.product([1, -1], repeat=5)))
    means = np.abs(flips @ differences)
    assert np.mean(means >= means[0] - 1e-12) == smallest_p(5)


def test_judge():
    assert judge(1.0, 0.2, 1.0) == "within noise"
    assert judge(1.0, 0.01, 0.3) == judge(-1.0, 0.01, -0.3) == "same direction"
    assert judge(1.0, 0.01, -0.3) == "opposite"
    assert judge(1.0, 0.01, 0.0) == "published as equal" and judge(1.0, 0.01, None) == "not published"


# --- the command ------------------------------------------------------------------------------------------------------


def test_a_trial_keeps_its_rows_and_writes_no_table(short, tmp_path, monkeypatch):
    monkeypatch.setattr(stored_tables, "HERE", tmp_path / "course_lib" / "results")
    assert ablation.main(FEW) == 0 and [path.name for path in tmp_path.rglob("*.*")] == ["ablation_2_1.jsonl"]
    out = tmp_path / "rows.jsonl"
    assert ablation.main([*FEW, "--out", str(out)]) == 0
    rows = [json.loads(line)["rows"][0] for line in out.read_text().splitlines()[1:]]
    assert [row["variant"] for row in rows] == ["base", "k = 2", "no positions"]
    assert all(
        row["ppl"] == pytest.approx(math.exp(row["nats"]), rel=1e-3)
        and 0 <= row["exact"] <= 1 <= row["bleu"] + 1 <= 101
        for row in rows
    )


def test_the_options_of_a_table_are_those_of_its_command():
    given = {"seeds": 5, "steps": 500, "rate": 1.0, "only": tuple(VARIANTS)}
    assert ablation.asked(**given) is ablation.STUDY
    assert not ablation.asked(**given | {"steps": 7}).tabled and not ablation.asked(**given | {"seeds": 1}).tabled


def test_a_model_is_scored_sentence_by_sentence(short):
    """Nats and answers of all held-out sentences at once, padded, against one sentence after the other."""
    model = make(variant("1 layer").sizes, (len(short.source), len(short.target)), 3)
    model.eval()
    nats, answers = scored(model, short)
    losses = []
    for pair, answer in zip(short.held_out, answers, strict=True):
        source, target = torch.tensor([short.source.encode(pair.source)]), short.target.encode(pair.target, start=True)
        wanted = torch.tensor([*target[1:], END])
        losses.append(
            torch.nn.functional.cross_entropy(
                model(source, torch.tensor([target]), torch.tensor([source.shape[1]])).logits[0],
                wanted,
                reduction="none",
            )
        )
        alone = translate(model, short.source, short.target, [pair.source])[
            0
        ].words  # an untrained model does not end: as far as one goes on
        assert answer[: len(alone)] == alone[: len(answer)]
    assert nats == pytest.approx(torch.cat(losses).mean().item(), rel=1e-5)


# --- the stored study -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("measure", "same", "opposite"), [("ppl", 4, 0), ("bleu", 2, 2)])
def test_verdicts(measure, same, opposite):  # S4
    told = Counter(found["verdict"][measure] for found in side_by_side()[1:])
    assert (told["same direction"], told["opposite"]) == (same, opposite)


@pytest.mark.parametrize("name", ["d = 16", "base", "d = 64"])
def test_a_peak_is_a_share_of_the_bases(name):
    d = VARIANTS[name].sizes.d
    assert ablation_rates.settings(name, 0.5).rate(150, d) == pytest.approx(0.5 * Settings().rate(150, 32))


def test_runs_are_found_by_their_peak():
    """The schedule's own peak leads to the study, another to the trial rates; both have five seeds."""
    assert at_peak("d = 64", 0.7071, "bleu") == column("d = 64", "bleu") and at_peak("base", 1.0, "nats") == column(
        "base", "nats"
    )
    compared = (*ablation_rates.COMPARED, *ablation_rates.LATER)
    assert {len(at_peak(name, peak, "nats")) for name in compared for peak in ablation_rates.PEAKS} == {5}
    assert at_peak("h = 1", 0.5, "bleu") == []


def test_both_tables_come_from_one_computer():
    """Trainings part in the last bits and then for good where a processor sums otherwise; so two rows of one table
    stand in the other again."""
    for row in stored("ablation_rates")["again"]:
        first = next(
            each for each in stored()["rows"] if (each["variant"], each["seed"]) == (row["variant"], row["seed"])
        )
        assert {name: first[name] for name in ("nats", "bleu", "exact", "loss", "first")} == {
            name: row[name] for name in ("nats", "bleu", "exact", "loss", "first")
        }


def moved(d: int, groups) -> float:
    """How far a step of Adam at rate 0.001 lifts the right word's logit above the mean, on a batch of random
    sentences."""
    model = make(BASE._replace(d=d, k=d // 4, m=d // 4, dropout=0.0), (200, 200), 0).eval()
    source, target = torch.randint(4, 200, (2, 16, 8), generator=seeded()).tolist()
    batch = Pairs(source, target, 16).batch_of(range(16))
    optimiser = torch.optim.Adam(groups(model), betas=(0.9, 0.98), eps=1e-9)
    before = model(batch.source, batch.target, batch.source_lengths).logits.detach()
    train(model, lambda step: batch, translation_loss, optimiser, 1, rate=lambda step: 1e-3)
    gain = model(batch.source, batch.target, batch.source_lengths).logits.detach() - before
    return (gain.gather(-1, batch.answers[..., None])[..., 0] - gain.mean(-1)).mean().item()


def test_mup_moves_right_logits_alike_at_every_width():
    plain, mup = (
        {d: moved(d, groups) for d in (16, 32, 64, 128)}
        for groups in (lambda model: model.parameters(), ablation_rates.mup)
    )
    assert plain[128] > 3 * plain[16]
    assert (
        all(each == pytest.approx(plain[32], rel=0.25) for each in mup.values()) and mup[32] == plain[32]
    )  # the base is its own
