"""The teacher's desk: what a class needs, with addresses, from the table of contents and the pages' own minutes.

    {kit} 03_transformer    a chapter: its pages with slides, exercises and predictions, its sheet, its labs, and a plan for two weeks
    {syllabus} 8            a course of so many weeks, as book/data/syllabi.yml lists its pages
    {ways}                  ways through for a class, with their hours and the pages that they need beside them
    {own-copy} lab          where the course's repository is had, and the commands: make env, then make with each argument

The weeks are cut where the longest of them is as short as it can be.
"""

import html
import re
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import yaml

from tools.repository import Repository

from . import sheets, timetable
from .launch import NOTEBOOKS, commands
from .practice import Box
from .sheets import address as sheet_address
from .slides import address as slides_address
from .timetable import NBSP, ROOT, in_hours, minutes, parts

SOURCE = ROOT / "book" / "data" / "syllabi.yml"
EITHER = re.compile(r"(\[[^\]]*\]\([^)]*\)) or \[[^\]]*\]\([^)]*\)")


class Lesson(NamedTuple):
    """A page or a lab as a teacher plans with it."""

    path: str
    title: str
    minutes: float
    exercises: int  # of a lab, with what only its notebook checks
    predictions: int
    need: str  # in MyST, with links from the book's front matter

    @property
    def lab(self) -> bool:
        return self.path.startswith("labs/")


def lessons() -> dict[str, Lesson]:
    """Every page with a frame, by its path, in the order of the book."""
    pages = (each for listed in parts().values() for each in listed)
    return {each.path: Lesson(each.path, each.title, minutes(each.takes), each.exercises, each.predictions, each.need) for each in pages}


def labs_of(folder: str) -> list[Lesson]:
    """The labs of the chapter in chapters/FOLDER: they share its number."""
    return [each for each in lessons().values() if each.path.startswith(f"labs/{folder[:2]}_")]


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
    labs = [f"lab {each.path.removeprefix('labs/')}" for each in labs_of(folder)]
    return listed(plans()["core"].get(folder, [folder, *labs]))


def beside(plan: list[Lesson]) -> dict[str, list[str]]:
    """Path of a page that the plan does not have → the plan's pages that ask for it, in the order of the book. The primers are for the week before.

    Of "[this] or [that]" neither is missing where the plan has one, and the first where it has none.
    """
    own, found = {each.path for each in plan}, {}
    for each in plan:
        need = EITHER.sub(lambda pair: "" if own & set(timetable.wants(pair[0])) else pair[1], each.need)
        for path in timetable.wants(need):
            if path not in own and not path.startswith("chapters/00_primer/"):
                found.setdefault(path, []).append(each.path)
    return {path: found[path] for path in lessons() if path in found}


def in_turn(plan: list[Lesson]) -> list[Lesson]:
    """All pages that the plan's pages need and it does not have, and those that these need."""
    known, own = lessons(), list(plan)
    while more := beside(own):
        own += [known[path] for path in more]
    return own[len(plan) :]


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
            counted = f"{several(exercises, 'exercise')}{' with the checks of the lab' if any(each.lab for each in week) else ''}, {several(predictions, 'prediction')}"
            rows.append(
                f"<li><p><strong>Week {number}</strong>, about {in_hours(sum(each.minutes for each in week) / 60)}: {counted}</p><ul>{''.join(map(self.line, week))}</ul></li>"
            )
        return f'<ol class="course-syllabus">{"".join(rows)}</ol>'

    def needs(self, plan: list[Lesson]) -> str:
        """What the plan needs and does not have, with who asks; "" for nothing."""
        known, wanted = lessons(), beside(plan)
        if not wanted:
            return ""
        listed = "".join(
            f"<li>{self.link(path, known[path].title)}, for {', '.join(self.link(each, known[each].title.removeprefix('Lab: ')) for each in by)}</li>"
            for path, by in wanted.items()
        )
        more = in_turn(plan)
        turn = f"With all that these ask for in turn it is {several(len(more), 'page')}, about {in_hours(sum(each.minutes for each in more) / 60)}. "
        return f"<p>What its pages need beside it, the primers apart. {turn if len(more) > len(wanted) else ''}Let the class know, or read:</p><ul>{listed}</ul>"


class Ways(Desk):
    required_arguments = 0

    def run(self):
        self.note()
        found = []
        for way in plans()["ways"]:
            plan = listed(way["pages"])
            hours = in_hours(sum(each.minutes for each in plan) / 60)
            found.append(
                f"<li><p><em>{html.escape(way['name'])}</em> ({html.escape(way['who'])}): {several(len(plan), 'page')}, about {hours}, "
                f"from {self.link(plan[0].path, plan[0].title)} to {self.link(plan[-1].path, plan[-1].title)}.</p>{self.needs(plan)}</li>"
            )
        return self.html(f"<ul>{''.join(found)}</ul>")


