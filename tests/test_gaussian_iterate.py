"""Iterated layers against the plain float64 loop, exact rational arithmetic and closed forms; the page on them and its table."""

import math
from fractions import Fraction

import numpy as np
import pytest
from claims import iteration as page

from course_lib.gaussian import (
    Gaussian,
    Heads,
    congruence,
    first_order,
    flow,
    iterate,
    push,
    random_covariance,
    random_heads,
    reach,
)

ONES = {"congruence": congruence, "first_order": first_order}


def drawn(seed, d=12, m=5, h=1):
    generator = np.random.default_rng(seed)
    return random_covariance(d, generator), random_heads(d, m, h, generator=generator)


def scalar(c, w):
    """One head in one dimension: score c x y, and w of what it averages is written."""
    return Heads(*(np.full((1, 1, 1), value) for value in (c, 1.0, w, 1.0)), scale=1.0)


@pytest.mark.parametrize("rule", ONES)
@pytest.mark.parametrize("step", [1e-3, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("heads", [1, 3])
def test_a_path_is_the_plain_loop_and_ends_where_that_ends(rule, step, heads):
    for seed in range(3):
        start, layer = drawn(seed, h=heads)
        path, plain, over = iterate(start, layer, 14, step=step, rule=rule), start, None
        for count in range(1, 15):
            with np.errstate(over="ignore", invalid="ignore"):
                plain = ONES[rule](plain, layer, step=step)
            if not np.isfinite(plain).all():
                over = count
                break
            values = np.linalg.eigvalsh(plain)
            size = abs(values).max()
            if size < 1e150:  # eigvalsh scales by itself beyond that, but not the comparison below
                np.testing.assert_allclose(path.eigenvalues(count), values[[0, -1]], atol=1e-8 * size)
            assert path.log10_size[count] == pytest.approx(math.log10(size), rel=1e-9)
        assert path.overflow == over
        assert np.isfinite(path.log10_size).all() and path.passes == 14


def log10_of(number: Fraction) -> float:
    """Also of a number far beyond float64, from the 1000 leading bits of its numerator and denominator."""
    cut = [max(0, part.bit_length() - 1000) for part in (number.numerator, number.denominator)]
    return math.log10(abs(number.numerator) >> cut[0]) - math.log10(number.denominator >> cut[1]) + (cut[0] - cut[1]) * math.log10(2)


@pytest.mark.parametrize("rule", ONES)
def test_beyond_float64_the_size_is_that_of_exact_arithmetic(rule):
    path, exact = iterate(np.array([[9.0]]), scalar(0.5, -2.0), 10, step=0.5, rule=rule), Fraction(9)
    for count in range(1, 11):
        grown = 1 - exact / 2
        exact = exact * grown**2 if rule == "congruence" else exact * (2 * grown - 1)
        assert path.log10_size[count] == pytest.approx(log10_of(exact), rel=1e-12, abs=1e-12)
        assert (path.largest[count] > 0) == (exact > 0)
    assert path.log10_size[-1] > 500


@pytest.mark.parametrize("factor", [0.25, 0.375, 0.5 - 2**-54, 0.5, 0.75, 1.0 - 2**-53, 1.0])
def test_the_overflow_is_told_at_the_last_number_that_float64_holds(factor):
    path = iterate(np.array([[2.0**512]]), scalar(1.0, 1.0), 1, step=factor, rule="first_order")  # Σ ↦ Σ + 2εΣ²
    exact = Fraction(2) ** 512 + 2 * Fraction(factor) * Fraction(2) ** 1024
    assert path.overflow == (None if exact < 2**1024 else 1)
    assert path.log10_size[1] == pytest.approx(log10_of(exact), rel=1e-14)


def test_far_out_a_layer_is_purely_cubic():
    start, layer = drawn(0)
    a, b = (iterate(factor * start, layer, 30) for factor in (1e30, 3e30))
    assert a.overflow == b.overflow and a.log10_size[-1] > 1e12
    assert (b.log10_size - a.log10_size) / 3.0 ** np.arange(31) == pytest.approx(math.log10(3), rel=1e-6)


def test_a_path_ends_where_the_logarithm_of_the_size_ends():
    path = iterate(np.eye(1), scalar(1.0, 1.0), 1000)
    assert 600 < path.passes < 700 and np.isfinite(path.log10_size).all() and path.log10_size[-1] > 1e290


def test_a_cloud_may_vanish():
    path = iterate(Gaussian(np.ones(1), np.eye(1)), scalar(1.0, -1.0), 3)
    assert (path.log10_size[1:] == -math.inf).all() and path.overflow is None and path.indefinite is None
    assert path.eigenvalues(1) == (0, 0) and not np.isnan(path.log10_mean).any() and path.covariance[0, 0] == 0


def test_the_congruence_keeps_every_covariance_and_first_order_does_not():
    for seed in range(20):
        start, layer = drawn(seed)
        for step in (1e-3, 1e-2, 0.1, 1.0):
            assert iterate(start, layer, 12, step=step).indefinite is None
        lost = iterate(start, layer, 12, step=1.0, rule="first_order")
        assert lost.indefinite == 1 and lost.smallest[1] < -0.1


def test_the_pass_at_which_positivity_is_lost():
    path = iterate(np.eye(1), scalar(1.0, -1.0), 4, step=0.4, rule="first_order")  # 1 ↦ 1 − 0.8 ↦ 0.2 − 0.8 · 0.04 …
    assert path.indefinite is None
    path = iterate(np.array([[2.0]]), scalar(1.0, -1.0), 4, step=0.4, rule="first_order")  # 2 ↦ 2 − 0.8 · 4
    assert path.indefinite == 1 and path.eigenvalues(1)[0] == pytest.approx(-1.2)


def test_the_mean_goes_with_the_cloud():
    start, layer = drawn(1, h=2)
    cloud = Gaussian(np.linspace(-1, 2, 12), start)
    path = iterate(cloud, layer, 12, step=0.1)
    for count in range(1, 4):
        cloud = push(cloud, layer, step=0.1)
        assert path.log10_mean[count] == pytest.approx(math.log10(np.linalg.norm(cloud.mean)), rel=1e-12)
    short = iterate(Gaussian(np.linspace(-1, 2, 12), start), layer, 3, step=0.1)
    np.testing.assert_allclose(short.mean, cloud.mean / np.linalg.norm(cloud.mean), atol=1e-12)
    np.testing.assert_allclose(short.covariance, cloud.covariance / np.linalg.norm(cloud.covariance, 2), atol=1e-12)
    assert np.isfinite(path.log10_mean).all() and iterate(start, layer, 1).mean is None
    assert (iterate(Gaussian(np.zeros(12), start), layer, 2).log10_mean == -math.inf).all()


def test_one_plus_the_reach_is_at_most_cubed():
    for seed in range(10):
        start, layer = drawn(seed, h=2)
        path = iterate(start, layer, 8)
        bound = np.log10(1 + reach(layer) * 10 ** path.log10_size[0]) * 3.0 ** np.arange(9)
        assert (path.log10_size + math.log10(reach(layer)) <= bound).all()
    path, s = iterate(np.array([[2.0]]), scalar(1.0, 1.0), 3), 2.0
    for count in range(1, 4):
        s *= (1 + s) ** 2
        assert 10 ** path.log10_size[count] == pytest.approx(s, rel=1e-12)


def test_the_flow_in_one_dimension_is_the_closed_form():
    times = np.array([0.0, 0.1, 0.2, 0.2, 0.24])
    for w in (1.0, -1.0):
        sizes = flow(np.array([[2.0]]), scalar(1.0, w), times)[:, 0, 0]  # σ²' = 2wσ⁴: blow-up at 1/2wσ² = 0.25
        np.testing.assert_allclose(sizes, 2 / (1 - 4 * w * times), rtol=1e-5)
    (late,) = flow(np.array([[2.0]]), scalar(1.0, 1.0), [0.25 * (1 - 1e-3)])
    assert late.item() == pytest.approx(2000, rel=2e-3)


def test_the_flow_on_a_line_turns_by_the_exponential_of_the_writing():
    generator = np.random.default_rng(3)
    layer = random_heads(4, 3, generator=generator)
    v = generator.standard_normal(4)
    (sigma,) = flow(np.outer(v, v), layer, [0.3])
    values, vectors = np.linalg.eig(layer.writing[0].T)
    turned = lambda s: (vectors @ (np.exp(s * values) * np.linalg.solve(vectors, v))).real  # noqa: E731
    clock = 0.0  # ds = (v C vᵀ) dt along v e^{sM}, by small midpoint steps
    for _ in range(3000):
        u = turned(clock + 5e-5 * (turned(clock) @ layer.scoring[0] @ turned(clock)))
        clock += 1e-4 * (u @ layer.scoring[0] @ u)
    np.testing.assert_allclose(sigma, np.outer(turned(clock), turned(clock)), rtol=1e-5, atol=1e-7)


def test_many_small_layers_are_the_flow_and_the_error_is_of_first_order():
    start, layer = drawn(2)
    (goal,) = flow(start, layer, [0.2])
    assert np.linalg.eigvalsh(goal)[0] > 0
    for rule in ONES:
        errors = []
        for passes in (100, 200, 400):
            path = iterate(start, layer, passes, step=0.2 / passes, rule=rule)
            errors.append(np.linalg.norm(path.covariance * 10 ** path.log10_size[-1] - goal) / np.linalg.norm(goal))
        assert errors[0] < 0.02 and 1.8 < errors[0] / errors[1] < 2.2 and 1.8 < errors[1] / errors[2] < 2.2


def test_the_flow_lasts_as_long_as_the_bound_says():
    for seed in range(5):
        start, layer = drawn(seed)
        first = np.linalg.norm(start, 2)
        shortest = 1 / (2 * reach(layer) * first)  # before it ‖Σ‖ ≤ ‖Σ₀‖/(1 − t/shortest)
        sizes = np.linalg.norm(flow(start, layer, np.array([0.5, 0.9]) * shortest), 2, axis=(1, 2))
        assert (sizes <= first / (1 - np.array([0.5, 0.9]))).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": -np.eye(3)}, "covariance must be without an eigenvalue below 0"),
        ({"start": np.eye(2)}, "start must be of size 3"),
        ({"start": np.full((3, 3), np.nan)}, "covariance must be finite"),
        ({"start": 1.0}, "covariance must be an array"),
        ({"layers": 0}, "layers must be an int > 0"),
        ({"step": 0.0}, "step must be a finite number > 0"),
        ({"rule": "cubic"}, "rule must be one of 'congruence', 'first_order'"),
    ],
)
def test_what_iterate_refuses(change, message):
    given = {"start": np.eye(3), "heads": random_heads(3, 2, generator=np.random.default_rng(0)), "layers": 2} | change
    with pytest.raises(ValueError, match=message):
        iterate(**given)


