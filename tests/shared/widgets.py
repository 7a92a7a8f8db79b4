"""What browser tests do with a widget: serve a page of it, press its buttons, move its dials, and wait for what its root says of it."""

import threading
from contextlib import contextmanager

from playwright.sync_api import expect

from tests.shared.pages import HANG, drawn


@contextmanager
def served(folder):
    """The address of folder/page.html (see tests/shared/widget_page.py), as long as it is served."""
    from tools.book.serve import server

    pages = server(folder)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/page.html"
    pages.shutdown()


def is_busy(widget, busy):
    """Wait until the picture of the widget's settings is still to come, or is there."""
    expect(widget).to_have_attribute("aria-busy", str(busy).lower())


def reaches(widget, name, test, milliseconds=HANG):
    """Wait until the widget's data-<name> passes a test, written in JavaScript of x."""
    widget.evaluate(
        """(root, [name, test, ms]) => new Promise((done, fail) => {
             const passes = new Function("x", `return ${test}`), end = Date.now() + ms;
             const look = () => passes(root.dataset[name]) ? done()
               : Date.now() > end ? fail(Error(`${name} stayed ${root.dataset[name]}, wanted ${test}`)) : setTimeout(look, 20);
             look();
           })""",
        [name, test, milliseconds],
    )


def press(widget, name):
    widget.get_by_role("button", name=name, exact=True).press("Enter")
    drawn(widget.page)


def slider(widget, name):
    return widget.locator(".course-slider").filter(has_text=name).locator("input")


def number(widget, name):
    """A number that the widget's root carries as data-<name>."""
    return float(widget.get_attribute(f"data-{name}"))


def hide(page, hidden):
    """Put the page into a hidden tab, or back."""
    page.evaluate("hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true }); document.dispatchEvent(new Event('visibilitychange')); }", hidden)
