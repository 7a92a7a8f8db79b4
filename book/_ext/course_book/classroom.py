"""A class without a server: {classroom}, where a teacher pastes the codes of her class's predictions and sees what was predicted; below it
stand all predictions of the book, chapter by chapter, with the signs that their codes begin with.

A code is made by the prediction's card (`code` in widgets/exercise/prediction_check.js); static/classroom.js reads it. Nothing is sent.
"""

import html
import re

from .practice import ROOT, Box, data
from .questions import Page, parts

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def short(id: str) -> str:
    """Four letters that stand for an id: the end of its FNV-1a hash, to base 36."""
    bits, letters = 0x811C9DC5, ""
    for byte in id.encode():
        bits = (bits ^ byte) * 0x01000193 % 2**32
    for _ in range(4):
        bits, digit = divmod(bits, 36)
        letters = DIGITS[digit] + letters
    return letters


def plain(text: str) -> str:
    """A card's text without its marks."""
    return re.sub(r"[*`]", "", text)


class Classroom(Box):
    def run(self):
        self.note()
        asked, listed = {}, ""
        for page in (each for pages in parts(ROOT).values() for each in pages):
            for each in page.predictions:
                texts = [option["text"] for option in each.spec.get("options", [])] or [text for text, _ in each.spec.get("things", [])]
                kept = {name: each.spec[name] for name in ("kind", "unit", "x", "low", "high") if name in each.spec}
                if (code := short(each.id)) in asked:
                    raise self.error(f"two predictions have the code {code}: give {each.id} another id")
                asked[code] = {**kept, "question": plain(each.spec["question"]), "texts": [plain(text) for text in texts], "page": page.title}
        for caption, pages in parts(ROOT).items():
            listed += self.listed(caption, pages)
        return self.html(f'<div class="course-classroom"><noscript><p>This needs JavaScript.</p></noscript>{data(asked)}</div>{listed}')

    def listed(self, caption: str, pages: list[Page]) -> str:
        """The predictions of a part in a fold, each with its code's first signs and a link to it; "" for a part without any."""
        rows = ""
        for page in pages:
            home = self.env.app.builder.get_relative_uri(self.env.docname, page.path)
            for each in page.predictions:
                question = html.escape(plain(each.spec["question"]))
                rows += f'<tr><td><code>{short(each.id)}</code></td><td><a href="{home}#{each.anchor}">{html.escape(plain(page.title))}</a>: {question}</td></tr>'
        heads = '<thead><tr><th scope="col">Code</th><th scope="col">Prediction</th></tr></thead>'
        total = sum(len(page.predictions) for page in pages)
        said = f'<summary><span>{html.escape(caption)}</span><span class="course-progress-words">{total} prediction{"" if total == 1 else "s"}</span></summary>'
        return f'<details class="course-progress-part">{said}<table class="table">{heads}<tbody>{rows}</tbody></table></details>' if total else ""


def scripts(app, pagename, templatename, context, doctree):
    if 'class="course-classroom"' in context.get("body", ""):
        app.add_js_file("course/classroom.js", defer="defer", priority=800)


def setup(app):
    app.add_directive("classroom", Classroom)
    app.connect("html-page-context", scripts)
