// A chart of the trainer: its title, what its lines mean, the picture, and a note.

import { lineChart } from "../drawing/line_chart.js";
import { h, setText } from "../drawing/ui.js";

export const key = (kind, text) => h("span", { class: `stn-key stn-key-${kind}` }, text);
export const framed = (title, legend, picture, caption) =>
  h("figure", {}, h("div", { class: "stn-title" }, ...title), legend, picture, caption);
export const legendOf = (...keys) => h("div", { class: "stn-legend", "aria-hidden": "true" }, ...keys);

/** kinds: names of the lines, drawn in this order; see drawing/line_chart.js. */
export function chart({ title, unit, kinds, band = false }) {
  const { picture, draw: paint } = lineChart({ width: 340, height: 168, right: 10, axis: true, kinds, band });
  const caption = h("figcaption", {});
  const legend = legendOf();
  const el = framed([title, " ", h("span", { class: "trn-soft" }, unit)], legend, picture, caption);
  let told = "";
  /** names {kind: text}. */
  function draw({ names, note = "", ...chart }) {
    paint(chart);
    setText(caption, note);
    if (told === JSON.stringify(names)) return;
    told = JSON.stringify(names);
    legend.replaceChildren(...Object.entries(names).map(([kind, text]) => key(kind, text)));
  }
  return { el, draw };
}
