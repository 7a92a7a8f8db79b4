"""The teacher's desk: what a class needs, with addresses, from the table of contents and the pages' own minutes.

    {kit} 03_transformer    a chapter: its pages with slides, exercises and predictions, its sheet, its labs, and a plan for two weeks
    {syllabus} 8            a course of so many weeks, as book/data/syllabi.yml lists its pages

The weeks are cut where the longest of them is as short as it can be.
"""

import html
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import yaml

from . import questions
from .practice import Box
from .sheets import address as sheet_address
from .slides import address as slides_address
from .timetable import NBSP, ROOT, asking, in_hours, minutes, parts

SOURCE = ROOT / "book" / "data" / "syllabi.yml"


class Lesson(NamedTuple):
    """A page or a lab as a teacher plans with it."""

    path: str
    title: str
    minutes: float
    exercises: int  # that the page checks
    predictions: int
    need: str  # in MyST, with links from the book's front matter

    @property
    def lab(self) -> bool:
        return self.path.startswith("labs/")


def lessons() -> dict[str, Lesson]:
    """Every page with a frame, by its path, in the order of the book."""
    counted = {each.path: each for pages in questions.parts(ROOT).values() for each in pages}
    found = {}
    for page in (each for listed in parts().values() for each in listed):
        asked = counted.get(page.path)
        found[page.path] = Lesson(
            page.path,
            page.title,
            minutes(page.takes),
            len(asked.questions) if asked else 0,
            len(asked.predictions) if asked else 0,
            page.need,
        )
    return found


def chapter(path: str) -> str:
    """The folder of a page: 03_transformer."""
    return path.split("/")[1]


def listed(steps: list) -> list[Lesson]:
    """The lessons that the steps of syllabi.yml name. ValueError for a step that names none, and for one that comes twice."""
    known, found = lessons(), []
    for step in steps:
        if isinstance(step, list):
            found += listed(step)
            continue
        part, _, last = step.partition(" to ")
        path = f"labs/{step[4:]}" if step.startswith("lab ") else f"chapters/{part}"
        if path in known:
            found.append(known[path])
            continue
        pages = [each for each in known.values() if not each.lab and chapter(each.path) == part]
        ends = [i for i, each in enumerate(pages) if each.path.endswith(f"/{last}")] if last else [len(pages) - 1]
        if not pages or not ends:
            raise ValueError(f"{SOURCE.name}: {step!r} names no page, part or lab")
        found += pages[: ends[0] + 1]
    twice = {each.path for each in found if found.count(each) > 1}
    if twice:
        raise ValueError(f"{SOURCE.name}: {', '.join(sorted(twice))} comes twice")
    return found


def weeks(plan: list[Lesson], count: int) -> list[list[Lesson]]:
    """The plan in `count` weeks, its order kept, the longest as short as possible. ValueError with fewer lessons than weeks."""
    if len(plan) < count:
        raise ValueError(f"count takes at most {len(plan)} weeks, one a lesson, got {count}")

    @cache
    def best(start: int, left: int) -> tuple[float, tuple[int, ...]]:
        """The longest of `left` weeks from `start` on, and where they begin."""
        if left == 1:
            return sum(each.minutes for each in plan[start:]), (start,)
        options, total = [], 0.0
        for end in range(start + 1, len(plan) - left + 2):
            total += plan[end - 1].minutes
            longest, begins = best(end, left - 1)
            options.append((max(total, longest), (start, *begins)))
        return min(options)

    begins = (*best(0, count)[1], len(plan))
    return [plan[begin:end] for begin, end in pairwise(begins)]


def plans() -> dict:
    return yaml.safe_load(SOURCE.read_text(encoding="utf-8"))


def core(folder: str) -> list[Lesson]:
    """What a chapter needs in two weeks: as syllabi.yml says, or all of its pages and its labs."""
    labs = [
        f"lab {each.path.removeprefix('labs/')}" for each in lessons().values() if each.lab and each.path.startswith(f"labs/{folder[:2]}_")
    ]
    return listed(plans()["core"].get(folder, [folder, *labs]))


def assumed(plan: list[Lesson]) -> list[str]:
    """Parts whose pages the plan asks for without having all of them before: what a class is taken to know."""
    given = parts()
    home = {page.path: caption for caption, pages in given.items() for page in pages}
    own, wanted = {each.path for each in plan}, asking(given)
    missing = [other for others in wanted.values() for other, by in others.items() if by & own]
    return [caption for caption in given if caption in missing and not any(home[path] == caption for path in own)]


def several(count: int, one: str) -> str:
    return f"{count}{NBSP}{one}{'' if count == 1 else 's'}"


