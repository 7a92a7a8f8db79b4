"""The translator trainer on a page of its own: it trains, with attention it draws where it looked."""

import pytest

from course_lib.graphs.translator_run import floor
from course_lib.widgets import TranslatorTrainer
from tests.shared.widget_alone import alone, button, holds, reaches, settled, words

pytestmark = pytest.mark.browser
visit = alone(lambda: [TranslatorTrainer()])


def trainer(page):
    return settled(page.locator(".ttr"))


def test_it_trains_to_the_floor_and_shows_where_it_looked(visit):
    with visit("translator.attention=1&translator.length=2&translator.updates=300") as page:
        root = trainer(page)
        assert root.locator(".ttr-map").is_visible() and root.locator(".ttr-bars > div").count() == 2
        button(root, "Train").press("Enter")
        holds(root, stopped="end", step=300)
        reaches(root, "exact", f"Math.abs(x - {floor(0.1)}) < 0.05")
        assert words(root).startswith("All 300 updates are made") and "floor 0.467" in words(root)
        root.get_by_role("switch", name="attention").press("Space")
        holds(root, step=0, playing="false")
        assert not root.locator(".ttr-map").is_visible() and "Nothing learned yet" in words(root)
        button(root, "reset").press("Enter")
        page.wait_for_url("**/page.html")
