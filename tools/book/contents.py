"""The table of contents and the pages' sources, read in one place.

A page is named by its path below the root, without suffix: "chapters/02_attention/scores". Its source is MyST,
`.myst.md` where it is executed and `.md` where it is not; what it has put out stands in the notebook beside it.
"""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tools.repository import ROOT

TOC = ROOT / "_toc.yml"
CHAPTER = re.compile(r"chapters/(\d\d)_")


@cache
def toc() -> dict[str, Any]:
    return yaml.safe_load(TOC.read_text(encoding="utf-8"))


def parts() -> dict[str, list[str]]:
    """Caption of a part → its pages, in order."""
    return {part["caption"]: [each["file"] for each in part["chapters"]] for part in toc()["parts"]}


def pages() -> list[str]:
    """All pages, the title page first."""
    return [toc()["root"], *(page for listed in parts().values() for page in listed)]


@cache
def places() -> dict[str, tuple[int, int]]:
    """Each page of a chapter → the chapter's number, and the page's own in it."""
    found, counts = {}, Counter()
    for page in pages():
        if chapter := CHAPTER.match(page):
            counts[chapter[1]] += 1
            found[page] = (int(chapter[1]), counts[chapter[1]])
    return found


def source(page: str) -> Path:
    """FileNotFoundError where there is no such page."""
    for path in (ROOT / f"{page}.myst.md", ROOT / f"{page}.md"):
        if path.exists():
            return path
    raise FileNotFoundError(f"no page {page}")


def text(page: str) -> str:
    return source(page).read_text(encoding="utf-8")


def has_notebook(page: str, root: Path = ROOT) -> bool:
    return (root / f"{page}.ipynb").exists()


def notebook(page: str, root: Path = ROOT) -> dict[str, Any]:
    """The executed notebook, as JSON."""
    return json.loads((root / f"{page}.ipynb").read_text(encoding="utf-8"))
