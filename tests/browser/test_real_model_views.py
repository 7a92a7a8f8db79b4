"""The real model's widget on a page of its own: views and heads by keys and link, on a phone, and a small model that is
loaded by a press."""

import re

import pytest

from course_lib.results import load
from course_lib.widgets import RealModel
from tests.shared.pages import drawn
from tests.shared.small_language_model import LETTERS, small_language_model
from tests.shared.widget_alone import (
    alone,
    assert_it_fits_a_phone,
    button,
    data,
    holds,
    number,
    reaches,
    served,
    settled,
    words,
)
from tools.page import model_parts

pytestmark = pytest.mark.browser
visit = alone(lambda: [RealModel(load("open_model")["sentences"])])


def real(page):
    page.wait_for_selector(".real[aria-busy=false]")
    return page.locator(".real")


@pytest.fixture(scope="module")
def small(browser, tmp_path_factory):
    """visit(…): the page in a book that carries a small model under the name of the large one."""
    folder = tmp_path_factory.mktemp("carries")
    with served(browser, folder, [RealModel(load("open_model")["sentences"])]) as visit:
        made, _ = small_language_model(folder / "_static" / "models", "smollm2", LETTERS)
        size = model_parts.read_manifest(made)["bytes"]
        offered = f'{{"smollm2": {{"title": "Small", "bytes": {size}, "memory": 1}}}}'
        host = folder / "_static" / "course" / "host.js"
        host.write_text(
            f"{host.read_text(encoding='utf-8')}\nglobalThis.__course_models = {offered};\n", encoding="utf-8"
        )
        yield visit


def test_a_head_and_a_cell_are_chosen_by_keys_and_counted(visit):
    with visit() as page:
        root = real(page)
        heads, plan = root.locator(".real-face"), root.locator(".layer-face")
        assert number(root, "looked") == 1
        for key in ("ArrowLeft", "ArrowDown", "ArrowDown"):
            heads.press(key)
            drawn(page)  # a head that no frame shows is not looked at
        holds(root, layer=22, head=6)
        reaches(root, "looked", "x === '4'")
        assert "Head 6 of layer 22" in words(root) and heads.get_attribute("aria-valuetext") == "head 6 of layer 22"
        plan.press("ArrowUp")
        holds(root, row=8)
        root.get_by_role("combobox", name="what the head does").select_option("first")
        button(root, "go to the head that does it most").press("Enter")
        reaches(root, "looked", "x === '270'")
        assert "the highest of 270" in root.inner_text() and "best of 270" in root.inner_text()


def test_views_follow_a_link_and_fit_a_phone(visit):
    with visit("real.view=erased&real.sentence=3&real.layer=16&real.part=10&real.fill=zero", width=375) as page:
        root = real(page)
        holds(root, view="erased", sentence=3, layer=16, part=10, fill="zero")
        assert "the feed-forward layer 16 gives nothing" in words(root).lower()
        for view in ("maps", "next piece", "logit lens", "patching", "turns"):
            root.get_by_role("radio", name=view).press("Space")
            settled(root)
            assert_it_fits_a_phone(page, root)
        assert "carries no model" in root.inner_text()


def test_cuts_change_what_may_be_drawn(visit):
    with visit("real.view=next&real.p=0.5") as page:
        root = real(page)
        assert data(root, "kept") == ["1"]
        dial = root.get_by_role("slider", name="temperature")
        for _ in range(12):
            dial.press("PageUp")
        reaches(root, "kept", "Number(x) > 1")
        before = words(root)
        button(root, "draw again").press("Enter")
        holds(root, seed=2)
        assert words(root) != before or "A draw gives" in before


def test_a_model_is_loaded_by_a_press_alone_and_reads_what_is_typed(small):
    with small() as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        root = real(page)
        load_it = root.get_by_role("button", name=re.compile(r"load Small, \d+ MB"))
        assert not any("/models/" in url for url in asked)
        load_it.press("Enter")
        root.locator(".real-opening[data-open=smollm2]").wait_for()
        field = root.get_by_role("textbox", name="sentence", exact=True)
        field.fill("ab cak")
        field.press("Enter")
        reaches(root, "text", "x === 'ab cak'")
        settled(root)
        assert "of layer 2" in words(root) and root.locator(".layer-names span").count() == 6
        for view in ("next piece", "logit lens", "erasure", "turns"):
            root.get_by_role("radio", name=view).press("Space")
            settled(root)
        root.get_by_role("radio", name="patching").press("Space")
        second = root.get_by_role("textbox", name="second sentence")
        second.fill("ab dax")
        second.press("Enter")
        reaches(root, "missing", "x === '0'")
        root.get_by_role("radio", name="next piece").press("Space")
        button(root, "write the drawn piece on").press("Enter")
        reaches(root, "text", "x.startsWith('ab cak') && x.length > 6")
