"""How many words a reader has before her on each built page.

    python -m tools.book.words [FOLDER]            a line a page, and the budgets that are exceeded    (make words)
    python -m tools.book.words --write [FOLDER]    lower the budgets to today's numbers: they only fall

Counted are the words of the article with its folds closed, "open": no code, no output, no table, no card, no caption
and no formula. Beside them what is folded, what stands in captions, in cards (questions, options, hints, solutions)
and in diagrams. A word is a run of letters, with its apostrophes and hyphens.
"""

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path

import lxml.html
import yaml

from tools.book import contents

ROOT = Path(__file__).resolve().parents[2]
BUDGETS = ROOT / "book" / "data" / "word_budgets.yml"
KINDS = ("open", "folded", "captions", "cards", "diagrams")
WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
STATE = re.compile(r"<script[^>]*widget-state\+json[^>]*>(.*?)</script>", re.S)
UNCOUNTED = {"pre", "script", "style", "nav", "table"}
UNCOUNTED_CLASSES = {"highlight", "katex", "math", "headerlink", "cell_output", "course-symbols-here"}
TOLD = ("question", "hints", "solution", "options", "ideas", "steps", "lines", "factors", "mistakes", "reason")


def kind_within(element: lxml.html.HtmlElement, kind: str) -> str:
    """What the words in an element are, which stands in something of this kind; "" where they do not count."""
    classes, parent = set(element.get("class", "").split()), element.getparent()
    if element.tag in UNCOUNTED or classes & UNCOUNTED_CLASSES:
        return ""
    if "course-diagram" in classes:
        return "diagrams"
    if kind == "open" and element.tag in {"figcaption", "caption"}:
        return "captions"
    folds = parent.tag == "details" or "dropdown" in parent.get("class", "").split()
    title = element.tag == "summary" or "admonition-title" in classes
    return "folded" if kind == "open" and folds and not title else kind


def counted(html: str) -> Counter:
    """Kind → words of one page. A page without an article has none."""
    found = Counter(dict.fromkeys(KINDS, 0))

    def walk(element: lxml.html.HtmlElement, kind: str) -> None:
        found[kind] += len(WORD.findall(element.text or ""))
        for child in element:
            inner = kind_within(child, kind) if isinstance(child.tag, str) else ""
            if inner:
                walk(child, inner)
            found[kind] += len(WORD.findall(child.tail or ""))

    for article in lxml.html.fromstring(html).iter("article"):
        walk(article, "open")
    for state in STATE.findall(html):
        for model in json.loads(state)["state"].values():
            spec = model["state"].get("spec") or {}
            found["cards"] += sum(len(WORD.findall(text)) for name in TOLD for text in texts(spec.get(name, "")))
    return found


def texts(value: object) -> list[str]:
    """All texts in a card's part, however deep."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in texts(each)]


def pages(folder: Path) -> dict[str, Counter]:
    """Path of a page, without suffix → its words, in the order of the contents. The reference is made of docstrings."""
    listed = [path for path in contents.pages() if "/reference/" not in path]
    return {path: counted((folder / f"{path}.html").read_text(encoding="utf-8")) for path in listed}


def budgets() -> dict[str, int]:
    return yaml.safe_load(BUDGETS.read_text(encoding="utf-8")) if BUDGETS.exists() else {}


def beyond(found: dict[str, Counter], allowed: dict[str, int]) -> list[str]:
    """What has more open words than its line allows, or no line, in words; and lines of pages that are gone."""
    wrong = [
        f"{path}: {words['open']} open words, at most {allowed.get(path, 'a line in book/data/word_budgets.yml')}"
        for path, words in found.items()
        if words["open"] > allowed.get(path, -1)
    ]
    return wrong + [f"{path}: there is no such page" for path in allowed if path not in found]


def write(found: dict[str, Counter], allowed: dict[str, int]) -> None:
    lines = [f"{path}: {min(words['open'], allowed.get(path, words['open']))}" for path, words in found.items()]
    head = "# Open words that a page may have (make words): a line falls with its page, and rises only for a reason."
    BUDGETS.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "_build" / "html")
    options = parser.parse_args()
    if not options.folder.is_dir():
        parser.error(f"folder must be the built book, got {options.folder}: run `make html`")
    found = pages(options.folder)
    print("  ".join(f"{kind:>8}" for kind in KINDS))
    for path, words in [*found.items(), ("in all", sum(found.values(), Counter()))]:
        print("  ".join(f"{words[kind]:>8,}" for kind in KINDS), f" {path}")
    if options.write:
        write(found, budgets())
    over = beyond(found, budgets())
    print("\n".join(["", *over] if over else []))
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
