"""Practice: old questions asked again at a chapter's start, and the reader's progress, all of it kept in the reader's
browser.

    {recall}            a folded box that asks questions from the parts before this page's part
    {recall} all        the same from every chapter
    {progress}          what was solved, page by page, and what is next; filled in by progress.js

The questions of each part travel as one file of `_static/data/`, by content key, and are fetched when a box is opened.
Under the heading of a page's exercises stands a line with how many of them are solved.
"""

import html
import json
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from tools.book import contents

from . import live
from .questions import OUTSIDE, alone, parts

ROOT = Path(__file__).resolve().parents[3]
HOME = "book/progress"  # the page with {progress}
BUNDLE = ROOT / "course_lib" / "widgets" / "dist"
SCRIPTS = {"recall": ("schedule", "recall"), "progress": ("schedule", "progress_file", "next_page", "progress")}


@cache
def pools() -> dict[str, tuple[str, str, list[str]]]:
    """Caption of a chapter → (content key, what a box needs to ask its questions as JSON, their ids)."""
    found = {}
    for caption, pages in parts(ROOT).items():
        if caption not in OUTSIDE:
            asked = [
                {"page": f"{each.path}.html#{question.anchor}", "title": each.title, "spec": question.spec}
                for each in pages for question in each.questions if alone(question.spec)
            ]  # fmt: skip
            text = json.dumps(asked, ensure_ascii=False, separators=(",", ":"))
            found[caption] = (live.content_key(text.encode()), text, [each["spec"]["id"] for each in asked])
    return found


def card() -> dict[str, str]:
    """The exercise card's front end, as a widget's state names it: by content key."""
    return {
        name: "course:" + live.content_key((BUNDLE / f"exercise.{kind}").read_bytes())
        for name, kind in (("_esm", "js"), ("_css", "css"))
    }


def before(path: str) -> list[dict]:
    """The pools of the parts that come before this page's part; of all parts for another page."""
    order = list(pools())
    home = next((caption for caption, pages in parts(ROOT).items() if any(each.path == path for each in pages)), None)
    earlier = order[: order.index(home)] if home in order else order
    return [{"caption": caption, "key": pools()[caption][0], "ids": pools()[caption][2]} for caption in earlier]


def data(value: object) -> str:
    """JSON for a script element."""
    text = json.dumps(value, ensure_ascii=False).replace("</", "<\\/")
    return f'<script type="application/json">{text}</script>'


class Box(SphinxDirective):
    """A directive whose result depends on every notebook."""

    def note(self) -> None:
        for path in (contents.TOC, *(ROOT / f"{each.path}.ipynb" for pages in parts(ROOT).values() for each in pages)):
            self.env.note_dependency(str(path))

    def html(self, text: str) -> list[nodes.Node]:
        return [nodes.raw("", text, format="html")]


class Recall(Box):
    optional_arguments = 1
    has_content = True  # what a notebook shows in its place; the page has the box

    def run(self):
        self.note()
        which = self.arguments == ["all"]
        asked = before("" if which else self.env.docname)
        if self.arguments not in ([], ["all"]) or not asked:
            raise self.error(
                "recall asks questions from the parts before this page's; for every part, write: recall all"
            )
        where = asked[0]["caption"] if len(asked) == 1 else f"{asked[0]['caption']} to {asked[-1]['caption']}"
        title = (
            "Practise now: three questions from the chapters"
            if which
            else "Before you go on: three questions from before"
        )
        return self.html(
            f'<details class="course-recall"><summary><span class="course-recall-title">{title}</span>'
            f'<span class="course-recall-state">From: {html.escape(where)}.</span></summary>'
            "<noscript><p>These questions need JavaScript.</p></noscript>"
            f'<div class="course-recall-body"></div>{data({"card": card(), "parts": asked})}</details>'
        )


