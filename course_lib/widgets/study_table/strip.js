// One configuration as a strip: our models as dots on a band from their first to their third quartile, the published error on top.

import { number, svg } from "../drawing/ui.js";
import { across, quantile, ticks } from "./rows.js";

const per = (part) => `${(100 * part).toFixed(2)}%`;
const INSET = 0.03; // a mark at 0 or at the end is not cut in half
const at = (error, most) => per(INSET + (1 - 2 * INSET) * across(error, most));
const wide = (low, high, most) => per((1 - 2 * INSET) * (across(high, most) - across(low, most)));

export function strip(row, reading, most) {
  const ours = row.ours[reading];
  const low = quantile(ours, 0.25);
  const high = quantile(ours, 0.75);
  const median = quantile(ours, 0.5);
  const x = at(row.published, most);
  const text = `published ${number(row.published)}; ours from ${number(ours[0])} to ${number(ours.at(-1))}, median ${number(median)}`;
  return svg(
    "svg",
    { class: "sty-strip", role: "img", "aria-label": text, height: 22 },
    ...ticks(most).map((tick) => svg("line", { class: "sty-grid", x1: at(tick, most), x2: at(tick, most), y1: 0, y2: 22 })),
    svg("rect", { class: "sty-band", x: at(low, most), width: wide(low, high, most), y: 4, height: 14, rx: 3 }),
    ...ours.map((error) => svg("circle", { class: "sty-dot", cx: at(error, most), cy: 11, r: 2.6 })),
    svg("line", { class: "sty-median", x1: at(median, most), x2: at(median, most), y1: 3, y2: 19 }),
    // nested, so that the diamond keeps its form: its place is in per cent, its size in pixels
    svg("svg", { x, y: 11, overflow: "visible" }, svg("path", { class: "sty-published", d: "M0-7 6 0 0 7-6 0z" })),
  );
}

export function axis(most) {
  const marks = ticks(most);
  return svg(
    "svg",
    { class: "sty-axis", height: 16, "aria-hidden": "true" },
    ...marks.map((tick) => svg("text", { x: at(tick, most), y: 12, "text-anchor": "middle" }, String(tick))),
  );
}
