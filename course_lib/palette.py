"""The colours of the course's figures, and black or white on them.

Okabe–Ito for categories, each with dashes and a symbol of its own. A map has one rule, here and in the widgets: blank
is nothing, full is much, blue above zero and orange below; the page of the book turns the blank dark in its dark
scheme. Cividis is for heights, of surfaces. Text and grid are a middle grey that can be read on white and on black.
"""

import numpy as np
from plotly.colors import hex_to_rgb

# Okabe & Ito (2008), without black and without the yellow that cannot be seen on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "cross", "x", "triangle-up")
BELOW, BLANK, ABOVE = "#b34700", "#ffffff", "#005493"
# Five stops of Cividis (Nuñez et al., 2018): dark is low and yellow is high, to every kind of colour vision.
SCALE = ((0.0, "#00224e"), (0.25, "#434e6c"), (0.5, "#7d7c78"), (0.75, "#bcae6c"), (1.0, "#fee838"))
INK = "#767676"
GRID = "rgba(128,128,128,0.3)"


def luminance(colour: tuple[float, float, float]) -> float:
    """WCAG 2.2 relative luminance of an sRGB colour with channels in [0, 255]."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (channel / 255 for channel in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def map_scale(zmin: float, zmax: float) -> list[tuple[float, str]]:
    """Plotly's colour scale of a map whose entries lie in [zmin, zmax]: the larger side is full at its end, the other
    as much as it reaches."""
    if zmin >= 0:
        return [(0.0, BLANK), (1.0, ABOVE)]
    most, values = max(-zmin, abs(zmax)), [zmin, *([0.0] if zmax > 0 else []), zmax]
    return [
        ((value - zmin) / (zmax - zmin), _mixed(BLANK, ABOVE if value > 0 else BELOW, abs(value) / most))
        for value in values
    ]


def _mixed(start: str, end: str, share: float) -> str:
    return "#" + "".join(
        f"{round(a + share * (b - a)):02x}" for a, b in zip(hex_to_rgb(start), hex_to_rgb(end), strict=True)
    )


def text_colour(part: float, scale: list[tuple[float, str]]) -> str:
    """Black or white on a map's colour at `part` in [0, 1] of its scale: at least 4.5 : 1, since √21 > 4.5."""
    places, colours = zip(*scale, strict=True)
    channels = zip(*(hex_to_rgb(colour) for colour in colours), strict=True)
    shade = luminance(tuple(float(np.interp(part, places, channel)) for channel in channels))
    return "#fff" if 1.05 / (shade + 0.05) > (shade + 0.05) / 0.05 else "#000"