def test_what_the_flow_and_a_path_refuse():
    layer = scalar(1.0, 1.0)
    for times in ([], [0.1, 0.0], [-1.0], [[0.1]], [np.inf]):
        with pytest.raises(ValueError, match="times must be an array"):
            flow(np.eye(1), layer, times)
    with pytest.raises(ValueError, match=r"times must be numbers up to 0\.5, where the size has grown"):
        flow(np.eye(1), layer, [1.0])
    with pytest.raises(ValueError, match="covariance must be of size 1"):
        flow(np.eye(2), layer, [0.1])
    with pytest.raises(ValueError, match="passes must be a pass whose eigenvalues fit"):
        iterate(np.eye(1), layer, 9).eigenvalues()


# --- the page ---------------------------------------------------------------------------------------------------------


def test_float64_ends_with_the_seventh_pass():
    assert page.pass_at_which_float64_ends() == 7 and page.draws_of_the_large_sizes() == 20
    assert page.digits_after_pass_nine_over_pass_eight() == pytest.approx(3, abs=0.01)
    assert page.pass_at_which_float64_ends_with_the_first_order_rule() == 10
    plain, layer = drawn(0, 300, 128)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(6):
            plain = congruence(plain, layer)
        assert np.isfinite(plain).all() and not np.isfinite(congruence(plain, layer)).all()


