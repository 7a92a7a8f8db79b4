"""The surface: what its state holds and refuses, and its geometry, contours, scales and words against NumPy."""

import json
import math

import numpy as np
import pytest

from course_lib.widgets.surface import Surface
from tests.shared.graph_node import call, js
from tests.shared.refusals import refused

X, Y = np.linspace(-1, 1, 5), np.linspace(0, 3, 4)
BOWL = X**2 + (Y[:, None] - 1) ** 2 + 0.5  # [4, 5]


def made(heights=BOWL, *axes, **more):
    return Surface(heights, *axes, **{"description": "a bowl", **more})


def data_of(widget):
    return json.loads(widget._data[widget.data_keys["heights"]])


SCALES = js("drawing/scale.js")
PARTS = {
    "see": lambda azimuth, elevation, points: [
        js("surface/geometry.js").camera(azimuth, elevation)(*point) for point in points
    ],
    "parts": lambda range_, log, values: [SCALES.partOf(range_, log)(value) for value in values],
    "heights": lambda range_, log, parts: [SCALES.heightOf(range_, log)(part) for part in parts],
    "written": lambda field, name, value: js("surface/index.js").codecs(field)[name].write(value),
    "linked": lambda field, name, text: js("surface/index.js").codecs(field)[name].read(text),
    **{name: js("surface/geometry.js")[name] for name in ("farFirst", "heightAt", "hit")},
    **{name: SCALES[name] for name in ("ranges", "ticks", "digits", "colour")},
    **{name: js("surface/words.js")[name] for name in ("extremes", "markerWords", "rangeWords")},
    "contour": js("surface/contour.js").contour,
}


def ask(*questions):
    return call(*(PARTS[name](*given) for name, *given in questions))


# ---- Python
def test_heights_travel_as_data_with_holes_and_the_marker_stands_lowest():
    z = BOWL.copy()
    z[0, 0] = math.nan
    widget = made({"one": z, "two": 2 * z}, X, Y, paths={"two": [[0, 0], [0.5, 3]]})
    data = data_of(widget)
    assert [field["name"] for field in data["fields"]] == ["one", "two"] and data["paths"] == [[], [[0, 0], [0.5, 3]]]
    assert data["fields"][0]["z"][0][0] is None
    np.testing.assert_allclose(np.array(data["fields"][1]["z"][1:]), 2 * z[1:], rtol=1e-4)
    assert widget.marker == [1, 2]  # x = 0, y = 1
    assert data["x"] == X.tolist() and data["y"] == Y.tolist()


def test_one_field_needs_no_name_and_axes_count_by_default():
    widget = made(BOWL.tolist(), paths=np.array([[4, 3.0]]))
    assert data_of(widget)["x"] == [0, 1, 2, 3, 4] and data_of(widget)["paths"] == [[[4, 3]]]


def test_several_sets_of_heights_travel_with_their_words():
    sets = {"one": [BOWL, BOWL + 1], "two": [BOWL * 2, BOWL * 3]}
    widget = made(sets, X, Y, choices={"1": "first", "2": "second"}, choice=1)
    data = data_of(widget)
    assert [each[:2] for each in data["choices"]] == [["1", "first"], ["2", "second"]] and widget.choice == 1
    for k, (_, _, heights) in enumerate(data["choices"]):
        for z, expected in zip(heights, sets.values(), strict=True):
            np.testing.assert_allclose(z, expected[k], rtol=1e-4)
    assert "choices" not in data_of(made())
    refused(lambda **more: made(sets, choices={"1": "", "2": ""}, **more), "choice", 2)
    with pytest.raises(ValueError, match=r"^log must be False"):
        made(
            {"one": [BOWL, BOWL - 1]}, choices={"1": "", "2": ""}, log=True
        )  # a height of a set that is not shown first
    for heights in (BOWL, {"one": [BOWL]}, {"one": [BOWL] * 3}):
        with pytest.raises(
            ValueError,
            match=r"^heights must be a mapping of one or two names to arrays with one field for each of the 2 choices",
        ):
            made(heights, choices={"1": "", "2": ""})


BAD_ARGUMENTS = [
    *(("heights", heights) for heights in (
        [1, 2], "z", [[1, 2]], {}, {"a": BOWL, "b": BOWL[1:]}, {"": BOWL}, {1: BOWL}, dict.fromkeys("abc", BOWL), [[1,
        math.inf], [1, 1]],
        np.full((3, 3), np.nan), np.ones((82, 3)),
    )),
    ("x", [0, 1]), ("x", [0, 1, 2, 3, 3]), ("x", [0, 1, 2, 3, math.nan]), ("y", "0123"),
    *(("paths", paths) for paths in ([[0, 9]], [[0, math.nan]], [0, 1], np.empty((0, 2)), {"c": [[0, 0]]}, [[0, 0,
    0]])),
    ("description", " "), ("z_name", ""), ("title", 3),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BAD_ARGUMENTS)
