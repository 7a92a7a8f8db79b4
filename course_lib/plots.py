"""Figures from arrays: attention heatmaps, bars, lines, loss curves, points. Every scale is fixed, so two figures can
be compared.

Colours are those of `palette`. Paper and plot are transparent. Text and grid are a middle grey; a page that knows its
theme sets `font.color` and, for each axis, `gridcolor` and `zerolinecolor`, and nothing else.

`description` is the figure's text alternative: what a reader who cannot see it should know. It stands in
`layout.meta["description"]`, from where the book takes it for `aria-label`. Numbers are kept to 4 significant digits as
plain lists (plotly would store arrays as base64), so that a stored figure stays small. No width is set: the page gives
it.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.colors import hex_to_rgb
from plotly.subplots import make_subplots

from . import axes, checks
from .palette import COLOURS, DASHES, GRID, INK, SYMBOLS, map_scale, text_colour


def attention_heatmap(
    weights: Any, queries: Sequence[str], keys: Sequence[str], *, description: str, title: str = "",
    zmin: float = 0.0, zmax: float = 1.0, numbers: bool | None = None, decimals: int = 2, x_title: str = "key",
    y_title: str = "query",
) -> go.Figure:  # fmt: skip
    """weights [n, s]: row i is how query i spreads its attention over the keys. The first query is at the top.

    numbers: write each cell's value; by default up to 100 cells. Raises ValueError on values outside [zmin, zmax].
    """
    z = _heat("weights", weights, 2, zmin, zmax)
    queries, keys = _labels("queries", queries, z.shape[0]), _labels("keys", keys, z.shape[1])
    figure = go.Figure(
        [_cells(z), *([_numbers(z, zmin, zmax, decimals)] if (z.size <= 100 if numbers is None else numbers) else [])]
    )
    figure.update_layout(coloraxis=_colours(zmin, zmax))
    figure.update_xaxes(**axes.ticks(keys), title_text=x_title, range=[-0.5, len(keys) - 0.5])
    figure.update_yaxes(**axes.ticks(queries), title_text=y_title, range=[len(queries) - 0.5, -0.5])
    return _finish(figure, description, title, height=min(120 + 44 * len(queries), 560))


def heads_heatmap(
    weights: Any, queries: Sequence[str], keys: Sequence[str], *, description: str, title: str = "",
    names: Sequence[str] | None = None,
    columns: int | None = None, zmin: float = 0.0, zmax: float = 1.0, x_title: str = "key", y_title: str = "query",
) -> go.Figure:  # fmt: skip
    """weights [h, n, s]: one heatmap a head, all on one colour scale; names [h], by default "head 1" and so on.

    Of many labels that are numbers only some are written: a small map has no room for more.
    """
    z = _heat("weights", weights, 3, zmin, zmax)
    heads = len(z)
    queries, keys = _labels("queries", queries, z.shape[1]), _labels("keys", keys, z.shape[2])
    names = _labels("names", names if names is not None else [f"head {i + 1}" for i in range(heads)], heads)
    if columns is not None:
        checks.positive_int("columns", columns)
    columns = min(heads, columns or (2 if heads <= 4 else 4))
    rows = math.ceil(heads / columns)
    figure = make_subplots(
        rows,
        columns,
        subplot_titles=names,
        shared_xaxes="all",
        shared_yaxes="all",
        horizontal_spacing=0.04,
        vertical_spacing=0.16 / rows,
    )
    for i, head in enumerate(z):
        figure.add_trace(_cells(head), row=i // columns + 1, col=i % columns + 1)
    figure.update_layout(coloraxis=_colours(zmin, zmax))
    upright = (
        {"tickangle": 0} if max(map(len, keys)) == 1 else {}
    )  # letters fit side by side on a phone, turned ones do not
    figure.update_xaxes(**axes.ticks(axes.some(keys)), **upright, range=[-0.5, len(keys) - 0.5])
    figure.update_yaxes(**axes.ticks(axes.some(queries, 16)), range=[len(queries) - 0.5, -0.5])
    figure.update_xaxes(title_text=x_title, row=rows)
    figure.update_yaxes(title_text=y_title, col=1)
    figure.update_annotations(font_size=13)
    return _finish(figure, description, title, height=90 + 210 * rows)


def bars(
    values: Any, labels: Sequence[str], *, description: str, title: str = "", names: Sequence[str] = (),
    y_range: tuple[float, float] = (0.0, 1.0), y_title: str = "", decimals: int = 2, spread: tuple[Any,
    Any] | None = None, horizontal: bool = False,
) -> go.Figure:  # fmt: skip
    """values [n], or [k, n] for k groups called `names`; each bar carries its number; spread: whiskers (lower, upper).

    horizontal: bars lie, the first at the top, each with its label at the left: for labels that are many or long.
    y_range and y_title are the values' in any case.
    """
    y = np.atleast_2d(_array("values", values, (1, 2)))
    labels = _labels("labels", labels, y.shape[1])
    below, above = (np.atleast_2d(_array("spread", edge, (1, 2))) for edge in (spread or (y, y)))
    if below.shape != y.shape or above.shape != y.shape or (below > y).any() or (y > above).any():
        raise ValueError(
            f"spread must be (lower, upper) of shape {list(y.shape)} with lower ≤ values ≤ upper, got otherwise"
        )
    names = _labels("names", names, len(y)) if len(y) > 1 or names else [""]
    low, high = _range("y_range", y_range)
    if y.min() < low - 1e-6 or y.max() > high + 1e-6:
        raise ValueError(f"values must lie in y_range [{low:g}, {high:g}], got {y.min():.4g} to {y.max():.4g}")
    along, across = ("x", "y") if horizontal else ("y", "x")  # a bar's length, and its place
    figure = go.Figure()
    for i, row in enumerate(y):
        text = f"%{{{along}:.{decimals}f}}"
        trace = go.Bar(
            {across: list(range(len(labels))), along: axes.short(row)},
            name=names[i],
            marker_color=COLOURS[i % len(COLOURS)],
            orientation="h" if horizontal else "v",
        )
        trace.update(
            texttemplate=text if y.size <= 40 else None,
            textposition="inside" if spread else "outside",
            cliponaxis=False,
        )
        trace.update(hovertemplate=f"%{{{across}}}: {text}<extra>{names[i]}</extra>")
        if len(y) > 1 and y.size > 8 and not horizontal:
            trace.textangle = -90  # narrow bars: level numbers would run together
        if spread is not None:
            trace[f"error_{along}"] = {
                "symmetric": False,
                "arrayminus": axes.short(row - below[i]),
                "array": axes.short(above[i] - row),
                "color": INK,
            }
            # the number at the bar's foot, clear of the whisker; upright in groups, where bars are narrow
            trace.update(insidetextanchor="start", textangle=-90 if len(y) > 1 and not horizontal else 0)
        figure.add_trace(trace)
    figure.update_layout(
        barmode="group", showlegend=len(y) > 1, uniformtext={"minsize": 9, "mode": "hide"}
    )  # shrunk to a narrow bar, nobody reads it
    lengths = {"range": [low, high], "title_text": y_title, "gridcolor": GRID, "zerolinecolor": GRID}
    if horizontal:
        figure.update_yaxes(**axes.ticks(labels), range=[len(labels) - 0.5, -0.5])
        figure.update_xaxes(**lengths)
        return _finish(figure, description, title, height=100 + 24 * y.size)
    figure.update_xaxes(**axes.ticks(labels), range=[-0.5, len(labels) - 0.5])
    figure.update_yaxes(**lengths)
    return _finish(figure, description, title, height=320)


def lines(
    x: Any, series: Mapping[str, Any], *, description: str, title: str = "", bands: Mapping[str, tuple[Any,
    Any]] | None = None,
    log_x: bool = False, log_y: bool = False, x_title: str = "", y_title: str = "", y_range: tuple[float,
    float] | None = None,
) -> go.Figure:  # fmt: skip
    """series: name → y [n], drawn over x [n]; bands: name of a series → (lower [n], upper [n]).

    Each line has its own colour and dashes. y_range is in the values' own units on a log axis too; by default it holds
    lines and bands, and stays when a line is hidden. Log axes take values > 0 only.
    """
    x, bands = _array("x", x, (1,)), bands or {}
    if not series:
        raise ValueError("series must hold at least one line, got none")
    if unknown := [name for name in bands if name not in series]:
        raise ValueError(f"bands must be named as a series ({', '.join(series)}), got {unknown[0]!r}")
    ys = {name: _like(f"series {name!r}", y, x) for name, y in series.items()}
    edges = {name: tuple(_like(f"bands {name!r}", edge, x) for edge in pair) for name, pair in bands.items()}
    if crossed := [name for name, (low, high) in edges.items() if (low > high).any()]:
        raise ValueError(f"bands must have lower ≤ upper, got lower > upper in {crossed[0]!r}")
    everything = np.concatenate([*ys.values(), *(edge for pair in edges.values() for edge in pair)])
    for log, name, values in ((log_x, "x", x), (log_y, "series and bands", everything)):
        if log and values.min() <= 0:
            raise ValueError(f"{name} must be > 0 on a log axis, got {values.min():.4g}")
    figure = go.Figure()
    for i, (name, y) in enumerate(ys.items()):
        colour, dash = COLOURS[i % len(COLOURS)], DASHES[i % len(DASHES)]
        if name in edges:
            red, green, blue = hex_to_rgb(colour)
            outline = {
                "x": axes.steps(x),
                "mode": "lines",
                "line_width": 0,
                "legendgroup": name,
                "showlegend": False,
                "hoverinfo": "skip",
            }
            figure.add_scatter(y=axes.short(edges[name][0]), **outline)
            figure.add_scatter(
                y=axes.short(edges[name][1]), fill="tonexty", fillcolor=f"rgba({red},{green},{blue},0.2)", **outline
            )
        figure.add_scatter(
            x=axes.steps(x),
            y=axes.short(y),
            mode="lines",
            name=name,
            legendgroup=name,
            line={"color": colour, "dash": dash, "width": 2},
        )
    if len(x) <= 8:  # what was measured is seen, and named on its axis
        figure.update_traces(mode="lines+markers", marker_size=6, selector=lambda trace: trace.line.width != 0)
    low, high = _range("y_range", y_range) if y_range is not None else axes.room(everything, log_y)
    if log_y and low <= 0:
        raise ValueError(f"y_range must be > 0 on a log axis, got {low:g}")
    figure.update_layout(showlegend=len(ys) > 1)
    far_apart = (x[1:] >= 1.5 * x[:-1]).all() if log_x else (x[1:] - x[:-1] >= (x.max() - x.min()) / 16).all()
    if len(x) <= 8 and far_apart:
        figure.update_xaxes(tickvals=axes.steps(x), ticktext=[str(value) for value in axes.steps(x)])
    elif log_x:
        figure.update_xaxes(axes.log_ticks(float(x.min()), float(x.max())))
    if log_y:
        figure.update_yaxes(axes.log_ticks(low, high))
    figure.update_xaxes(
        range=axes.reach(float(x.min()), float(x.max()), log_x),
        type="log" if log_x else "linear",
        title_text=x_title,
        gridcolor=GRID,
        zerolinecolor=GRID,
    )
    figure.update_yaxes(
        range=axes.reach(low, high, log_y),
        type="log" if log_y else "linear",
        title_text=y_title,
        gridcolor=GRID,
        zerolinecolor=GRID,
    )
    return _finish(figure, description, title, height=340)


def loss_curve(
    losses: Any, *, description: str, title: str = "", steps: Any = None, floor: float | None = None,
    floor_name: str = "best possible",
    log_x: bool = False, log_y: bool = False, y_range: tuple[float, float] | None = None,
    y_title: str = "loss (nats per token)",
) -> go.Figure:  # fmt: skip
    """losses [n], or name → [n], over steps [n] (by default 1 … n); floor: a loss that no model can beat, as a level
    line."""
    series = dict(losses) if isinstance(losses, Mapping) else {"loss": losses}
    if not series:
        raise ValueError("losses must hold at least one curve, got none")
    count = len(_array("losses", next(iter(series.values())), (1,)))
    steps = np.arange(1, count + 1) if steps is None else _array("steps", steps, (1,))
    if floor is not None:
        series[floor_name] = np.full(len(steps), _finite("floor", floor))
    more = {"log_x": log_x, "log_y": log_y, "y_range": y_range, "x_title": "step", "y_title": y_title}
    return lines(steps, series, description=description, title=title, **more)


def scatter(
    groups: Mapping[str, Any], labels: Mapping[str, Sequence[str]] | None = None, *, description: str, title: str = "",
    x_title: str = "", y_title: str = "",
) -> go.Figure:  # fmt: skip
    """groups: name → points [n, 2], each group with its own colour and mark; labels: name → n texts, one for each
    point.

    A label is shown where the pointer is; up to 40 points have it written beside them too. One unit is as long on both
    axes.
    """
    if not groups:
        raise ValueError("groups must hold at least one group of points, got none")
    points = {name: _array(f"group {name!r}", each, (2,)) for name, each in groups.items()}
    if wrong := [name for name, each in points.items() if each.shape[1] != 2]:
        raise ValueError(f"group {wrong[0]!r} must have points [n, 2], got shape {list(points[wrong[0]].shape)}")
    texts = {
        name: _labels(f"labels of {name!r}", (labels or {}).get(name, [""] * len(each)), len(each))
        for name, each in points.items()
    }
    everything = np.concatenate(list(points.values()))
    few = labels is not None and len(everything) <= 40
    figure = go.Figure()
    for i, (name, each) in enumerate(points.items()):
        marker = {
            "color": COLOURS[i % len(COLOURS)],
            "symbol": SYMBOLS[i % len(SYMBOLS)],
            "size": 8 if few else 6,
            "opacity": 1 if few else 0.75,
        }
        words = (
            {
                "text": texts[name],
                "textposition": "top center",
                "hovertemplate": "%{text}<extra>%{fullData.name}</extra>",
            }
            if labels
            else {}
        )
        figure.add_scatter(
            x=axes.short(each[:, 0]),
            y=axes.short(each[:, 1]),
            mode="markers+text" if few else "markers",
            name=name,
            marker=marker,
            cliponaxis=not few,
            **words,
        )
    axis, margins = (
        {"gridcolor": GRID, "zerolinecolor": GRID},
        (0.1, 0.2) if few else (0.0, 0.0),
    )  # what is written needs room too
    across, up = (
        [low - margin * (high - low), high + margin * (high - low)]
        for margin, (low, high) in zip(margins, (axes.room(column, False) for column in everything.T), strict=True)
    )
    figure.update_layout(showlegend=len(points) > 1)
    figure.update_xaxes(range=across, title_text=x_title, **axis)
    figure.update_yaxes(range=up, title_text=y_title, scaleanchor="x", **axis)
    return _finish(figure, description, title, height=460)


def _finite(name: str, value: Any) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return float(value)


def _array(name: str, values: Any, axes: tuple[int, ...]) -> np.ndarray:
    """As float64, from a list, an array or a tensor (which may want its gradient kept out)."""
    z = np.asarray(values.detach().cpu() if hasattr(values, "detach") else values, dtype=float)
    if z.ndim not in axes or z.size == 0:
        raise ValueError(
            f"{name} must have {' or '.join(map(str, axes))} axes and at least one entry, got shape {list(z.shape)}"
        )
    if not np.isfinite(z).all():
        raise ValueError(f"{name} must be finite, got {z[~np.isfinite(z)][0]}")
    return z


def _like(name: str, values: Any, x: np.ndarray) -> np.ndarray:
    y = _array(name, values, (1,))
    if len(y) != len(x):
        raise ValueError(f"{name} must have the {len(x)} entries of x, got {len(y)}")
    return y


def _heat(name: str, values: Any, axes: int, zmin: float, zmax: float) -> np.ndarray:
    z, (low, high) = _array(name, values, (axes,)), _range("(zmin, zmax)", (zmin, zmax))
    if z.min() < low - 1e-6 or z.max() > high + 1e-6:
        raise ValueError(
            f"{name} must lie in [{low:g}, {high:g}], got {z.min():.4g} to {z.max():.4g}: set zmin and zmax"
        )
    return z


def _labels(name: str, labels: Sequence[str], count: int) -> list[str]:
    labels = [str(label) for label in labels]
    if len(labels) != count:
        raise ValueError(f"{name} must have {count} labels, one for each, got {len(labels)}")
    return labels


def _range(name: str, pair: tuple[float, float]) -> tuple[float, float]:
    low, high = pair
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"{name} must be two finite numbers, the lower first, got {pair!r}")
    return low, high


def _cells(z: np.ndarray) -> go.Heatmap:
    """4 decimals, not 4 digits: a weight of 1.923e-4 is no more than 0.0002 to the eye."""
    gap = 1 if max(z.shape) <= 16 else 0  # on a phone the gaps would be as wide as the cells
    return go.Heatmap(
        z=axes.short(z, ".4f" if np.abs(z).max() >= 0.1 else ".4g"),
        coloraxis="coloraxis",
        xgap=gap,
        ygap=gap,
        hovertemplate="%{y} → %{x}: %{z:.3f}<extra></extra>",
    )


def _colours(zmin: float, zmax: float) -> dict[str, Any]:
    return {
        "cmin": zmin,
        "cmax": zmax,
        "colorscale": [list(stop) for stop in map_scale(zmin, zmax)],
        "colorbar": {"thickness": 12, "outlinewidth": 0},
    }


def _numbers(z: np.ndarray, zmin: float, zmax: float, decimals: int) -> go.Scatter:
    """The cells' values as text. Plotly's own choice of text colour is too pale on middle cells; black or white never
    is."""
    rows, columns = np.indices(z.shape).reshape(2, -1).tolist()
    scale = map_scale(zmin, zmax)
    colours = [text_colour((value - zmin) / (zmax - zmin), scale) for value in z.ravel()]
    text = [f"{value:.{decimals}f}" for value in z.ravel()]
    return go.Scatter(
        x=columns, y=rows, text=text, mode="text", textfont_color=colours, hoverinfo="skip", showlegend=False
    )


def _finish(figure: go.Figure, description: str, title: str, height: int) -> go.Figure:
    if not isinstance(description, str) or not description.strip():
        raise ValueError(f"description must be a text that is not empty: the figure in words, got {description!r}")
    clear, margin = "rgba(0,0,0,0)", {"l": 8, "r": 24, "t": 40 if title or figure.layout.annotations else 12, "b": 8}
    figure.update_layout(
        template="none",
        meta={"description": description},
        height=height,
        margin=margin,
        paper_bgcolor=clear,
        plot_bgcolor=clear,
    )
    figure.update_layout(
        font={"color": INK, "size": 14},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "itemwidth": 40},
        hovermode="closest",
    )
    if title:
        figure.update_layout(title={"text": title, "x": 0, "xanchor": "left", "font": {"size": 15}})
    figure.update_xaxes(automargin=True)
    figure.update_yaxes(automargin=True, title_standoff=8)
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(
            {"exponentformat": "power", "minexponent": 5}, selector={"type": "log"}
        )  # 0.0001 and powers of ten, not 100µ
    return figure
