"""Widgets on a page of their own: everything fits a phone with targets for a finger, and is accessible, light and dark."""

import pytest

from course_lib.widgets import GaussianAttention, GradientFlow, MeasurePlayground, QuadraticWall, Spectrum
from tests.shared.widget_alone import (
    assert_it_fits_a_phone,
    assert_it_is_accessible,
    in_scheme,
    served,
    settled,
)

pytestmark = pytest.mark.browser
EYE = [[1.0, 0.0], [0.0, 1.0]]
# with as much as each can show
WIDGETS = {
    ".gau": GaussianAttention(n=60, heads=[[EYE, [[0.1, 0.0], [0.0, 0.1]]]] * 3),
    ".gfl": GradientFlow("lstm"),
    ".mea": MeasurePlayground(compare=True, blur=0.3, layers=2),
    ".spc": Spectrum(60, "uniform", "general", values="singular values"),
    ".wal": QuadraticWall(256, 64, 4, 1, kinds=("full", "window", "strided", "linear", "convolution", "rnn"), chart="flops"),
}


@pytest.mark.parametrize(("scheme", "width"), [("light", 375), ("dark", 375), ("light", 1280), ("dark", 1280)])
@pytest.mark.parametrize("root", WIDGETS)
def test_it_fits_and_is_accessible(browser, tmp_path, root, scheme, width):
    with served(browser, tmp_path, [WIDGETS[root]]) as visit, visit(scheme=scheme, width=width) as page:
        in_scheme(page, root, scheme)
        widget = page.locator(root)
        if widget.get_attribute("aria-busy"):
            settled(widget)
        for fold in widget.locator("summary").all():
            fold.click()
        if width == 375:
            assert_it_fits_a_phone(page, widget)
        assert_it_is_accessible(page, root)
