"""A picture of boxes and arrows, laid out on a grid that is written as text.

Three parts, with a line `---` between them. First the grid: a line a row, a name a cell, `.` where there is nothing; a
name in several cells is a box as wide. A second grid after an empty line is for narrow screens. Then the boxes: a kind
(KINDS), and its names with their labels, `h1="h_1"`; a label breaks at \\n, and _ and ^ set an index lower or higher.
Then the steps: a sentence, ` :: `, and what it draws:

    The encoder reads word by word. :: x1->h1 x2->h2 h1->h2{state}

A box belongs to the first step that names it; one that none names, to the first. Arrows: `->`; `=>` a stream that flows
on; `~>` a question; `--` no head; `_>` leaves sideways; `.>` goes straight there. After a last `---` a line an arrow
says what it stands for.
"""

import html
import math
import re
import shlex
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

SIGNS = {"dot": "", "add": "+", "mul": "⊙"}  # in a circle
RADIUS = {"dot": 3, "add": 12, "mul": 12}
KINDS = {"token", "state", "look", "dense", "norm", *SIGNS}
SIZE, PAD, ROW, BETWEEN, LEAST, EDGE = (
    15,
    10,
    34,
    28,
    40,
    5,
)  # pixels: letters, room beside them, a row, between rows, a box, the rim
ACROSS, CLOSE = 22, 12  # between columns; where the screen is narrow
SHAPE = 7.6  # a letter of an arrow's label, which are all as wide
NARROW = 340  # pixels: what a phone of 375 leaves
LINES = {"=>": "stream", "~>": "asks", "->": "", "--": "", "_>": "", ".>": ""}
CHAIN = re.compile(r"([a-z]+\d*)|(=>|~>|->|--|_>|\.>)|\{([^}]*)\}")
# Widths of Helvetica, and so of Arial, Arimo and Liberation Sans, in thousandths of the size
WIDTHS = {letter: width for width, letters in {
    191: "'", 222: "ijl", 260: "|", 278: " !,./:;I[]\\ft", 333: "()-r`·", 389: "*", 500: "Jckstvxyz",
    556: "0123456789#$?abdeghnopquLé…", 584: "+<=>~−×", 611: "FTZ",
    667: "ABEKPSVXY&", 722: "CDHNRUw", 778: "GOQ", 833: "Mm", 889: "%", 944: "W", 1000: "→←↑↓",
}.items() for letter in letters}  # fmt: skip
PART = re.compile(r"([^_^]+)|([_^])(\{[^}]*\}|\w)")


def parts(label: str) -> list[tuple[str, str]]:
    """A label's pieces, each with "", "_" or "^"."""
    return [(plain or low.strip("{}"), mark) for plain, mark, low in PART.findall(label)]


def width(label: str) -> float:
    return sum(
        SIZE * (0.72 if mark else 1) * sum(WIDTHS.get(letter, 600) for letter in text) / 1000
        for text, mark in parts(label)
    )


def letters(label: str, x: float, y: float, more: str = "") -> str:
    """SVG text at a place. An index moves the line, and a space of no width moves it back."""
    text = "".join(
        (
            f'<tspan dy="{4 if mark == "_" else -5}" font-size="72%">{html.escape(piece)}</tspan><tspan '
            f'dy="{-4 if mark == "_" else 5}">\u200b</tspan>'
        )
        if mark
        else html.escape(piece)
        for piece, mark in parts(label)
    )
    return f'<text x="{x:.0f}" y="{y:.0f}"{more}>{text}</text>'


@dataclass
class Box:
    left: float
    top: float
    right: float
    bottom: float

    @property
    def x(self) -> float:
        return (self.left + self.right) / 2

    @property
    def y(self) -> float:
        return (self.top + self.bottom) / 2

    def is_crossed(self, one: tuple, other: tuple) -> bool:
        (x0, x1), (y0, y1) = (sorted(pair) for pair in zip(one, other, strict=True))
        return self.left < x1 and x0 < self.right and self.top < y1 and y0 < self.bottom


@dataclass
class Arrow:
    start: str
    end: str
    line: str
    label: str
    step: int