class Progress(Box):
    def run(self):
        self.note()
        asked = [name for _, _, ids in pools().values() for name in ids]
        out = [
            (
                f'<div class="course-progress"><p class="course-progress-all">The book has '
                f"{sum(len(e.questions) for p in parts(ROOT).values() for e in p)} exercises.</p>"
            )
        ]
        for caption, pages in parts(ROOT).items():
            total = sum(len(each.questions) for each in pages)
            uri = self.env.app.builder.get_relative_uri
            rows = "".join(
                f'<tr data-ids="{" ".join(q.id for q in each.questions)}">'
                f'<th scope="row"><a href="{uri(HOME, each.path)}">{html.escape(each.title)}</a></th>'
                f'<td class="course-progress-words">{len(each.questions)}</td><td '
                f'class="course-progress-bar">{BAR}</td></tr>'
                for each in pages
            )
            out.append(
                f'<details class="course-progress-part"><summary><span>{html.escape(caption)}</span><span '
                f'class="course-progress-words">{total} exercises</span>{BAR}</summary>'
                f'<table><thead><tr><th scope="col">Page</th><th '
                f'scope="col">Exercises</th><td></td></tr></thead><tbody>{rows}</tbody></table></details>'
            )
        out.insert(1, '<p class="course-progress-next"></p>')
        foretold = [each.id for pages in parts(ROOT).values() for page in pages for each in page.predictions]
        boxes = "".join(f'<div class="course-progress-{name}"></div>' for name in ("foretold", "recall", "file"))
        out.append(f"{boxes}{data({'asked': asked, 'predictions': foretold})}</div>")
        return self.html("".join(out))


# solved, tried; the words beside it say the same
BAR = '<span class="course-bar" aria-hidden="true"><i></i><i></i></span>'


def count(app, doctree, docname):
    """The line under the heading of the exercises, where the page has one, else at its end."""
    page = next((each for pages in parts(ROOT).values() for each in pages if each.path == docname), None)
    if page is None or app.builder.format != "html":
        return
    total = len(page.questions)
    line = nodes.raw("", (
        f'<p class="course-tally" data-ids="{" ".join(each.id for each in page.questions)}"><span>{total} '
            f'exercise{"s" if total > 1 else ""} on this page</span>'
        f' · <a href="{app.builder.get_relative_uri(docname, HOME)}">your progress</a></p>'
    ), format="html")  # fmt: skip
    titles = [each for each in doctree.findall(nodes.title) if isinstance(each.parent, nodes.section)]
    heading = next((each for each in titles if each.astext() == "Exercises"), None)
    if heading is None:
        titles[0].parent.append(line)
    else:
        heading.parent.insert(1 + heading.parent.index(heading), line)


def scripts(app, pagename, templatename, context, doctree):
    """The boxes' scripts, on pages that have a box."""
    body = context.get("body", "")
    wanted = dict.fromkeys(name for box, names in SCRIPTS.items() if f'class="course-{box}"' in body for name in names)
    for name in wanted:
        app.add_js_file(f"course/{name}.js", defer="defer", priority=800)


def publish(app, exception):
    if exception is None and app.builder.format == "html":
        folder = Path(app.outdir) / "_static" / "data"
        for _, text, _ in pools().values():
            live.deliver(folder, live.content_key(text.encode()), text)
        style, code = ((BUNDLE / f"exercise.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
        live.deliver(folder, live.content_key(code.encode()), code, style)


def fresh(app):
    """What was read for an earlier build in this process may have changed."""
    parts.cache_clear()
    pools.cache_clear()


def setup(app):
    app.add_directive("recall", Recall)
    app.add_directive("progress", Progress)
    app.connect("builder-inited", fresh)
    app.connect("doctree-resolved", count)
    app.connect("html-page-context", scripts)
    app.connect("build-finished", publish)
    for name in ("memory", "records", "practice"):
        app.add_js_file(f"course/{name}.js", defer="defer", priority=700)
    app.add_css_file("course/practice.css")
