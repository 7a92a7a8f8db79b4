"""What keeps a reader out of a page, by axe."""

from pathlib import Path

from axe_playwright_python.base import AXE_SCRIPT

WCAG = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}  # all that depends on the scheme
OURS = Path(__file__).with_name("barriers.js").read_text(encoding="utf-8")


def barriers(page, rules: dict | None = WCAG, context=None) -> list[list[str]]:
    """Rule and element of all that axe finds wrong in the page, or in the part that `context` names as axe takes it.

    `rules` None: all that axe has, those among them that are good manners only.
    """
    options = {"preload": {"assets": ["media"]}}  # style sheets are read by rules on trial only
    if rules:
        options["runOnly"] = rules
    return asked(page, "find", options, context)


def plain(page, looks: set[str] = frozenset()) -> None:
    """Take out what axe would spend most of its time on: the inside of formulas, figures and code, thousands of pieces
    in the same few colours.

    From then on it judges the colours of a few texts of each look, and of none whose look is among `looks`.
    """
    asked(page, "plain", sorted(looks))


def judged(page) -> list[str]:
    """The looks of all texts that were judged since the page was made plain, and of those that need not be."""
    return page.evaluate("[...barriers.seen]")


def asked(page, name: str, *arguments):
    """The answer of a function of barriers.js, which is brought into the page with axe if they are not there yet."""
    if not page.evaluate("'barriers' in globalThis"):
        page.evaluate(AXE_SCRIPT)
        page.add_script_tag(content=OURS)
    return page.evaluate(f"arguments => barriers.{name}(...arguments)", list(arguments))