class Desk(Box):
    required_arguments = 1

    def note(self) -> None:
        super().note()
        for path in (SOURCE, *(ROOT / f"{each}.myst.md" for each in lessons())):
            self.env.note_dependency(str(path))

    def link(self, path: str, words: str) -> str:
        """A link to a page, or with a suffix to a file of the built book."""
        up = "../" * self.env.docname.count("/")
        return f'<a href="{up}{path if "." in path.rsplit("/", 1)[-1] else f"{path}.html"}">{html.escape(words)}</a>'

    def line(self, each: Lesson) -> str:
        more = f" · {self.link(slides_address(each.path), 'slides')}" if not each.lab else ""
        return f"<li>{'Lab: ' if each.lab else ''}{self.link(each.path, each.title.removeprefix('Lab: '))} · {each.minutes:.0f}{NBSP}min{more}</li>"

    def plan(self, cut: list[list[Lesson]]) -> str:
        rows = []
        for number, week in enumerate(cut, 1):
            exercises, predictions = (sum(getattr(each, name) for each in week) for name in ("exercises", "predictions"))
            counted = f"{several(exercises, 'exercise')}, {several(predictions, 'prediction')}"
            rows.append(
                f"<li><p><strong>Week {number}</strong>, about {in_hours(sum(each.minutes for each in week) / 60)}: {counted}</p><ul>{''.join(map(self.line, week))}</ul></li>"
            )
        return f'<ol class="course-syllabus">{"".join(rows)}</ol>'


class Syllabus(Desk):
    def run(self):
        self.note()
        count = int(self.arguments[0])
        try:
            plan = listed(plans()["courses"][count])
        except (KeyError, ValueError) as wrong:
            raise self.error(f"syllabus takes a number of weeks that {SOURCE.name} knows, got {self.arguments[0]}: {wrong}") from None
        before = assumed(plan)
        hours = sum(each.minutes for each in plan) / 60
        known = f" It takes as known what is asked from {' and '.join(html.escape(each) for each in before)}." if before else ""
        said = f"<p>{several(sum(not each.lab for each in plan), 'page')} and {several(sum(each.lab for each in plan), 'lab')}, about {hours:.0f} hours, {hours / count:.1f} a week.{known}</p>"
        return self.html(said + self.plan(weeks(plan, count)))


class Kit(Desk):
    def run(self):
        self.note()
        folder = self.arguments[0]
        pages = [each for each in lessons().values() if not each.lab and chapter(each.path) == folder]
        if not pages:
            raise self.error(f"kit takes the folder of a chapter, got {folder!r}")
        heads = "".join(f'<th scope="col">{each}</th>' for each in ("Page", "Minutes", "Exercises", "Predictions", "Slides"))
        rows = "".join(
            f'<tr><th scope="row">{self.link(each.path, each.title)}</th><td>{each.minutes:.0f}</td><td>{each.exercises}</td><td>{each.predictions}</td>'
            f"<td>{self.link(slides_address(each.path), 'slides')}</td></tr>"
            for each in pages
        )
        sheet = f"<p>To print: {self.link(sheet_address(folder), 'the exercise sheet')}, {several(sum(each.exercises for each in pages), 'exercise')} with room for answers.</p>"
        title = f"{several(len(pages), 'page')}, about {in_hours(sum(each.minutes for each in pages) / 60)}"
        table = f'<div class="pst-scrollable-table-container"><table class="table course-kit"><caption>{title}</caption><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
        labs = "".join(
            f"<li>{self.link(each.path, each.title.removeprefix('Lab: '))} · {each.minutes:.0f}{NBSP}min. Solved: <code>labs/solutions/{each.path.removeprefix('labs/')}.ipynb</code>. "
            f"To grade: <code>_build/assignments/{each.path.removeprefix('labs/')}.ipynb</code></li>"
            for each in lessons().values() if each.lab and each.path.startswith(f"labs/{folder[:2]}_")
        )  # fmt: skip
        plan = core(folder) if folder != "00_primer" else []
        rest = [each for each in pages if each not in plan] if plan else []
        left = f"<p>Left for those who want more: {', '.join(self.link(each.path, each.title) for each in rest)}.</p>" if rest else ""
        two = f"<p><strong>In two weeks</strong></p>{self.plan(weeks(plan, 2))}{left}" if plan else ""
        return self.html(table + sheet + (f"<p><strong>Labs</strong></p><ul>{labs}</ul>" if labs else "") + two)


def setup(app):
    app.add_directive("kit", Kit)
    app.add_directive("syllabus", Syllabus)
