"""Exercises on paper: a sheet a chapter, chapters/NN/exercise_sheet.html, with room for answers; and the answers, for whom it may concern.

A card's texts are written here as forms.js writes them, its options in the same order; so what a class calls b is b in the page too. The
book publishes the sheets; the answers are made by `python -m tools.book.answers` and stay with the teacher.
"""

import html
import re
from pathlib import Path

from . import questions, timetable

HERE = Path(__file__).parent
LETTERS = "abcdefgh"
LETTER = "0-9A-Za-zÀ-ÖØ-öø-ÿͰ-Ͽℓ"
MARK = re.compile(r"`(?P<code>[^`]+)`|\*\*(?=\S)(?P<strong>[^*]*[^*\s])\*\*|\*(?=[^\s*])(?P<em>[^*]*[^*\s])\*|(?P<br>\n)")
INDEX = re.compile(rf"(?<![{LETTER}_\"'.])([A-Za-zͰ-Ͽ])_(?:\{{([^{{}}\n]+)\}}|([{LETTER}]{{1,2}}(?:,[{LETTER}])?)(?![{LETTER}_]))")
LINES = {"function": 8, "arrange": 0, "choice": 0, "false_line": 2, "control": 0, "value": 3, "formula": 3, "sketch": 0}  # to write on


def indexed(text: str) -> str:
    return INDEX.sub(lambda found: f"{found[1]}<sub>{found[2] or found[3]}</sub>", html.escape(text, quote=False))


def rich(text: str) -> str:
    """A card's text as HTML: its marks, and indices of single letters outside code."""
    found, end = [], 0
    for match in MARK.finditer(text):
        kind = match.lastgroup
        inner = html.escape(match["code"], quote=False) if kind == "code" else indexed(match[kind])
        found += [indexed(text[end : match.start()]), "<br>" if kind == "br" else f"<{kind}>{inner}</{kind}>"]
        end = match.end()
    return "".join([*found, indexed(text[end:])])


def shown(id: str, texts: list[str]) -> list[str]:
    """The options in the order in which the card shows them: by their FNV-1a hash (`shown` in widgets/exercise/check.js)."""

    def place(text: str) -> int:
        bits = 0x811C9DC5
        for byte in f"{id}\n{text}".encode():
            bits = (bits ^ byte) * 0x01000193 % 2**32
        return bits

    return sorted(texts, key=place)


def steps(spec: dict) -> list[str]:
    """The steps of a proof as the card shows them first: shuffled, and never right already."""
    texts, own = shown(spec["id"], [step["text"] for step in spec["steps"]]), spec["steps"]
    early = any(texts.index(own[used]["text"]) > texts.index(step["text"]) for step in own for used in step["uses"])
    return texts if early else texts[::-1]


def options(spec: dict) -> list[tuple[str, str]]:
    """What is to be chosen from, ordered or held fixed: each text with what stands before it."""
    texts = [each["text"] for each in spec.get("options", [])]
    if spec["kind"] in ("choice", "choose"):
        return list(zip(LETTERS, shown(spec["id"], texts), strict=False))
    if spec["kind"] in ("arrange", "order"):
        return [("□", text) for text in (steps(spec) if "steps" in spec else shown(spec["id"], [text for text, _ in spec["things"]]))]
    return [(str(i) if spec["kind"] == "false_line" else "□", text) for i, text in enumerate(texts, 1)]


def axes(spec: dict) -> str:
    """Empty axes for a curve, with the places at which its height counts."""
    x, low, high = spec["x"], spec["low"], spec["high"]
    at = lambda place: 60 + 420 * (place - x[0]) / (x[-1] - x[0])  # noqa: E731
    ticks = "".join(
        f'<path d="M{at(place):.0f} 20V200"/><text x="{at(place):.0f}" y="216" text-anchor="middle">{place:g}</text>' for place in x
    )
    heights = "".join(f'<text x="52" y="{y}" text-anchor="end">{value:g}</text>' for value, y in ((high, 25), (low, 204)))
    words = html.escape(f"Axes: {spec['y_title']} from {low:g} to {high:g} over {spec['x_title']}")
    return (
        f'<svg class="sheet-axes" viewBox="0 0 500 250" role="img" aria-label="{words}">{ticks}<path class="sheet-frame" d="M60 20V200H480"/>{heights}'
        f'<text x="270" y="240" text-anchor="middle">{html.escape(spec["x_title"])}</text><text x="60" y="12">{html.escape(spec["y_title"])}</text></svg>'
    )


def question(spec: dict) -> str:
    """The exercise as it is asked, without room for its answer."""
    listed = "".join(f"<li><span>{mark}</span> {rich(text)}</li>" for mark, text in options(spec))
    body = f'<ul class="sheet-options">{listed}</ul>' if listed else ""
    if spec["kind"] == "function":
        calls = "".join(f"<li><code>{html.escape(case['call'])}</code> =</li>" for case in spec["cases"])
        body = f'<pre>{html.escape(spec["starter"])}</pre><p>By hand:</p><ul class="sheet-options">{calls}</ul>'
    elif spec["kind"] in ("sketch", "curve"):
        body = axes(spec)
    return f'<p class="sheet-question">{rich(spec["question"])}</p>{body}'


