"""Figures: scales fixed, colours readable, text alternative, inputs checked."""

import json
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from plotly.colors import hex_to_rgb

from course_lib.palette import COLOURS, SCALE, luminance, map_scale, text_colour
from course_lib.plots import attention_heatmap, bars, heads_heatmap, lines, loss_curve, scatter
from tests.shared.refusals import named
from tests.shared.seeded import rng

TOKENS = ["the", "carpenter", "hammer", "the", "nail"]
WORDS = {"description": "hammer looks at tool"}


def weights(*shape):
    return rng().dirichlet(np.ones(5), size=shape)


def everything():
    """Figures of every kind; where ticks and labels stand is fixed by the pages' stored ones, which nbval compares."""
    x, numbers, pair = np.arange(1, 41), [str(i) for i in range(17)], np.array([[0.5, 0.7], [0.1, 0.2]])
    for n in (16, 17):
        yield heads_heatmap(np.full((2, n, n), 0.1), numbers[:n], numbers[:n], x_title="place", y_title="row", **WORDS)
    whiskers = {"spread": (pair - 0.1, pair + 0.1), "horizontal": True, "y_title": "share"}
    yield bars(pair, ["a", "b"], names=["p", "q"], **whiskers, **WORDS)
    for few in ([4, 64, 16384], [0, 0.1, 12], [2, 6, 12]):
        yield lines(few, {"a": [1, 2, 4]}, log_x=few[0] > 0, log_y=True, **WORDS)
    for low, high in ((1, 1e5), (1, 3), (0.01, 0.09)):
        yield lines(range(1, 30), {"a": np.geomspace(low, high, 29)}, log_x=True, log_y=True, **WORDS)
    yield attention_heatmap(weights(5), TOKENS, TOKENS, **WORDS)
    yield heads_heatmap(weights(4, 5), TOKENS, TOKENS, **WORDS)
    yield bars(weights(2), TOKENS, names=["soft", "sharp"], **WORDS)
    yield lines(x, {"a": np.sqrt(x)}, bands={"a": (np.sqrt(x) - 0.1, np.sqrt(x) + 0.1)}, log_x=True, **WORDS)
    yield loss_curve(1 / x, floor=0.01, **WORDS)
    yield scatter({"a": weights(4)[:, :2], "b": np.eye(2)}, {"a": list("wxyz"), "b": list("uv")}, **WORDS)


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_every_figure_is_transparent_responsive_plain_and_described():
    for figure in everything():
        stored = json.loads(figure.to_json())
        layout = stored["layout"]
        assert layout["meta"]["description"] == WORDS["description"]
        assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == "rgba(0,0,0,0)"
        assert "width" not in layout and "bdata" not in figure.to_json()
        axes = [axis for name, axis in layout.items() if name[1:].startswith("axis")]
        assert axes and all(len(axis["range"]) == 2 for axis in axes)  # no scale is left to plotly


def test_two_heatmaps_share_one_scale_and_keep_their_values():
    one, two = (attention_heatmap(w, TOKENS, TOKENS, **WORDS) for w in (weights(5), np.eye(5)))
    assert one.layout.coloraxis == two.layout.coloraxis and (one.layout.coloraxis.cmin, one.layout.coloraxis.cmax) == (
        0,
        1,
    )
    np.testing.assert_allclose(np.array(one.data[0].z), weights(5), atol=5e-5)
    assert one.data[1].text[1] == f"{weights(5)[0, 1]:.2f}" and (one.data[1].x[1], one.data[1].y[1]) == (1, 0)
    assert list(one.layout.yaxis.range) == [4.5, -0.5]  # the first query on top
    assert list(one.layout.xaxis.ticktext) == TOKENS  # both "the" stay


def test_heads_stand_in_order_with_their_names():
    w = weights(3, 5)
    figure = heads_heatmap(w, TOKENS, TOKENS, names=["x", "y", "z"], **WORDS)
    for head, trace in zip(w, figure.data, strict=True):
        np.testing.assert_allclose(np.array(trace.z), head, atol=5e-5)
    assert [note.text for note in figure.layout.annotations] == ["x", "y", "z"]


@given(st.floats(0, 1), st.sampled_from([(0, 1), (0.2, 3), (-1, 1), (-3, 1), (-1, 3), (-2, -1)]))
def test_numbers_on_cells_can_be_read(part, ends):
    scale = map_scale(*ends)
    places, colours = zip(*scale, strict=True)
    cell = tuple(np.interp(part, places, channel) for channel in zip(*map(hex_to_rgb, colours), strict=True))
    assert contrast(cell, hex_to_rgb("#ffffff" if text_colour(part, scale) == "#fff" else "#000000")) >= 4.5


def test_blank_is_nothing_and_full_the_larger_side():
    assert map_scale(0, 1) == [(0, "#ffffff"), (1, "#005493")] and map_scale(-2, 2) == [
        (0, "#b34700"),
        (0.5, "#ffffff"),
        (1, "#005493"),
    ]
    low, blank, high = map_scale(-1, 4)
    assert (
        blank == (0.2, "#ffffff") and high == (1, "#005493") and low == (0, "#ecd1bf")
    )  # a quarter of the way to orange


