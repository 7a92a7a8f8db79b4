"""Spectrum in a real Chromium, on a page of its own: keyboard, NumPy's numbers."""

import numpy as np
import pytest

from course_lib.spectra import Ensemble, law_distance
from course_lib.widgets import Spectrum
from tests.shared.pages import rested
from tests.shared.widget_alone import alone, button, settled, slider, spoken, words
from tests.widgets.test_spectrum import DEFAULT, drawn

# a symmetric normal matrix, and one that is not symmetric with a mean
visit = alone(lambda: [Spectrum(60), Spectrum(60, "uniform", "general", address="disc")])


def first(page):
    return page.locator(".spc").first


def gap(widget):
    return float(widget.get_attribute("data-gap"))


def test_settings_by_keyboard_give_numpys_spectrum(visit):  # G3.1
    with visit() as page:
        widget = settled(first(page), "n", "60")
        assert gap(widget) == pytest.approx(
            law_distance(np.linalg.eigvalsh(drawn(DEFAULT)), Ensemble(60).law), abs=1e-7
        )
        slider(widget, "size").press("ArrowRight")
        settled(widget, "n", "70")
        widget.get_by_role("radio", name="symmetric", exact=True).press("ArrowRight")  # the next: not symmetric
        settled(widget, "form", "general")
        state = DEFAULT | {"n": 70, "form": "general"}
        sizes = np.abs(np.linalg.eigvals(drawn(state)))
        assert gap(widget) == pytest.approx(law_distance(sizes, Ensemble(70, form="general").law), abs=1e-7)
        assert widget.get_attribute("data-plane") == "true"
        widget.get_by_role("radio", name="singular values").press("Space")
        settled(widget, "values", "singular")
        assert gap(widget) == pytest.approx(
            law_distance(np.linalg.svd(drawn(state), compute_uv=False), Ensemble(70, form="general").singular_law),
            abs=1e-7,
        )
        rested(page)
        assert spoken(widget) == words(widget)
        button(widget, "reset").press("Enter")
        settled(widget, "n", "60")
        settled(widget, "form", "symmetric")


def test_the_outlier_comes_with_the_mean_and_goes_with_it(visit):
    with visit() as page:
        widget = settled(page.locator(".spc").nth(1))
        largest = np.abs(np.linalg.eigvals(drawn(DEFAULT | {"entries": "uniform", "form": "general"}))).max()
        assert float(widget.get_attribute("data-largest")) == pytest.approx(largest)
        predicted = widget.locator(".course-facts div").filter(has_text="predicted, nμ/√n")
        assert predicted.locator(
            "dd"
        ).inner_text() == f"{30 / 60**0.5:.4g}" and f"stands apart at {largest:.4g}" in words(widget)
        widget.get_by_role("switch", name="subtract the mean").press("Space")
        settled(widget, "centre", "1")
        assert predicted.is_hidden() and "stands apart" not in words(widget)
        widget.get_by_role("radio", name="N(0, 1)").check()
        settled(widget, "entries", "gaussian")
        assert widget.get_by_role("switch").count() == 0  # nothing to subtract
