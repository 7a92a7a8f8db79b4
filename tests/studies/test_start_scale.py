"""With and without 1/√m: what the page concludes from the stored runs holds in every seed it names."""

from statistics import median

from course_lib.results import load
from studies import start_scale as study

TABLE = load("start_scale")
FOUND = {(row["m"], row["rate"], row["divided"], row["seed"]): row["found"] for row in TABLE["rows"]}
STUCK = {(row["m"], row["rate"], row["divided"]): row["stuck"] for row in TABLE["phrases_stuck"]}


def arrived(m: int, rate: float, divided: bool, wanted: float = 0.95) -> list[int]:
    """Updates of each seed until the share is found; one more than there are where it never is."""
    runs = [FOUND[m, rate, divided, seed] for seed in study.SEEDS]
    return [next((i * study.EACH for i, share in enumerate(run) if share >= wanted), study.STEPS + 1) for run in runs]


def best(m: int, divided: bool) -> list[int]:
    return min((arrived(m, rate, divided) for rate in study.RATES), key=median)


def test_at_its_best_rate_each_width_arrives_and_without_the_division_later_the_wider_the_later():
    assert max(max(best(m, divided)) for m in study.WIDTHS for divided in (True, False)) <= study.STEPS
    times = [median(best(m, False)) / median(best(m, True)) for m in study.WIDTHS]
    assert times == sorted(times) and times[0] > 1 and times[-1] > 5
    assert min(arrived(1024, 0.03, False)) > study.STEPS and max(arrived(1024, 0.03, True)) <= study.STEPS
    assert all(
        median(arrived(m, rate, False)) > median(arrived(m, rate, True))
        for m in study.WIDTHS[1:]
        for rate in study.RATES
    )


def test_the_explorer_is_right_in_the_end_with_and_without():
    assert len(TABLE["explored"]) == 10 and all(row["right"][-1] == 1 for row in TABLE["explored"])


def test_wide_heads_on_two_phrases_are_stuck_more_often_without_in_every_seed():
    for rate in study.PHRASE_RATES:
        for m in (64, 256):
            assert all(more > less for more, less in zip(STUCK[m, rate, False], STUCK[m, rate, True], strict=True))
