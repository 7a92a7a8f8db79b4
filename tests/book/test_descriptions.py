"""The book's pictures in words: each figure says what it shows, no two say the same, and no picture is without
words."""

import json
import re
from collections import Counter

from tests.shared.pages import ROOT, listed

PLOTLY = "application/vnd.plotly.v1+json"
SHORT = 50  # characters: "A line chart of the loss" says nothing yet


def figures():
    """(page, description) of every stored figure."""
    for page in listed():
        path = (ROOT / page).with_suffix(".ipynb")
        if not path.exists():
            continue
        for cell in json.loads(path.read_text())["cells"]:
            for output in cell.get("outputs", []):
                if figure := output.get("data", {}).get(PLOTLY):
                    yield page, figure["layout"].get("meta", {}).get("description", "")


def test_every_figure_says_what_it_shows():
    found = list(figures())
    assert len(found) > 50
    assert [(page, words) for page, words in found if len(words) < SHORT] == []
    with_numbers = [words for _, words in found if re.search(r"\d", words)]
    assert len(with_numbers) > 0.7 * len(found)  # the others tell a form: a diagonal, two words that change places


def test_no_two_figures_of_a_page_say_the_same():
    assert [each for each, times in Counter(figures()).items() if times > 1] == []


def test_every_picture_of_a_page_has_words():
    """Markdown and HTML images in the sources, images among the outputs."""
    silent = []
    for page in listed():
        source = (ROOT / page).with_suffix(".myst.md")
        source = source if source.exists() else source.with_suffix("").with_suffix(".md")
        text = source.read_text() if source.exists() else ""
        silent += [(page, found) for found in re.findall(r"!\[\s*\]\([^)]*\)", text)]
        silent += [(page, tag) for tag in re.findall(r"<img\b[^>]*>", text) if not re.search(r'\balt="[^"]+"', tag)]
        for block in re.findall(r"```\{(?:figure|image)\}[^\n]*\n(?:.*?)```", text, re.DOTALL):
            if not re.search(r"^:alt: \S.{20,}", block, re.MULTILINE):
                silent.append((page, block[:80]))
        for svg in re.findall(r"<svg\b[^>]*>", text):
            if "aria-label" not in svg and "aria-hidden" not in svg:
                silent.append((page, svg[:80]))
    assert silent == []