class Diagram:
    """A grid, its boxes, its arrows in steps. ValueError names what is wrong in `source`."""

    def __init__(self, source: str) -> None:
        given = re.split(r"\n---\n", source.strip())
        if len(given) not in (3, 4):
            raise ValueError(f"a diagram has a grid, boxes and steps, with --- between them, got {len(given)} parts")
        self.grids = [[line.split() for line in grid.split("\n")] for grid in given[0].split("\n\n")]
        self.kind, self.label = {}, {}
        for kind, *named in (shlex.split(line) for line in given[1].split("\n")):
            if kind not in KINDS:
                raise ValueError(f"a box is one of {', '.join(sorted(KINDS))}, got {kind!r}")
            for name, _, label in (each.partition("=") for each in named):
                self.kind[name], self.label[name] = kind, label.split("\\n") if label else []
        for grid in self.grids:
            if wrong := {name for row in grid for name in row} - {"."} ^ set(self.kind):
                raise ValueError(f"in a grid or among the boxes only: {', '.join(sorted(wrong))}")
        self.steps, self.arrows, self.born = [], [], {}
        for number, line in enumerate(given[2].split("\n"), 1):
            said, _, drawn = line.partition(" :: ")
            self.steps.append(said.strip())
            for chain in re.findall(r"(?:\{[^}]*\}|\S)+", drawn):
                self._chain(chain, number)
        self.legend = [line.split(" ", 1) for line in given[3].split("\n")] if len(given) == 4 else []

    def _chain(self, chain: str, step: int) -> None:
        """`a->b{what}=>c`: an arrow from a to b with a label, and one from b to c. A name alone belongs to the step."""
        names, lines, labels = [], [], {}
        if left := CHAIN.sub("", chain):
            raise ValueError(
                f"an arrow takes names of small letters and a number, and {', '.join(filter(None, LINES))}, "
                f"got {left!r} in {chain!r}"
            )
        for name, line, label in CHAIN.findall(chain):
            if name:
                names.append(name)
                self.born.setdefault(name, step)
            elif line:
                lines.append(line)
            else:
                labels[len(lines) - 1] = label
        if unknown := [name for name in names if name not in self.kind]:
            raise ValueError(f"an arrow names {unknown[0]!r}, which is no box")
        self.arrows += [
            Arrow(start, end, lines[i], labels.get(i, ""), step) for i, (start, end) in enumerate(pairwise(names))
        ]

    # ------------------------------------------------------------------------------------------------ places
    def _need(self, name: str) -> float:
        if self.kind[name] in RADIUS:
            return 2 * RADIUS[self.kind[name]]
        return max(LEAST, max(map(width, self.label[name])) + 2 * PAD)

    def places(self, grid: list[list[str]]) -> dict[str, Box]:
        across = CLOSE if grid is not self.grids[0] else ACROSS
        cells = defaultdict(list)
        for r, row in enumerate(grid):
            for c, name in enumerate(row):
                if name != ".":
                    cells[name].append((r, c))
        columns = max(map(len, grid))
        wide = [0.0] * columns
        for name, at in sorted(cells.items(), key=lambda item: len({c for _, c in item[1]})):
            span = sorted({c for _, c in at})
            lack = self._need(name) - sum(wide[c] for c in span) - across * (len(span) - 1)
            for c in span:
                wide[c] += max(0.0, lack) / len(span)
        high = [
            max(
                [ROW + 17 * (len(self.label[name]) - 1) for name in row if name != "." and self.label[name]], default=16
            )
            for row in grid
        ]
        left = [EDGE + sum(wide[:c]) + across * c for c in range(columns)]
        top = [EDGE + sum(high[:r]) + BETWEEN * r for r in range(len(grid))]
        boxes = {}
        for name, at in cells.items():
            rows, span = sorted({r for r, _ in at}), sorted({c for _, c in at})
            box = Box(left[span[0]], top[rows[0]], left[span[-1]] + wide[span[-1]], top[rows[-1]] + high[rows[-1]])
            half = self._need(name) / 2
            if len(span) == 1:
                box.left, box.right = box.x - half, box.x + half
            if self.kind[name] in RADIUS:
                box.left, box.right, box.top, box.bottom = box.x - half, box.x + half, box.y - half, box.y + half
            boxes[name] = box
        return boxes

    # ------------------------------------------------------------------------------------------------ arrows
    def _way(self, arrow: Arrow, one: Box, other: Box) -> list[list[float]]:
        """The corners of an arrow, before arrows that share a port are spread."""
        up = other.y < one.y
        leaves, enters = (one.top, other.bottom) if up else (one.bottom, other.top)
        if arrow.line == ".>":
            return [[one.x, leaves], [other.x, enters]]
        if one.top < other.bottom and other.top < one.bottom:  # beside each other
            y = min((one, other), key=lambda box: box.bottom - box.top).y
            return [[one.right, y], [other.left, y]] if other.x > one.x else [[one.left, y], [other.right, y]]
        inner = min((one, other), key=lambda box: box.right - box.left)
        outer = other if inner is one else one
        if outer.left <= inner.x <= outer.right:  # one above the other
            return [[inner.x, leaves], [inner.x, enters]]
        if self.kind[arrow.end] in RADIUS:  # into its side
            return [[one.x, leaves], [one.x, other.y], [other.right if one.x > other.x else other.left, other.y]]
        if arrow.line == "_>" or self.kind[arrow.start] in RADIUS:
            return [[one.right if other.x > one.x else one.left, one.y], [other.x, one.y], [other.x, enters]]
        level = enters + (BETWEEN / 2 if up else -BETWEEN / 2)  # between the last two rows
        return [[one.x, leaves], [one.x, level], [other.x, level], [other.x, enters]]

    def ways(self, boxes: dict[str, Box]) -> list[list[list[float]]]:
        """The corners of all arrows. Those that meet at one point of a side are moved apart along it, in the order from
        which they come."""
        ways = [self._way(arrow, boxes[arrow.start], boxes[arrow.end]) for arrow in self.arrows]
        meet = defaultdict(list)
        for i, way in enumerate(ways):
            for end, name in ((0, self.arrows[i].start), (-1, self.arrows[i].end)):
                if self.kind[name] not in RADIUS and self.arrows[i].line != ".>":
                    meet[name, *map(round, way[end])].append((i, end))
        for group in meet.values():
            if len(group) == 1:
                continue
            i, end = group[0]
            along = (
                0 if ways[i][end][0] == ways[i][1 if end == 0 else -2][0] else 1
            )  # an arrow that is upright moves sideways
            far = sorted(group, key=lambda each: ways[each[0]][-1 if each[1] == 0 else 0][along])
            for place, (i, end) in enumerate(far):
                self._shift(ways[i], end, along, 10 * (place - (len(far) - 1) / 2))
        for arrow, way in zip(self.arrows, ways, strict=True):
            for one, other in pairwise(way):
                for name, box in boxes.items():
                    if name not in (arrow.start, arrow.end) and self.kind[name] != "dot" and box.is_crossed(one, other):
                        raise ValueError(
                            f"the arrow from {arrow.start} to {arrow.end} runs through {name}: move a name in the grid"
                        )
        return ways

    @staticmethod
    def _shift(way: list[list[float]], end: int, along: int, by: float) -> None:
        """Move one end, and with it the piece of the way that leads there."""
        way[end][along] += by
        way[1 if end == 0 else -2][along] += by

    @staticmethod
    def _label(way: list[list[float]]) -> tuple[float, float, bool]:
        """Where an arrow's label stands: beside its longest piece, or above it, where that is level."""
        (x0, y0), (x1, y1) = max(pairwise(way), key=lambda piece: math.dist(*piece))
        level = y0 == y1
        return (x0 + x1) / 2 + (0 if level else 7), (y0 + y1) / 2 + (-6 if level else 4), level

    def size(self, boxes: dict[str, Box]) -> tuple[float, float]:
        """Width and height of the picture, with its labels."""
        right = max(box.right for box in boxes.values())
        for arrow, way in zip(self.arrows, self.ways(boxes), strict=True):
            if arrow.label:
                x, _, level = self._label(way)
                right = max(right, x + SHAPE * len(arrow.label) / (2 if level else 1))
        return right + EDGE, max(box.bottom for box in boxes.values()) + EDGE

    def _drawn(self, arrow: Arrow, way: list[list[float]]) -> str:
        (px, py), (ex, ey) = way[-2:]
        length = math.hypot(ex - px, ey - py)
        ux, uy = (ex - px) / length, (ey - py) / length
        head = (
            ""
            if arrow.line == "--"
            else (
                f'<path class="course-dg-head" d="M{ex:.1f} {ey:.1f}l{-8 * ux - 4 * uy:.1f} '
                f'{-8 * uy + 4 * ux:.1f}l{8 * uy:.1f} {-8 * ux:.1f}z"/>'
            )
        )
        corners = [*way[:-1], [ex - 6 * ux, ey - 6 * uy] if head else [ex, ey]]
        path = f"M{corners[0][0]:.1f} {corners[0][1]:.1f}"
        for before, (x, y), after in zip(corners, corners[1:-1], corners[2:], strict=False):  # each corner is rounded
            (ax, ay), (bx, by) = (toward((x, y), place) for place in (before, after))
            path += f"L{ax:.1f} {ay:.1f}Q{x:.1f} {y:.1f} {bx:.1f} {by:.1f}"
        path += f"L{corners[-1][0]:.1f} {corners[-1][1]:.1f}"
        label = ""
        if arrow.label:
            x, y, level = self._label(way)
            label = letters(arrow.label, x, y, ' class="course-dg-shape"' + (' text-anchor="middle"' if level else ""))
        kind = f" course-dg-{LINES[arrow.line]}" if LINES[arrow.line] else ""
        return f'<g class="course-dg-arrow{kind}" data-step="{arrow.step}"><path d="{path}"/>{head}{label}</g>'

    def _box(self, name: str, box: Box, more: str = "") -> str:
        kind, lines = self.kind[name], self.label[name]
        if kind in RADIUS:
            shape = f'<circle cx="{box.x:.1f}" cy="{box.y:.1f}" r="{RADIUS[kind]}"/>' + (
                letters(SIGNS[kind], box.x, box.y + 5) if SIGNS[kind] else ""
            )
        else:
            shape = (
                f'<rect x="{box.left:.1f}" y="{box.top:.1f}" width="{box.right - box.left:.1f}" '
                f'height="{box.bottom - box.top:.1f}" rx="7"/>'
            )
            shape += "".join(
                letters(line, box.x, box.y + 5 + 17 * (i - (len(lines) - 1) / 2)) for i, line in enumerate(lines)
            )
        return (
            f'<g class="course-dg-box course-dg-{kind}{more}" data-name="{name}" '
            f'data-step="{self.born.get(name, 1)}">{shape}</g>'
        )

    def svg(self, grid: list[list[str]], title: str, steps: str, more: str = "", lit: set[str] | None = None) -> str:
        """The picture on one of `grids`; `steps` is the id of the list that describes it. lit: the boxes that are
        strong, where not all are."""
        boxes = self.places(grid)
        wide, high = self.size(boxes)
        drawn = [self._drawn(arrow, way) for arrow, way in zip(self.arrows, self.ways(boxes), strict=True)]
        drawn += [
            self._box(name, box, "" if lit is None or name in lit else " course-dg-pale") for name, box in boxes.items()
        ]
        size = f'viewBox="0 0 {wide:.0f} {high:.0f}" style="max-width:{wide:.0f}px"'
        described = f' aria-describedby="{steps}"' if steps else ""
        return (
            f'<svg class="course-dg{more}" {size} role="img" '
            f'aria-label="{html.escape(title)}"{described}>{"".join(drawn)}</svg>'
        )

    def pictures(self, title: str, steps: str) -> str:
        """One picture, or one for broad and one for narrow screens. ValueError where a phone would have to shrink
        it."""
        if (narrow := self.size(self.places(self.grids[-1]))[0]) > NARROW:
            raise ValueError(
                f"on a phone a diagram is at most {NARROW} pixels wide, got {narrow:.0f}: write a second, narrower grid"
            )
        names = [
            "" if len(self.grids) == 1 else f" course-dg-{'narrow' if i else 'broad'}" for i in range(len(self.grids))
        ]
        return "".join(self.svg(grid, title, steps, more) for grid, more in zip(self.grids, names, strict=True))

    def key(self) -> str:
        """What the kinds of lines stand for, if the source says it."""

        def sample(line: str) -> str:
            kind = f" course-dg-{LINES[line]}" if LINES[line] else ""
            return (
                f'<svg class="course-dg-sample" viewBox="0 0 34 10" aria-hidden="true"><g '
                f'class="course-dg-arrow{kind}"><path d="M1 5L26 5"/><path class="course-dg-head" d="M32 5l-8 '
                f'-4l0 8z"/></g></svg>'
            )

        return "".join(
            f'<span class="course-dg-key">{sample(line)} {html.escape(said)}</span>' for line, said in self.legend
        )


def toward(corner: tuple, place: list[float], radius: float = 6) -> tuple[float, float]:
    """The point `radius` away from a corner on the way to a place, or half-way if that is nearer."""
    (x, y), (px, py) = corner, place
    length = abs(px - x) + abs(py - y)
    share = min(radius, length / 2) / length if length else 0
    return x + (px - x) * share, y + (py - y) * share