def test_thirty_orders_is_the_luck_of_a_draw():
    assert page.median_orders_of_magnitude_less() == pytest.approx(11.8, abs=0.1)
    assert page.draws_with_thirty_orders_less_or_more() == 9 and page.draws_that_are_larger_not_smaller() == 35
    assert page.draws_of_the_small_sizes_that_end_with_the_same_pass() == 199 and page.width_over_head_width_of_gpt3() == 96


def test_a_mean_that_is_not_renewed_is_wrong_and_harmless():
    assert page.error_of_the_mean(1, False) == page.error_of_the_mean(10, True) == 0
    assert page.error_of_the_mean(2, False) > 0.001 and page.error_of_the_mean_as_printed() == pytest.approx(0.208, abs=1e-3)
    assert page.error_of_the_renewed_mean() == page.difference_of_the_covariances() == 0


def test_the_stopping_rule_grows_with_the_samples():
    assert 8 < page.norm_of_the_first_change_for_a_thousand_tokens_over_ten() < 12  # √100 = 10


def test_minus_a_hundred_thousand_is_not_reached():
    assert page.most_negative_eigenvalue_of_all_draws() == pytest.approx(-0.308, abs=1e-3)
    assert page.step_needed_at_the_large_sizes() > 0.02 and page.pass_needed_at_the_large_sizes() > 50


