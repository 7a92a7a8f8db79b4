// A small chart with fixed axes: lines, a band, rules with names, and where the reader is. Either axis may be
// logarithmic.

import { setAttr, setAttrs, svg } from "./ui.js";

/** Where a value stands on an axis {low, high, log?}: 0 … 1. */
function share({ low, high, log }, value) {
  const part = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return Math.min(1, Math.max(0, Number.isNaN(part) ? 0 : part));
}
const anchor = (i, count) => (i === 0 ? "start" : i === count - 1 ? "end" : "middle");
const through = (points) => points.map((point) => point.join(" ")).join("L");

/**
 * kinds: names of the lines, drawn in this order with class trn-line-<kind>; band: is there one? axis: room for a name
 * below the chart; inset: of the rules' names; at: is a moment shown? Returns {picture, draw}.
 */
export function lineChart({ width, height, right, axis = false, kinds, band = false, inset = 0, at = false }) {
  const [left, top, bottom] = [40, 12, axis ? 30 : 18];
  const [end, foot] = [width - right, height - bottom];
  const ticks = svg("g", {});
  const rules = svg("g", {});
  const area = svg("path", { class: "trn-band" });
  const lines = Object.fromEntries(kinds.map((kind) => [kind, svg("path", { class: `trn-line trn-line-${kind}` })]));
  const moment = svg("line", { class: "trn-now", y1: top, y2: foot });
  const dot = svg("circle", { class: `trn-dot-${kinds[0]}`, r: 3.5 });
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "trn-chart", role: "img" },
    ticks,
    ...(at ? [moment] : []),
    ...(band ? [area] : []),
    rules,
    ...Object.values(lines),
    ...(at ? [dot] : []),
  );
  let ruled = "";

  /**
   * x, y: {low, high, log?, marks: [[value, text]]}; x.name; series {kind: [[x, y]]}; area: [[x, low, high]]; marked:
   * [[y, text, kind, below?]]; at: x of the moment.
   */
  function draw({ x, y, series, area: filled = [], marked = [], at: now = null, words }) {
    const px = (value) => (left + (end - left) * share(x, value)).toFixed(1);
    const py = (value) => (foot - (foot - top) * share(y, value)).toFixed(1);
    const across = (name, value) => svg("line", { class: name, x1: left, x2: end, y1: py(value), y2: py(value) });
    for (const [kind, points] of Object.entries(series))
      setAttr(lines[kind], "d", points.length ? `M${through(points.map(([a, b]) => [px(a), py(b)]))}` : "");
    const above = filled.map(([a, , high]) => [px(a), py(high)]);
    const below = filled.map(([a, low]) => [px(a), py(low)]);
    setAttr(area, "d", filled.length ? `M${through([...above, ...below.reverse()])}Z` : "");
    if (at) {
      const points = series[kinds[0]];
      const nearest = points.findLast(([step]) => step <= now) ?? points[0];
      setAttrs(moment, { x1: px(now), x2: px(now) });
      setAttr(dot, "visibility", nearest ? "visible" : "hidden");
      if (nearest) setAttrs(dot, { cx: px(nearest[0]), cy: py(nearest[1]) });
    }
    const key = JSON.stringify([x, y, marked]);
    if (key !== ruled) {
      ruled = key;
      ticks.replaceChildren(
        ...y.marks.flatMap(([value, text]) => [
          across("trn-tick", value),
          svg("text", { x: left - 5, y: Number(py(value)) + 3.5, "text-anchor": "end" }, text),
        ]),
        ...x.marks.map(([value, text], i) =>
          svg("text", { x: px(value), y: foot + 13, "text-anchor": anchor(i, x.marks.length) }, text),
        ),
        ...(x.name ? [svg("text", { x: (left + end) / 2, y: height - 3, "text-anchor": "middle" }, x.name)] : []),
      );
      rules.replaceChildren(
        ...marked.flatMap(([value, text, kind, under]) => [
          across(`trn-rule trn-rule-${kind}`, value),
          svg(
            "text",
            { class: "trn-name", x: end - inset, y: Number(py(value)) + (under ? 12 : -4), "text-anchor": "end" },
            text,
          ),
        ]),
      );
    }
    setAttr(picture, "aria-label", words);
  }
  return { picture, draw };
}