class OwnCopy(Desk):
    final_argument_whitespace = True

    def run(self):
        self.note()
        self.env.note_dependency(str(ROOT / "pyproject.toml"))
        repository, targets = Repository.from_environment(), self.arguments[0].split()
        where = (
            f'from <a href="{repository.address}">{repository.address}</a>'
            if repository.known
            else "the folder or the archive that you were given (this site names no address)"
        )
        first = commands(repository).rsplit("\n", 1)[0]
        lines = html.escape("\n".join([first, *(f"make {each}" for each in targets)]))
        return self.html(
            f"<p>It takes a copy of the course's repository, {where}, and in its folder these commands:</p><pre><code>{lines}</code></pre>"
        )


class Syllabus(Desk):
    def run(self):
        self.note()
        count = int(self.arguments[0])
        try:
            plan = listed(plans()["courses"][count])
        except (KeyError, ValueError) as wrong:
            raise self.error(f"syllabus takes a number of weeks that {SOURCE.name} knows, got {self.arguments[0]}: {wrong}") from None
        hours = sum(each.minutes for each in plan) / 60
        said = f"<p>{several(sum(not each.lab for each in plan), 'page')} and {several(sum(each.lab for each in plan), 'lab')}, about {hours:.0f} hours, {hours / count:.1f} a week.</p>"
        return self.html(said + self.needs(plan) + self.plan(weeks(plan, count)))


class Kit(Desk):
    def run(self):
        self.note()
        folder = self.arguments[0]
        pages = [each for each in lessons().values() if not each.lab and chapter(each.path) == folder]
        if not pages:
            raise self.error(f"kit takes the folder of a chapter, got {folder!r}")
        numbers = sheets.numbers(folder)
        sheet = f"<p>To print: {self.link(sheet_address(folder), 'the exercise sheet')}, {several(sum(each.exercises for each in pages), 'exercise')} with room for answers; the table says which numbers are whose.</p>"
        rows = [
            (
                self.link(each.path, each.title),
                each.minutes,
                each.exercises,
                each.predictions,
                sheets.spans([numbers[each.path]]),
                self.link(slides_address(each.path), "slides"),
            )
            for each in pages
        ]
        title = f"{several(len(pages), 'page')}, about {in_hours(sum(each.minutes for each in pages) / 60)}"
        table = self.table(title, ("Page", "Minutes", "Exercises", "Predictions", "On the sheet", "Slides"), rows)
        labs = self.table("Labs", ("Lab", "Minutes", "Checks", "Predictions", "Solved", "To grade"), [
            (self.link(each.path, each.title.removeprefix("Lab: ")), each.minutes, each.exercises, each.predictions,
             self.link(f"{NOTEBOOKS}/labs/solutions/{name}.ipynb", "notebook"), f"<code>_build/assignments/{name}.ipynb</code>")
            for each in labs_of(folder) for name in [each.path.removeprefix("labs/")]
        ]) if labs_of(folder) else ""  # fmt: skip
        plan = core(folder) if folder != "00_primer" else []
        return self.html(table + sheet + labs + (self.two_weeks(plan, pages) if plan else ""))

    def table(self, title: str, names: tuple[str, ...], rows: list[tuple]) -> str:
        heads = "".join(f'<th scope="col">{each}</th>' for each in names)
        cells = lambda row: "".join(f"<td>{each:.0f}</td>" if isinstance(each, float) else f"<td>{each}</td>" for each in row)  # noqa: E731
        body = "".join(f'<tr><th scope="row">{first}</th>{cells(others)}</tr>' for first, *others in rows)
        return f'<div class="pst-scrollable-table-container"><table class="table course-kit"><caption>{title}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'

    def two_weeks(self, plan: list[Lesson], pages: list[Lesson]) -> str:
        rest = [each for each in pages if each not in plan]
        left = f"<p>Left for those who want more: {', '.join(self.link(each.path, each.title) for each in rest)}.</p>" if rest else ""
        numbers = sheets.numbers(chapter(pages[0].path))
        printed = f" Of the sheet, the numbers {sheets.spans([numbers[each.path] for each in plan if not each.lab])} belong to the pages of this plan."
        day = f"<p>A day is a page or two: in the lesson the slides with their predictions, as homework the page itself and its exercises. A lab is homework, begun in class.{printed}</p>"
        return f"<p><strong>In two weeks</strong></p>{self.plan(weeks(plan, 2))}{day}{left}"


def setup(app):
    app.add_directive("kit", Kit)
    app.add_directive("ways", Ways)
    app.add_directive("own-copy", OwnCopy)
    app.add_directive("syllabus", Syllabus)
