"""What tests of a widget's page ask again and again."""

from tests.shared.pages import inaccessible, small_targets

CONTROLS = ["button", "select", "summary", ".course-toggle", ".course-choice label", "input[type=number]", "input[type=range]", ".course-target"]


def holds(page, root: str, **state: object) -> None:
    """Wait until the widget's root has these attributes."""
    for name, value in state.items():
        asked = [root, name, str(value)]
        page.wait_for_function("([root, name, value]) => document.querySelector(root).dataset[name] === value", arg=asked)


def fits(page, root: str, scheme: str) -> None:
    """No barrier in a light or dark page, nothing wider than it, every target large enough for a finger."""
    assert inaccessible(page, scheme, root) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    kinds = ", ".join(f"{kind}:visible" for kind in CONTROLS)
    assert page.locator(f"{root} button:visible").count() and small_targets(page.locator(root), kinds) == []
