"""What browser tests of a widget on a page of its own share: the served page, its parts by what a reader calls them,
phone, accessibility."""

import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.shared.barriers import barriers
from tests.shared.pages import HANG, drawn, opened, passes
from tests.shared.widget_page import widget_page

TARGETS = (
    "button, select, .course-ui summary, input:not(.course-choice input, [type=checkbox]), .course-choice "
    "label, .course-toggle, .wal-kind, .course-target"
)


@contextmanager
def served(browser, folder: Path, widgets: list):
    """visit(query, …): a context of the page with these widgets, served on this machine. Whatever went wrong on the
    page fails at its end."""
    from tools.book.serve import server

    written = widget_page(folder, widgets)
    pages = server(folder)
    threading.Thread(target=pages.serve_forever, daemon=True).start()

    @contextmanager
    def visit(query: str = "", *, from_file: bool = False, **options):
        address = written.as_uri() if from_file else f"http://127.0.0.1:{pages.server_port}/page.html"
        with opened(browser, f"{address}?{query}" if query else address, **options) as (page, troubles):
            yield page
            assert troubles == []

    yield visit
    pages.shutdown()


def alone(make):
    """The fixture `visit` of a module: `served` with the widgets that make() gives."""

    @pytest.fixture(scope="module")
    def visit(browser, tmp_path_factory):
        with served(browser, tmp_path_factory.mktemp("alone"), make()) as visit:
            yield visit

    return visit


# ------------------------------------------------------------------------------------------------ what the root says
def is_busy(widget, busy):
    """Wait until the picture of the widget's settings is still to come, or is there."""
    expect(widget).to_have_attribute("aria-busy", str(busy).lower())


def reaches(widget, name, test):
    """Wait until the widget's data-<name> passes a test, written in JavaScript of x."""
    widget.evaluate(
        """(root, [name, test, ms]) => new Promise((done, fail) => {
             const passes = new Function("x", `return ${test}`), end = Date.now() + ms;
             const look = () => passes(root.dataset[name]) ? done()
               : Date.now() > end ? fail(Error(`${name} stayed ${root.dataset[name]}, wanted ${test}`)) :
                 setTimeout(look, 20);
             look();
           })""",
        [name, test, HANG],
    )


def holds(widget, **settings: object):
    """Wait until the widget's root has these settings."""
    for name, value in settings.items():
        reaches(widget, name, f"x === {str(value)!r}")


def settled(widget, name=None, value=None):
    """Wait until all is worked out and, where asked, a setting is what it should be."""
    if name is not None:
        holds(widget, **{name: value})
    is_busy(widget, False)
    return widget


def data(widget, *names):
    """What the widget's root carries as data-<name>."""
    return [widget.get_attribute(f"data-{name}") for name in names]


def number(widget, name):
    return float(widget.get_attribute(f"data-{name}"))


# ------------------------------------------------------------------------------------------------ its parts
def slider(widget, name):
    return widget.locator(".course-slider").filter(has_text=name).locator("input").first


def button(widget, name):
    return widget.get_by_role("button", name=name)


def press(widget, name):
    widget.get_by_role("button", name=name, exact=True).press("Enter")
    drawn(widget.page)


def plain(text):
    return text.replace("\u00a0", " ")


def fact(widget, name):
    return plain(widget.locator(".course-facts div").filter(has_text=name).locator("dd").inner_text())


def words(widget):
    return plain(widget.locator(".course-words").inner_text())


def spoken(widget):
    return plain(widget.locator("[role=status]").inner_text())


def middle(part):
    """Where a part of the page is, for the pointer."""
    box = part.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, part, right, down):
    x, y = middle(part)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right / 2, y + down / 2)
    page.mouse.move(x + right, y + down)
    page.mouse.up()


def plays(page, root):
    """Have the page watch for its widget to play; gives a function that waits for it."""
    return passes(page, f"[...document.querySelectorAll('{root} button')].some(each => each.textContent === 'Pause')")


def pictures(widget):
    """What stands on the widget's canvases."""
    drawn(widget.page)
    return widget.evaluate("root => [...root.querySelectorAll('canvas')].map(canvas => canvas.toDataURL())")


# ------------------------------------------------------------------------------------------------ for everyone
def assert_it_fits_a_phone(page, widget):
    """The page does not scroll sideways, and a finger finds everything."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    sizes = widget.locator(TARGETS).evaluate_all(
        "all => all.filter(x => x.checkVisibility()).map(x => x.getBoundingClientRect()).map(b => "
        "Math.min(b.width, b.height))"
    )
    assert min(sizes) >= 24


def in_scheme(page, root, scheme):
    """The page light or dark, and the widget with it."""
    page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
    page.wait_for_function(
        "([root, scheme]) => document.querySelector(root).dataset.courseTheme === scheme", arg=[root, scheme]
    )


def assert_it_is_accessible(page, root):
    assert barriers(page, context=root) == []
    assert page.locator(f"{root} canvas:not([aria-hidden=true], [role=img])").count() == 0
