"""Chains in training, on a page of its own: a link sets them, the maps are those of the model, and training passes the
unigram line."""

import pytest

from course_lib.widgets import ChainTrainer
from studies.chains_in_context import Exam, Setting
from tests.shared.widget_alone import alone, button, holds, number, reaches, settled

visit = alone(lambda: [ChainTrainer(updates=100)])
UPDATES, NEAR = 400, 0.04  # nats a token


def bayes() -> float:
    """The Bayes predictor's loss on the widget's 64 test sequences, by the study."""
    return Exam(Setting(), 64).lines["bayes"]


def test_a_link_sets_the_chains_and_reset_leads_back(visit):
    with visit("chains.v=2&chains.layers=1&chains.h=3") as page:
        root = settled(page.locator(".ctr"))
        holds(root, v=2, h=3)
        assert page.locator(".ctr-grid canvas").count() == 3  # one layer
        button(root, "reset").press("Enter")
        holds(root, v=3, h=2)
        page.wait_for_url("**/page.html")


@pytest.mark.parametrize("seed", [1, 2])
def test_it_comes_near_bayes(visit, seed):
    """Within 0.04 nats a token of the study's line."""
    with visit(f"chains.updates={UPDATES}&chains.seed={seed}") as page:
        root = settled(page.locator(".ctr"))
        assert number(root, "exact") > bayes() + 0.1
        root.get_by_role("button", name="Train", exact=True).press("Enter")
        reaches(root, "stopped", "x === 'end'")
        assert 0 < number(root, "exact") - bayes() < NEAR
        page.wait_for_function(
            f"document.querySelector('.ctr .course-words').textContent.startsWith('All {UPDATES} updates are made')"
        )
