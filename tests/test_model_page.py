"""The page on the model: counts, idle learnables, what reaches the loss, and the source's programs against ours."""

import numpy as np
import pytest
import torch
from claims import model as page

from course_lib import memoryless
from course_lib.memoryless import Ensemble, Sizes, SourceModel, Training, count, shapes, train
from course_lib.published import example, rows
from course_lib.widgets import ModelSizes
from studies import places_and_scale as source_model

ROUNDING = 0.5e-4  # of a printed number


def test_the_model_has_the_printed_numbers():  # R1
    assert page.rows_whose_count_is_ours() == 72
    assert page.learnables_of_pytorchs_modules() == count(page.EXAMPLE) == int(example()["learnables"]) == 316


def test_the_model_is_pytorchs_own_modules():  # R9
    assert page.difference_from_pytorchs_modules() == pytest.approx(0, abs=1e-10)
    broken = page.stirred()
    other = page.modules(broken)
    with torch.no_grad():
        broken.w_v += 0.1  # the comparison sees a bias
    assert (other(page.words()) - broken(page.words())).abs().max() > 1e-3


def test_only_the_last_row_reaches_the_loss():  # R1
    gradient = page.gradient_of_z()
    assert page.gradient_of_the_other_rows_of_z() == 0 and gradient[:, -1].abs().min() > 0
    assert page.difference_of_the_last_row_alone() == pytest.approx(0, abs=1e-10)


def test_attention_begins_as_an_average():  # R1
    assert 0 < page.most_uneven_weight_at_the_start() < 0.01
    assert page.stirred().stages(page.words()).A.max() > 0.9  # not by itself


def test_order_enters_through_places_alone():  # R1
    assert page.change_by_order_without_places() == pytest.approx(0, abs=1e-12)
    assert page.change_by_order_with_places() > 0.01


def test_places_and_root_hardly_matter_here():  # R1, R-E7
    seeds = page.runs("places")["error"]
    assert abs(page.error_with_places() - page.error_without_places()) < np.diff(np.quantile(seeds, [0.25, 0.75]))[0] / 3
    by_m, by_d = page.runs("scale m")["error"], page.runs("scale d")["error"]
    assert abs(by_m - by_d).max() < 0.1 * np.ptp(by_m)
    assert page.error_by_root_m() == pytest.approx(page.error_by_root_d(), abs=0.2)
    assert page.runs("places")["order"].max() < 0.01 and page.runs("no places")["order"].max() < 1e-3


def test_the_text_parts_from_the_program():  # R-E9, R-E11, R-E12, R-E13
    scores, V = torch.zeros(8, 8), torch.zeros(8, 4)
    asked = [(j, i) for i in range(8) for j in range(8)]

    def exists(j, i):
        try:
            return bool((scores[i, j] * V[j, i]) == 0)
        except IndexError:
            return False

    assert page.products_that_do_not_exist() == sum(not exists(*pair) for pair in asked) == 32
    assert page.distance_from_one_affine_map() == pytest.approx(0, abs=1e-10)
    assert page.distance_of_the_program_from_affine() > 0.05
    assert page.rows_counted_without_norms() == 0
    assert (page.fewest_learnables(), page.most_learnables(), page.sizes_to_choose()) == (630, 216_840, 5)
    assert {row.learnables for row in rows()} >= {630, 216_840}


def test_the_key_bias_stands_where_it_began():  # R-E14
    # least squares carries the rounding of K, at most tenfold here: the smallest singular value of the inputs is 0.007
    assert page.recovered_key_bias() < 20 * ROUNDING < page.recovered_query_bias() / 10
    ensemble = train(page.EXAMPLE, source_model.SOURCE, [0], Training(updates=50), dtype=torch.float64).ensemble
    fresh = Ensemble(page.EXAMPLE, [0], dtype=torch.float64)
    assert ensemble.parameters["w_k"].abs().max() < 1e-9 < ensemble.parameters["w_q"].abs().max()
    assert torch.equal(ensemble.parameters["E"][:, -1], fresh.parameters["E"][:, -1])


def test_the_run_read_the_last_row():  # R-E24
    printed = page.away(example()["P"])
    assert printed.argmax() == 7 and page.printed_last_row_of_p() > 4 * page.printed_other_rows_of_p()
    assert page.printed_last_row_of_p() == pytest.approx(source_model.away(example()["P"])[-1])
    assert page.trained_models_whose_last_row_stands_out() == 16
    assert page.reading_the_first_row_is_reading_backwards() == pytest.approx(0, abs=1e-10)


def test_exchanged_time_and_batch_fail_or_mix():  # R-E26
    assert page.rows_on_which_the_printed_program_runs() == 18
    wide = Sizes(4, 64, 8, 4, 16)
    with pytest.raises(ValueError, match=r"tokens must be of size 64"):
        SourceModel(wide)(page.words(wide, page.BATCH).T)
    assert page.share_of_words_from_the_labels_own_sequence() == 1 / 16
    samples = np.arange(256).reshape(16, 16)
    assert sorted(page.exchanged(samples)[0] // 16) == list(range(16))  # one word of each sample


def test_the_program_line_by_line():  # R9, R-E27
    assert page.difference_of_the_two_losses() == pytest.approx(0, abs=1e-10)
    assert page.difference_after_thirty_updates() == pytest.approx(0, abs=1e-10)
    theirs, _ = page.loops()
    assert (theirs - torch.cat([p.detach().flatten() for p in SourceModel(page.EXAMPLE, **page.F64).parameters()])).abs().max() > 1e-3
    assert page.changed_by_evaluating() == 0
    idle, silent_units = 8, 2
    assert page.changed_by_the_update() == 316 - idle - silent_units * (2 * 4 + 1)


def test_the_names_in_the_table_of_programs_exist():  # R9
    for name in ("embed", "stages", "last"):
        assert hasattr(SourceModel, name)
    assert hasattr(memoryless.Batches, "at") and hasattr(Ensemble, "differentiate") and hasattr(Ensemble, "step")
    assert ModelSizes().published[0][-1] == rows()[0].learnables and set(shapes(page.EXAMPLE)) == dict(SourceModel(page.EXAMPLE).named_parameters()).keys()


def test_the_count_depends_on_the_length():  # R-E28: rows of Table 3 with v = 2, d = 8, m = 4, r = 16
    printed = {row.n: row.learnables for row in rows() if (row.v, row.d, row.m, row.r) == (2, 8, 4, 16)}
    assert printed == {n: page.learnables_at_length(n) for n in (16, 32, 64, 128)}
    assert len(set(printed.values())) == 4
