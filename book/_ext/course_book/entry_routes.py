"""`{route}`: a way into the book, as a few pages in order with their times, and the title page's own style.

    ```{route} You have never seen attention
    Words about it, in MyST.
    - book/how_to_read
    - chapters/03_transformer/attention
    ```

Times are those of the pages' frames; a page without one is for looking things up.
"""

import os
import re

from docutils import nodes

from tools.book import contents

from .timetable import HOME, NBSP, _FromPages, minutes, page

TITLE = re.compile(r"^# (.+)$", re.M)


def of(path: str) -> tuple[str, float | None]:
    """A page's title and its minutes, None where it states no time. FileNotFoundError where there is no such page."""
    text = contents.text(path)
    if "**It takes**" in text:
        framed = page(path)
        return framed.title, minutes(framed.takes)
    return TITLE.search(text)[1], None


def in_all(times: list[float | None]) -> str:
    """The sum in words, to five minutes, so that whoever adds up the list comes to it."""
    hours, rest = divmod(5 * round(sum(time for time in times if time is not None) / 5), 60)
    said = "about " + " ".join(
        [f"{hours} {'hour' if hours == 1 else 'hours'}"] * (hours > 0) + [f"{rest} minutes"] * (rest > 0)
    )
    return said if None not in times else f"{said}, and what you look up"


class Route(_FromPages):
    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        self.pages()  # its times change with theirs
        steps = [line[2:].strip() for line in self.content if line.startswith("- ")]
        words = [line for line in self.content if not line.startswith("- ")]
        try:
            found = [(path, *of(path)) for path in steps]
        except FileNotFoundError as wrong:
            raise self.error(f"route {self.arguments[0]!r}: {wrong}") from None
        title = nodes.rubric("", self.arguments[0], classes=["course-route-title"])
        listed = [
            f"1. [{name}]({os.path.relpath(path, HOME)}){f'{NBSP}· {time:g}{NBSP}min' if time is not None else ''}"
            for path, name, time in found
        ]
        time = nodes.paragraph("", f"{in_all([time for *_, time in found])}", classes=["course-route-time"])
        return [nodes.container("", title, *self.markdown([*words, "", *listed]), time, classes=["course-route"])]


def style(app, pagename, templatename, context, doctree):
    if pagename == app.config.root_doc:
        app.add_css_file("course/title.css")


def setup(app):
    app.add_directive("route", Route)
    app.connect("html-page-context", style)
