"""The book's colours are told apart by everyone: distances in Lab, as seen by four kinds of eyes."""

import re
from itertools import combinations

import numpy as np
import pytest

from course_lib.palette import ABOVE, BELOW, BLANK, COLOURS, DASHES, SYMBOLS
from tests.shared.pages import ROOT

# Machado, Oliveira & Fernandes (2009), severity 1, on linear RGB.
EYES = {
    "trichromat": np.eye(3),
    "protanope": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranope": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanope": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)  # of sRGB, D65
WHITE = np.array([0.95047, 1.0, 1.08883])
APART = 12  # of CIE 1976; 2.3 is just seen side by side


def linear(colour: str) -> np.ndarray:
    """ "#rrggbb" or "#rgb" as linear RGB."""
    digits = colour.lstrip("#")
    digits = "".join(2 * d for d in digits) if len(digits) == 3 else digits
    c = np.array([int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)])
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(colour: str, eye: str = "trichromat") -> np.ndarray:
    x = XYZ @ np.clip(EYES[eye] @ linear(colour), 0, 1) / WHITE
    f = np.where(x > 216 / 24389, np.cbrt(x), (24389 / 27 * x + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(a: str, b: str) -> float:
    """WCAG's contrast ratio."""
    dark, light = sorted(float(XYZ[1] @ linear(colour)) for colour in (a, b))
    return (light + 0.05) / (dark + 0.05)


def style(theme: str) -> dict[str, str]:
    """The colours of the widgets' style: name → #rrggbb."""
    light, dark = re.findall(
        r"--course-ground: #.*?\}|--course-ground: #.*?color-scheme",
        (ROOT / "course_lib/widgets/drawing/ui.css").read_text(),
        re.S,
    )
    return dict(re.findall(r"--course-(\w+): (#\w+)", {"light": light, "dark": dark}[theme]))


def test_the_measure_itself():
    """Known values: sRGB red in Lab; white looks white to every eye; red and green of equal lightness meet for a
    deuteranope."""
    np.testing.assert_allclose(lab("#ff0000"), [53.24, 80.09, 67.20], atol=0.05)
    for eye in EYES:
        np.testing.assert_allclose(lab("#ffffff", eye), [100, 0, 0], atol=0.3)
    assert contrast("#000000", "#fff") == pytest.approx(21)
    seen = [np.linalg.norm(lab("#b05040", eye) - lab("#60802f", eye)) for eye in ("trichromat", "deuteranope")]
    assert seen[0] > 4 * seen[1]


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_widgets_colours_are_apart_and_readable(theme, eye):
    colours = style(theme)
    for a, b in combinations(("orange", "blue", "green", "purple"), 2):
        assert np.linalg.norm(lab(colours[a], eye) - lab(colours[b], eye)) > APART, (a, b)
    for name in ("orange", "blue", "green", "purple", "accent", "soft", "ink"):
        assert min(contrast(colours[name], colours[ground]) for ground in ("ground", "fill")) >= 4.5, name
    assert contrast(colours["edge"], colours["ground"]) >= 3  # what bounds a control


@pytest.mark.parametrize("eye", EYES)
def test_figures_colours_are_apart_and_never_alone(eye):
    for a, b in combinations(COLOURS, 2):
        assert np.linalg.norm(lab(a, eye) - lab(b, eye)) > APART, (a, b)
    assert (
        len(set(DASHES[: len(COLOURS)])) == len(set(SYMBOLS[: len(COLOURS)])) == len(COLOURS)
    )  # a line's dashes and a point's form tell it, too


def test_maps_have_one_rule_in_figures_and_widgets_light_and_dark():
    """Python's figures, the book's script that turns them dark, and the widgets' maps name the same colours."""
    ramps = (ROOT / "course_lib/widgets/drawing/colours.js").read_text(encoding="utf-8")
    light, dark = (
        dict(re.findall(r"(\w+): \[([\d, ]+)\]", re.search(rf"  {theme}: \{{(.*?)\}}", ramps)[1]))
        for theme in ("light", "dark")
    )
    named = {"none": BLANK, "above": ABOVE, "below": BELOW}
    assert {name: "#" + "".join(f"{int(c):02x}" for c in light[name].split(",")) for name in named} == named
    page = (ROOT / "book/_ext/course_book/static/figures.js").read_text(encoding="utf-8")
    assert dict(re.findall(r'"(#\w+)": \[([\d, ]+)\]', page)) == {named[name]: dark[name] for name in named}
