"""A class without a server: {classroom}, where a teacher pastes the codes of her class's predictions and sees what was predicted.

A code is made by the prediction's card (`code` in widgets/exercise/prediction_check.js); static/classroom.js reads it. Nothing is sent.
"""

import re

from .practice import ROOT, Box, data
from .questions import parts

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
        asked = {}
        for page in (each for pages in parts(ROOT).values() for each in pages):
            for each in page.predictions:
                texts = [option["text"] for option in each.spec.get("options", [])] or [text for text, _ in each.spec.get("things", [])]
                kept = {name: each.spec[name] for name in ("kind", "unit", "x", "low", "high") if name in each.spec}
                if (code := short(each.id)) in asked:
                    raise self.error(f"two predictions have the code {code}: give {each.id} another id")
                asked[code] = {**kept, "question": plain(each.spec["question"]), "texts": [plain(text) for text in texts], "page": page.title}
        return self.html(f'<div class="course-classroom"><noscript><p>This needs JavaScript.</p></noscript>{data(asked)}</div>')


def scripts(app, pagename, templatename, context, doctree):
    if 'class="course-classroom"' in context.get("body", ""):
        app.add_js_file("course/classroom.js", defer="defer", priority=800)


def setup(app):
    app.add_directive("classroom", Classroom)
    app.connect("html-page-context", scripts)