def room(spec: dict) -> str:
    """Lines to write on, and where the answer goes."""
    given = {
        "value": f"Answer: {'_' * 12} {spec.get('unit', '')}",
        "formula": f"{spec.get('left', '')} = {'_' * 30}",
        "false_line": f"Line {'_' * 4}, because",
    }
    told = f'<p class="sheet-answer">{indexed(given[spec["kind"]])}</p>' if spec["kind"] in given else ""
    return '<div class="sheet-line"></div>' * LINES[spec["kind"]] + told


def answer(spec: dict) -> str:
    """What is right and why, what goes wrong and how, the hints."""
    kind, right = spec["kind"], ""
    if kind in ("choice", "false_line", "control"):
        by_text = {each["text"]: each for each in spec["options"]}
        for mark, text in options(spec):
            sign, style = ("✓", ' class="sheet-right"') if by_text[text]["correct"] else ("✗", "")
            right += f"<li{style}><span>{sign} {mark.strip('□')}</span> {rich(text)} <em>{rich(by_text[text]['reason'])}</em></li>"
        right = f'<ul class="sheet-options">{right}</ul>'
    elif kind == "value":
        right = f"<p><strong>{html.escape(spec['shown'])}</strong> ({html.escape(spec['within'])})</p>"
    elif kind == "formula":
        right = f"<p><strong>{html.escape(spec['left'])} = {html.escape(spec['answer'])}</strong></p>"
    elif kind == "function":
        calls = "".join(
            f"<li><code>{html.escape(case['call'])}</code> = {', '.join(f'{x:.6g}' for x in case['expected'])}</li>"
            for case in spec["cases"]
        )
        right = f'<ul class="sheet-options">{calls}</ul>'
    elif kind == "arrange":
        right = "<ol>" + "".join(f"<li>{rich(step['text'])} <em>{rich(step['why'])}</em></li>" for step in spec["steps"]) + "</ol>"
    elif kind == "sketch":
        right = (
            f"<p>Heights at {', '.join(f'{x:g}' for x in spec['x'])}: <strong>{', '.join(f'{y:.3g}' for y in spec['curve'])}</strong></p>"
        )
    solved = f"<pre>{html.escape(spec['solution'])}</pre>" if kind == "function" else f"<p>{rich(spec['solution'])}</p>"
    hints = "".join(f"<li>{rich(hint)}</li>" for hint in spec["hints"])
    return f"{right}{solved}{mistakes(spec)}<details open><summary>Hints</summary><ol>{hints}</ol></details>"


def mistakes(spec: dict) -> str:
    """The wrong answers that the card knows, and what it says to them."""
    listed = []
    for each in spec.get("mistakes", []):
        wrong, hint = each if isinstance(each, list) else (each.get("text", ""), each["hint"])
        typed = wrong if isinstance(wrong, str) else f"{wrong:g}"
        listed.append("<li>" + (f"<code>{html.escape(typed)}</code>: " if typed else "") + rich(hint) + "</li>")
    return f"<p>Usual mistakes:</p><ul>{''.join(listed)}</ul>" if listed else ""


def page(title: str, body: str, style: str) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">'
        f"<title>{html.escape(title)}</title>{style}</head><body><h1>{html.escape(title)}</h1>{body}</body></html>\n"
    )


def exercises(pages: list[questions.Page], write) -> str:
    """Every exercise of a chapter, numbered through, under the titles of its pages; `write(spec)` is what stands below the number."""
    found, number = [], 0
    for each in pages:
        found.append(f"<h2>{rich(each.title)}</h2>")
        for asked in each.questions:
            number += 1
            found.append(
                f'<section class="sheet-exercise" id="{asked.id}"><p class="sheet-number">{number}</p>{write(asked.spec)}</section>'
            )
    return "".join(found)


def sheet(caption: str, pages: list[questions.Page], style: str) -> str:
    head = '<p class="sheet-name">Name: ____________________ Date: ____________</p><p>Every exercise checks itself in the page of its title, where hints and a solution are.</p>'
    return page(f"{caption}: exercises", head + exercises(pages, lambda spec: question(spec) + room(spec)), style)


def address(folder: str) -> str:
    """Where the sheet of the chapter in chapters/FOLDER lies in the built book."""
    return f"chapters/{folder}/exercise_sheet.html"


def numbers(folder: str) -> dict[str, tuple[int, int]]:
    """Path of a page of chapters/FOLDER → its first and its last exercise on the sheet."""
    found, number = {}, 0
    for each in (page for pages in questions.parts(timetable.ROOT).values() for page in pages if page.path.startswith(f"chapters/{folder}/")):
        found[each.path] = (number + 1, number + len(each.questions))
        number += len(each.questions)
    return found


def spans(numbered: list[tuple[int, int]]) -> str:
    """The numbers in words, neighbours joined: 1–9, 14."""
    joined = []
    for first, last in sorted(numbered):
        if joined and joined[-1][1] + 1 == first:
            first = joined.pop()[0]
        joined.append((first, last))
    return ", ".join(f"{first}" if first == last else f"{first}–{last}" for first, last in joined)


def publish(app, exception) -> None:
    if exception is not None or app.builder.format != "html":
        return
    style = f'<style>@import url("../../_static/course/letters.css");\n{(HERE / "static" / "sheet.css").read_text(encoding="utf-8")}</style>'
    for caption, pages in questions.parts(timetable.ROOT).items():
        if pages[0].path.startswith("chapters/"):
            target = Path(app.outdir) / address(pages[0].path.split("/")[1])
            target.write_text(sheet(caption, pages, style), encoding="utf-8")


def setup(app):
    app.connect("build-finished", publish, priority=960)  # when the pages are as they will be