def test_a_wrong_argument_is_named(name, value):
    with pytest.raises(ValueError, match=f"^{name} must "):
        made(**{name: value})


def test_paths_over_two_fields_are_named():
    with pytest.raises(ValueError, match=r"^paths must be a mapping from 'a' or 'b'"):
        made({"a": BOWL, "b": BOWL}, paths=[[0, 0]])


@pytest.mark.parametrize("value", [(4, 0), (0, -1), [0], (0.0, 1), None])
def test_a_wrong_marker_is_named_and_changes_nothing(value):
    refused(
        made, "marker", value, as_argument=value is not None
    )  # given to the constructor, None is the default marker


def test_logarithms_need_heights_above_zero():
    assert made(log=True).log is True
    with pytest.raises(ValueError, match=r"^log must be False where a height is ≤ 0"):
        made(BOWL - 0.5, log=True)


# ---- JavaScript
@pytest.mark.parametrize(("azimuth", "elevation"), [(0, 30), (-35, 30), (130, 60), (90, 5), (-170, 90)])
def test_the_camera_is_a_turn_and_a_tilt(azimuth, elevation):
    points = np.random.default_rng(0).uniform(-1, 1, (6, 3))
    a, e = np.radians([azimuth, elevation])
    about_z = np.array(
        [[np.cos(a), np.sin(a), 0], [-np.sin(a), np.cos(a), 0], [0, 0, 1]]
    )  # the reader's right and the far side become x and y
    about_right = np.array([[1, 0, 0], [0, np.sin(e), np.cos(e)], [0, -np.cos(e), np.sin(e)]])
    [seen] = ask(["see", azimuth, elevation, points.tolist()])
    np.testing.assert_allclose(seen, points @ (about_right @ about_z).T, atol=1e-12)


@pytest.mark.parametrize("azimuth", range(-180, 180, 20))
def test_far_cells_are_painted_first(azimuth):
    rows, columns = 3, 4
    [order] = ask(["farFirst", rows, columns, azimuth])
    centre = lambda i, j: [2 * (j + 0.5) / columns - 1, 2 * (i + 0.5) / rows - 1, 0]
    cells = [centre(i, j) for i in order["rows"] for j in order["columns"]]
    [seen] = ask(["see", azimuth, 30, cells])
    near = np.array(seen)[:, 2].reshape(rows, columns)
    assert (np.diff(near, axis=1) > -1e-12).all() and (np.diff(near, axis=0) > -1e-12).all()


def test_heights_between_points_are_bilinear():
    axes = {"x": X.tolist(), "y": Y.tolist()}
    plane = 2 * X + 3 * Y[:, None] + X * Y[:, None]
    points = [(-1, 0), (0.3, 1.7), (1, 3), (-0.62, 2.2)]
    got = ask(*(["heightAt", axes, plane.tolist(), *point] for point in points))
    assert got == pytest.approx([2 * x + 3 * y + x * y for x, y in points])
    holed = plane.tolist()
    holed[0][0] = None
    assert ask(["heightAt", axes, holed, -0.9, 0.1], ["heightAt", axes, holed, 0.1, 0.1])[0] is None


def test_a_click_finds_the_nearest_point_to_the_reader():
    points = [[[0, 0, 1], [10, 0, 2]], [[0, 1, 5], None]]
    assert ask(["hit", points, 0, 0.4, 5], ["hit", points, 9, 0, 5], ["hit", points, 50, 50, 5]) == [
        [1, 0],
        [0, 1],
        None,
    ]


def test_contours_lie_on_the_level_and_close_round_a_bowl():
    side, radius = np.linspace(-1, 1, 41), 0.69
    z = side**2 + side[:, None] ** 2
    [pieces] = ask(["contour", {"x": side.tolist(), "y": side.tolist()}, z.tolist(), radius**2])
    ends = np.array(pieces)  # [pieces, 2, 2]
    np.testing.assert_allclose(np.linalg.norm(ends, axis=-1), radius, atol=2e-3)
    assert np.linalg.norm(ends[:, 0] - ends[:, 1], axis=-1).sum() == pytest.approx(2 * math.pi * radius, rel=1e-2)
    _, times = np.unique(ends.reshape(-1, 2).round(9), axis=0, return_counts=True)
    assert (times == 2).all()  # every piece goes on in another one