def test_negative_at_once_or_never():
    assert page.draws_negative_in_the_first_pass() == 10 and page.draws_ever_negative_by_the_congruence() == 0
    assert page.a_flat_cloud_over_the_square_of_the_step() == pytest.approx(-0.639, abs=0.01)
    assert page.flat_share(1e-4) == pytest.approx(page.flat_share(1e-3), rel=0.01)  # below 0 for every step, like ε²


def test_both_rules_approach_the_flow():
    for rule, claimed in (("congruence", page.distance_of_the_congruence_to_the_flow), ("first_order", page.distance_of_the_first_order_rule_to_the_flow)):
        assert claimed() / page.flow_errors(rule, 50) == pytest.approx(2, abs=0.15)
    assert page.distance_of_the_first_order_rule_to_the_flow() > 2 * page.distance_of_the_congruence_to_the_flow()


def test_on_a_line_the_flow_stops_and_the_layers_explode():
    assert page.clouds_on_a_line_whose_flow_stops() == 39 and page.clouds_on_a_line_whose_layers_explode() == 40
    C, M, v = page.on_a_line(0)
    layer = random_heads(30, 13, generator=np.random.default_rng(0))
    turned = v + 0.01 * (v @ C @ v) * (v @ M)
    path = iterate(np.outer(v, v), layer, 1, step=0.01)
    np.testing.assert_allclose(path.covariance * 10 ** path.log10_size[-1], np.outer(turned, turned), atol=1e-9)


def test_the_law_was_there_from_the_start():
    assert page.change_of_the_covariance_in_per_cent() < 4
    assert page.distance_of_the_end_to_the_start() < 0.01 and page.distance_of_the_start_to_its_law() < 0.01
    assert page.distance_to_the_law_when_the_largest_is_tenfold() > 0.08


def test_papers_that_the_thesis_quotes():  # G-E45: its reference [2] ends with Kaiser
    bibliography = page.BIBLIOGRAPHY.read_text(encoding="utf-8")
    assert "Kaiser, {\\L}ukasz and Polosukhin, Illia}" in bibliography
    assert page.authors_of_attention_is_all_you_need() == 8
