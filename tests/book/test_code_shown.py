"""Code that a reader sees is the idea: at most so wide and so long. Pages that are still to be rewritten stand in a
list that may only shrink."""

import re
from functools import cache

import yaml

from tools.repository import ROOT

WIDE, LONG = 76, 15  # characters of a line, lines of a cell
WAITING = ROOT / "book" / "data" / "long_code.txt"
CELL = re.compile(r"^```\{code-cell\} ipython3\n(.*?)^```$", re.S | re.M)
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell", "solution"}


def shown(text: str) -> list[list[str]]:
    """The lines of each cell whose code a reader of this page meets unfolded."""
    cells = []
    for body in CELL.findall(text):
        head, code = re.match(r"(---\n.*?^---\n|(?::\w+:[^\n]*\n)*)(.*)", body, re.S | re.M).groups()
        if head.startswith("---"):
            tags = (yaml.safe_load(head.strip("-\n")) or {}).get("tags", [])
        else:
            tags = re.findall(r"[\w-]+", " ".join(re.findall(r"^:tags:(.*)$", head, re.M)))
        if not FOLDED & set(tags):
            cells.append(code.strip("\n").split("\n"))
    return cells


@cache
def too_much() -> dict[str, list[str]]:
    """Page → what is too wide or too long on it."""
    found = {}
    for path in sorted(path for folder in ("book", "chapters", "labs") for path in (ROOT / folder).rglob("*.myst.md")):
        name = path.relative_to(ROOT).as_posix().removesuffix(".myst.md")
        for cell in shown(path.read_text()):
            wrong = [f"{len(line)} characters: {line}" for line in cell if len(line) > WIDE]
            if wrong or len(cell) > LONG:
                found.setdefault(name, []).extend(wrong or [f"{len(cell)} lines: {cell[0]}"])
    return found


def test_a_page_that_has_been_rewritten_shows_short_code():
    waiting = WAITING.read_text().split()
    assert {page: wrong for page, wrong in too_much().items() if page not in waiting} == {}


def test_no_page_waits_that_need_not():
    assert [page for page in WAITING.read_text().split() if page not in too_much()] == []


def test_folded_code_is_not_judged_and_shown_code_is():
    page = "```{code-cell} ipython3\n%s" + "x = 1\n" * 16 + "```\n"
    heads = (
        "",
        ":tags: [evidence]\n",
        ":tags: [hide-input, evidence]\n",
        "---\ntags: [hide-input]\nmystnb:\n  code_prompt_show: Setup\n---\n",
    )
    assert [len(shown(page % head)) for head in heads] == [1, 1, 0, 0] and len(shown(page % heads[1])[0]) == 16
