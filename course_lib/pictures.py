"""Drawings that are there at once, lines and points as plain SVG: for a page's first screen, where no script is to be
loaded. Else see `plots`."""

import html
from collections.abc import Mapping, Sequence

import numpy as np

from .palette import COLOURS

WIDTH, HEIGHT, PAD = 640, 300, 14  # of the drawing, in its own units
DASHES = ("", "9 5", "2 4", "12 4 2 4")
MARKS = ("M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0", "M-5-5h10v10h-10z", "M0-7L7 0L0 7L-7 0z")  # circle, square, diamond


class Picture:
    """Paths and dots, each {name: arrays [n, 2]}, on one scale. A name's paths share a colour and a dash, its dots a
    colour and a shape.

    `like` gives a name the colour of another. description: what a reader who cannot see it should know. ValueError
    where nothing is drawn.
    """

    def __init__(
        self, title: str, *, description: str, paths: Mapping[str, Sequence] | None = None, dots: Mapping[str,
        np.ndarray] | None = None,
        like: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.title, self.description = title, description
        self.paths = {name: [np.asarray(path, dtype=float) for path in each] for name, each in (paths or {}).items()}
        self.dots = {name: np.asarray(each, dtype=float) for name, each in (dots or {}).items()}
        every = [*self.dots.values(), *(path for each in self.paths.values() for path in each)]
        if not every:
            raise ValueError("paths or dots must hold something to draw, got neither")
        points = np.concatenate(every)
        self.low, self.span = points.min(0), np.maximum(np.ptp(points, 0), 1e-12)
        names = [name for name in (*self.dots, *self.paths) if name not in (like or {})]
        self.colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(dict.fromkeys(names))}
        self.colours |= {name: self.colours[other] for name, other in (like or {}).items()}

    def places(self, points: np.ndarray) -> np.ndarray:
        """Where points [n, 2] lie in the drawing; upwards is less."""
        x, y = ((points - self.low) / self.span).T
        drawn = np.stack([PAD + x * (WIDTH - 2 * PAD), HEIGHT - PAD - y * (HEIGHT - 2 * PAD)], 1)
        return np.round(drawn + 1e-6, 1)  # points of a grid fall on ties, which rounding would decide

    def __repr__(self) -> str:
        return f"{self.title}. {self.description}"

    def _repr_html_(self) -> str:
        drawn, signs = [], []
        for i, (name, each) in enumerate(self.paths.items()):
            style = (
                f'fill="none" stroke="{self.colours[name]}" stroke-width="2" '
                f'stroke-dasharray="{DASHES[i % len(DASHES)]}"'
            )
            drawn += [f'<path {style} d="M{"L".join(f"{x:g} {y:g}" for x, y in self.places(path))}"/>' for path in each]
            signs.append((name, f'<path {style} d="M0 7h30"/>'))
        for i, (name, each) in enumerate(self.dots.items()):
            mark = f'<path fill="{self.colours[name]}" d="{MARKS[i % len(MARKS)]}" transform="translate({{}} {{}})"/>'
            drawn += [mark.format(f"{x:g}", f"{y:g}") for x, y in self.places(each)]
            signs.append((name, mark.format(15, 7)))
        key = " ".join(
            (
                f'<span style="white-space:nowrap"><svg width="30" height="14" aria-hidden="true">{sign}</svg> '
                f"{html.escape(name)}</span>"
            )
            for name, sign in signs
        )
        frame = (
            f'<rect x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" fill="none" stroke="currentColor" '
            f'stroke-opacity=".3"/>'
        )
        svg = (
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" style="width:100%;height:auto" role="img" '
            f'aria-label="{html.escape(self.description)}">{frame}{"".join(drawn)}</svg>'
        )
        return (
            f'<figure style="margin:0"><p '
            f'style="margin:0"><strong>{html.escape(self.title)}</strong></p>{svg}<p '
            f'style="margin:0">{key}</p></figure>'
        )