def test_a_saddle_is_cut_by_its_middle_and_holes_have_no_line():
    unit = {"x": [0, 1], "y": [0, 1]}
    [high, low, holed] = ask(
        ["contour", unit, [[1, 0], [0, 1]], 0.4], ["contour", unit, [[1, 0], [0, 1]], 0.6], ["contour", unit, [[1, 0],
        [0, None]], 0.5],
    )  # fmt: skip

    def corners(pieces):
        return sorted(tuple(np.round(np.mean(piece, axis=0)).astype(int)) for piece in pieces)

    assert corners(high) == [(0, 1), (1, 0)]  # the middle, 0.5, is above: the low corners are cut off
    assert corners(low) == [(0, 0), (1, 1)]
    assert holed == []


def test_scales_common_and_own_linear_and_logarithmic():
    fields = [{"z": [[1, 2], [None, 3]]}, {"z": [[0.1, 10], [5, 5]]}]
    common, own, linear, logarithmic, back, flat = ask(
        ["ranges", fields, "common"], ["ranges", fields, "own"], ["parts", [1, 5], False, [1, 2, 5]], ["parts", [0.1,
        10], True, [0.1, 1, 10]],
        ["heights", [0.1, 10], True, [0, 0.5, 1]], ["parts", [2, 2], False, [2]],
    )  # fmt: skip
    assert common == [[0.1, 10]] * 2 and own == [[1, 3], [0.1, 10]]
    assert (
        linear == [0, 0.25, 1]
        and logarithmic == pytest.approx([0, 0.5, 1])
        and back == pytest.approx([0.1, 1, 10])
        and flat == [0]
    )


@pytest.mark.parametrize(
    ("range_", "log"),
    [((0, 1), False), ((-3.2, 7), False), ((0.01, 5.72), True), ((1.03, 2.8e7), True), ((2, 3), True)],
)
def test_ticks_are_few_and_inside(range_, log):
    [marks] = ask(["ticks", range_, log])
    assert 2 <= len(marks) <= 7 and min(marks) >= range_[0] - 1e-9 and max(marks) <= range_[1] + 1e-9
    steps = np.diff(np.log(marks) if log and range_[1] / range_[0] > 100 else marks)
    assert (steps > 0).all()


def test_numbers_are_written_for_a_reader():
    values = {0: "0", 0.01234: "0.0123", -1.5: "−1.5", 240_000: "2.4·10⁵", 1e-7: "10⁻⁷", 100: "100", 2.30258: "2.3"}
    assert ask(*(["digits", value] for value in values)) == list(values.values())


def test_words_tell_the_marker_and_the_range():
    data = {
        "x": [0, 1],
        "y": [-1, 1],
        "xName": "a",
        "yName": "b",
        "fields": [{"name": "left", "z": [[1, 2], [0.5, None]]}, {"name": "right", "z": [[3, 3], [3, 4]]}],
    }
    marker, lowest, spoken = ask(
        ["markerWords", data, "loss", [1, 1]], ["extremes", data["fields"][0]["z"]], ["rangeWords", data, "loss"]
    )
    assert marker == "At a = 1, b = 1: loss no height left, 4 right."
    assert lowest == {"low": [1, 0], "high": [0, 1]}
    assert spoken.startswith("Left: loss from 0.5 at a = 0, b = 1 to 2 at a = 1, b = −1. Right: loss from 3")


def test_colours_are_those_of_the_other_figures():
    from course_lib.palette import SCALE

    got = ask(*(["colour", part] for part, _ in SCALE))
    assert [f"#{round(r):02x}{round(g):02x}{round(b):02x}" for r, g, b in got] == [text for _, text in SCALE]


def test_links_hold_two_decimals_and_points_of_the_grid():
    field = {"rows": 4, "columns": 5, "positive": False}
    texts = {("azimuth", 33.333): "33.33", ("azimuth", -0.001): "0", ("marker", (2, 3)): "2,3"}
    assert ask(*(["written", field, *setting] for setting in texts)) == list(texts.values())
    read = {
        ("marker", "3,4"): [3, 4],
        ("marker", "4,0"): None,
        ("marker", "0"): None,
        ("marker", "0,1,2"): None,
        ("log", "0"): False,
        ("log", "1"): None,
    }
    assert ask(*(["linked", field, *text] for text in read)) == list(read.values())
    assert ask(["linked", field | {"positive": True}, "log", "1"]) == [True]
    assert ask(*(["linked", field | {"choices": 3}, "choice", text] for text in ("2", "3", "-1", "1.5", ""))) == [
        2,
        None,
        None,
        None,
        None,
    ]
    assert ask(["linked", field, "choice", "1"]) == [None]  # where there is nothing to choose
