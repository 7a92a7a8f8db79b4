"""Every widget on a page of its own: it fits a phone with targets for a finger, is accessible, and is drawn anew in
another theme; a link sets it."""

import re

import numpy as np
import pytest

from course_lib import widgets
from tests.shared.made import NAMES, made
from tests.shared.pages import drawn, glided
from tests.shared.widget_alone import (
    assert_it_fits_a_phone,
    assert_it_is_accessible,
    button,
    data,
    holds,
    in_scheme,
    pictures,
    served,
    settled,
)

EYE = np.eye(2)
# with as much as each can show
SETTINGS = {
    "ApproximationBuilder": {"target": "drawn", "corrections": 2},
    "Decoding": {"moment": 4},
    "Descent": {"optimiser": "sgd", "step": 10},
    "Fit": {"step": 700},
    "GaussianAttention": {"n": 60, "heads": [[EYE, 0.1 * EYE]] * 3},
    "GradientFlow": {"cell": "lstm"},
    "Journey": {"station": "encoder_weights"},
    "MatrixRows": {"first": [1, 0.5], "second": [-1, -0.5]},
    "MeasurePlayground": {"compare": True, "blur": 0.3, "layers": 2},
    "ModelSizes": {"n": 512, "d": 512, "r": 2048},
    "Neighbours": {"ask": "sum", "given": "allowed"},
    "NumberWriter": {"moment": 20},
    "QuadraticWall": {
        "n": 256,
        "d": 64,
        "h": 4,
        "layers": 1,
        "kinds": ("full", "window", "strided", "linear", "convolution", "rnn"),
        "chart": "flops",
    },
    "ResidualStream": {"view": "erased", "pair": 3, "fill": "zero", "layer": 0},
    "SamplingBars": {"temperature": 2.5, "text": 3, "seed": 7},
    "SevenSteps": {"step": 7},
    "SourceTrainer": {"updates": 20},
    "Spectrum": {"n": 60, "entries": "uniform", "form": "general", "values": "singular values"},
    "TokensInDepth": {"n": 24, "d": 3, "look": "random", "layers": 10},
    "Translate": {"clauses": 2, "moment": 14},
    "TranslatorTrainer": {"attention": True},
}
SHOWN = {name: lambda name=name: made(name, **SETTINGS.get(name, {})) for name in NAMES}
SHOWN["the towns"] = lambda: widgets.Decoding("towns", text="Mon", top_k=4, listed=True)


@pytest.mark.parametrize(("scheme", "other", "width"), [("light", "dark", 375), ("dark", "light", 1280)])
@pytest.mark.parametrize("name", SHOWN)
def test_it_fits_is_accessible_and_is_drawn_anew(browser, tmp_path, name, scheme, other, width):
    with served(browser, tmp_path, [SHOWN[name]()]) as visit, visit(scheme=scheme, width=width) as page:
        in_scheme(page, ".course-ui", scheme)
        widget = page.locator(".course-ui")
        if widget.get_attribute("aria-busy"):
            settled(widget)
        for fold in widget.locator("summary:visible").all():
            fold.click()
        drawn(page)
        glided(page)
        if width == 375:
            assert_it_fits_a_phone(page, widget)
        assert_it_is_accessible(page, ".course-ui")
        before = pictures(widget)
        in_scheme(page, ".course-ui", other)
        assert not before or pictures(widget) != before


# Those whose root tells every setting as a link has it; of the others their own tests visit links.
OTHERS = (
    "AttentionExplorer",
    "ChainTrainer",
    "Decoding",
    "GradientFlow",
    "Journey",
    "SourceTrainer",
    "StudyTable",
    "Translate",
    "TranslatorTrainer",
)
TOLD = [name for name in NAMES if name not in OTHERS]


def another(widget):
    """(name, text in a link) of the first setting that is one of a few or a whole number, else some numbers, with
    another value than the widget's."""
    for name, each in sorted(widget._settings.items(), key=lambda item: item[1]["kind"] == "numbers"):
        if each["kind"] == "numbers":
            return name, ",".join("0" * each["counts"][0])
        if each["kind"] in ("option", "order", "whole"):
            value = next(value for value in each["takes"] if value != getattr(widget, name))
            return name, str(value + each.get("from", 0) if each["kind"] == "whole" else value)


@pytest.mark.parametrize("name", TOLD)
def test_a_link_sets_it_and_reset_leads_back(browser, tmp_path, name):
    widget = made(name)
    setting, text = another(widget)
    with served(browser, tmp_path, [widget]) as visit, visit(f"{widget.address}.{setting}={text}") as page:
        root = page.locator(".course-ui")
        holds(root, **{setting: text})
        button(root, re.compile("^reset$", re.IGNORECASE)).press("Enter")
        page.wait_for_url("**/page.html")
        assert data(root, setting) != [text]
