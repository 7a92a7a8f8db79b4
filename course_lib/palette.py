"""The colours of the course's figures, and black or white on them.

Okabe–Ito for categories, each with dashes and a symbol of its own; Cividis for heatmaps. Text and grid are a middle grey that can be
read on white and on black.
"""

import numpy as np
from plotly.colors import hex_to_rgb

# Okabe & Ito (2008), without black and without the yellow that cannot be seen on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "cross", "x", "triangle-up")
# Five stops of Cividis (Nuñez et al., 2018): dark is little and yellow is much, to every kind of colour vision.
SCALE = ((0.0, "#00224e"), (0.25, "#434e6c"), (0.5, "#7d7c78"), (0.75, "#bcae6c"), (1.0, "#fee838"))
INK = "#767676"
GRID = "rgba(128,128,128,0.3)"


def luminance(colour: tuple[float, float, float]) -> float:
    """WCAG 2.2 relative luminance of an sRGB colour with channels in [0, 255]."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (channel / 255 for channel in colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def text_colour(part: float) -> str:
    """Black or white on the heatmap's colour at `part` in [0, 1] of its scale: at least 4.5 : 1, since √21 > 4.5."""
    places, colours = zip(*SCALE, strict=True)
    channels = zip(*(hex_to_rgb(colour) for colour in colours), strict=True)
    shade = luminance(tuple(float(np.interp(part, places, channel)) for channel in channels))
    return "#fff" if 1.05 / (shade + 0.05) > (shade + 0.05) / 0.05 else "#000"
