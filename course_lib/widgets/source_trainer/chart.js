// One small chart with fixed axes: lines, a band, and rules with names. Either axis may be logarithmic.

import { h, setAttr, setText, svg } from "../drawing/ui.js";

const WIDTH = 340;
const HEIGHT = 168;
const LEFT = 40;
const RIGHT = 10;
const TOP = 12;
const BOTTOM = 30;

/** kinds: names of the lines, drawn in this order with class stn-line-<kind>. */
export function chart({ title, unit, kinds, band = false }) {
  const ticks = svg("g", {});
  const rules = svg("g", {});
  const area = svg("path", { class: "stn-band" });
  const lines = Object.fromEntries(kinds.map((kind) => [kind, svg("path", { class: `stn-line stn-line-${kind}` })]));
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "stn-chart", role: "img" },
    ticks,
    ...(band ? [area] : []),
    rules,
    ...Object.values(lines),
  );
  const caption = h("figcaption", {});
  const legend = h("div", { class: "stn-legend", "aria-hidden": "true" });
  const el = h(
    "figure",
    {},
    h("div", { class: "stn-title" }, title, " ", h("span", { class: "stn-soft" }, unit)),
    legend,
    picture,
    caption,
  );
  let ruled = "";
  let told = "";

  /** x, y: {low, high, log?, marks: [[value, text]]}; series {kind: [[x, y]]}; area: [[x, low, high]]; marked: [[y, text, class]]; names {kind: text}. */
  function draw({ x, y, series, area: filled = [], marked = [], names, words, note = "" }) {
    const at = ({ low, high, log }, value) => {
      const part = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
      return Math.min(1, Math.max(0, Number.isNaN(part) ? 0 : part));
    };
    const px = (value) => (LEFT + (WIDTH - LEFT - RIGHT) * at(x, value)).toFixed(1);
    const py = (value) => (HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * at(y, value)).toFixed(1);
    for (const [kind, points] of Object.entries(series))
      setAttr(lines[kind], "d", points.length ? `M${points.map(([a, b]) => `${px(a)} ${py(b)}`).join("L")}` : "");
    if (band)
      setAttr(
        area,
        "d",
        filled.length
          ? `M${filled.map(([a, , high]) => `${px(a)} ${py(high)}`).join("L")}L${filled
              .toReversed()
              .map(([a, low]) => `${px(a)} ${py(low)}`)
              .join("L")}Z`
          : "",
      );
    const key = JSON.stringify([x, y, marked]);
    if (key !== ruled) {
      ruled = key;
      ticks.replaceChildren(
        ...y.marks.flatMap(([value, text]) => [
          svg("line", { class: "stn-tick", x1: LEFT, x2: WIDTH - RIGHT, y1: py(value), y2: py(value) }),
          svg("text", { x: LEFT - 5, y: Number(py(value)) + 3.5, "text-anchor": "end" }, text),
        ]),
        ...x.marks.map(([value, text], i) =>
          svg(
            "text",
            {
              x: px(value),
              y: HEIGHT - BOTTOM + 13,
              "text-anchor": i === 0 ? "start" : i === x.marks.length - 1 ? "end" : "middle",
            },
            text,
          ),
        ),
        svg(
          "text",
          { x: LEFT + (WIDTH - LEFT - RIGHT) / 2, y: HEIGHT - 3, "text-anchor": "middle" },
          x.log ? "update (logarithmic)" : "update",
        ),
      );
      rules.replaceChildren(
        ...marked.flatMap(([value, text, kind, below]) => [
          svg("line", { class: `stn-rule stn-rule-${kind}`, x1: LEFT, x2: WIDTH - RIGHT, y1: py(value), y2: py(value) }),
          svg(
            "text",
            { class: "stn-name", x: WIDTH - RIGHT, y: Number(py(value)) + (below ? 12 : -4), "text-anchor": "end" },
            text,
          ),
        ]),
      );
    }
    const naming = JSON.stringify(names);
    if (naming !== told) {
      told = naming;
      legend.replaceChildren(
        ...Object.entries(names).map(([kind, text]) => h("span", { class: `stn-key stn-key-${kind}` }, text)),
      );
    }
    setText(caption, note);
    setAttr(picture, "aria-label", words);
  }
  return { el, draw };
}