def test_luminance_of_known_colours():
    assert luminance((255, 255, 255)) == pytest.approx(1) and luminance((0, 0, 0)) == 0
    assert contrast((255, 255, 255), (118, 118, 118)) == pytest.approx(4.54, abs=0.005)  # the well-known #767676


def test_the_scale_grows_lighter_throughout_and_lines_differ_in_more_than_colour():
    shades = [luminance(hex_to_rgb(colour)) for _, colour in SCALE]
    assert shades == sorted(shades) and len(set(COLOURS)) == 6
    dashes = [trace.line.dash for trace in lines([1, 2], {name: [1, 2] for name in "abcdef"}, **WORDS).data]
    assert len(set(dashes)) == 6


def test_log_axes_take_exponents_and_bands_lie_round_their_line():
    figure = lines(
        [1, 10, 1000],
        {"a": [1, 10, 100]},
        bands={"a": ([0.5, 5, 50], [2, 20, 200])},
        log_x=True,
        log_y=True,
        y_range=(0.1, 1000),
        **WORDS,
    )
    assert list(figure.layout.xaxis.range) == [0, 3] and list(figure.layout.yaxis.range) == [-1, 3]
    low, high, line = figure.data
    assert all(a < b < c for a, b, c in zip(low.y, line.y, high.y, strict=True)) and high.fill == "tonexty"


def test_the_default_range_holds_lines_and_bands():
    figure = lines([0, 1], {"a": [1, 2]}, bands={"a": ([0, 1], [2, 5])}, **WORDS)
    low, high = figure.layout.yaxis.range
    assert low == pytest.approx(-0.25) and high == pytest.approx(5.25)


def test_loss_curve_counts_steps_and_draws_its_floor():
    figure = loss_curve(torch.tensor([3.0, 2.0, 1.5], requires_grad=True), floor=math.log(4), **WORDS)
    assert list(figure.data[0].x) == [1, 2, 3] and list(figure.data[1].y) == [1.386] * 3
    assert list(loss_curve([1, 2], steps=[12344, 12345], **WORDS).data[0].x) == [12344, 12345]


def test_points_keep_place_name_and_one_unit_on_both_axes():
    figure = scatter({"a": [[0, 1], [2, 5]], "b": [[4, 3]]}, {"a": ["p", "q"], "b": ["r"]}, **WORDS)
    a, b = figure.data
    assert (list(a.x), list(a.y), list(a.text)) == ([0, 2], [1, 5], ["p", "q"]) and "text" in a.mode
    assert a.marker.symbol != b.marker.symbol and a.marker.color != b.marker.color
    assert figure.layout.yaxis.scaleanchor == "x"
    many = scatter({"a": rng().normal(size=(1500, 2))}, {"a": ["A Film Of Usual Length"] * 1500}, **WORDS)
    assert many.data[0].mode == "markers" and len(many.to_json()) < 100_000


test_wrong_input_is_named = named(
    (lambda: attention_heatmap(weights(5), TOKENS[:4], TOKENS, **WORDS), "queries must have 5"),
    (lambda: attention_heatmap(2 * np.eye(5), TOKENS, TOKENS, **WORDS), r"weights must lie in \[0, 1\]"),
    (lambda: attention_heatmap(np.eye(5), TOKENS, TOKENS, zmin=1, zmax=0, **WORDS), "zmin, zmax"),
    (lambda: attention_heatmap(np.eye(5), TOKENS, TOKENS, description=" "), "description must be"),
    (lambda: bars([0.5, 1.5], ["a", "b"], **WORDS), "values must lie in y_range"),
    (lambda: lines([1, 2], {"a": [1]}, **WORDS), "series 'a' must have the 2"),
    (lambda: lines([1, 2], {"a": [1, 2]}, bands={"b": ([0, 0], [1, 1])}, **WORDS), "bands must be named"),
    (lambda: lines([1, 2], {"a": [1, 2]}, bands={"a": ([2, 2], [1, 3])}, **WORDS), "lower ≤ upper"),
    (lambda: lines([0, 2], {"a": [1, 2]}, log_x=True, **WORDS), "x must be > 0"),
    (lambda: scatter({"a": np.eye(3)}, **WORDS), r"group 'a' must have points \[n, 2\]"),
    (lambda: scatter({"a": [[0, 1]]}, {"a": ["x", "y"]}, **WORDS), "labels of 'a' must have 1 labels"),
)  # fmt: skip


def test_bars_carry_whiskers():
    figure = bars([0.5, 0.7], ["a", "b"], spread=([0.4, 0.7], [0.9, 0.8]), description="two bars")
    assert (list(figure.data[0].x), list(figure.data[0].y)) == ([0, 1], [0.5, 0.7])
    whisker = figure.data[0].error_y
    np.testing.assert_allclose(whisker.array, [0.4, 0.1])
    np.testing.assert_allclose(whisker.arrayminus, [0.1, 0.0])
    assert whisker.color, "plotly's own is dark on every ground"
    assert figure.data[0].insidetextanchor == "start", "the number stands on its whisker"
    for wrong in (([0.6, 0.7], [0.9, 0.8]), ([0.4], [0.9])):
        with pytest.raises(ValueError, match="spread"):
            bars([0.5, 0.7], ["a", "b"], spread=wrong, description="two bars")
