// One variant as a strip: the base's seeds as a band about 0, our seeds as dots with their mean, the published change as a diamond.

import { svg } from "../drawing/ui.js";
import { ticks } from "./rows.js";

const per = (part) => `${(100 * part).toFixed(2)}%`;
const INSET = 0.04; // a mark at an end is not cut in half
const HEIGHT = 24;

const place = (scale) => (x) => INSET + (1 - 2 * INSET) * scale.at(x);

/** fact: of rows.facts; base: the base's seeds as changes; label: the picture in words. */
export function band(fact, base, scale, label) {
  const at = place(scale);
  const low = Math.min(...base);
  const high = Math.max(...base);
  const middle = at(fact.our_change);
  const rule = (x, kind) => svg("line", { class: kind, x1: per(at(x)), x2: per(at(x)), y1: 0, y2: HEIGHT });
  return svg(
    "svg",
    { class: "abl-picture", role: "img", "aria-label": label, height: HEIGHT },
    svg("rect", { class: "abl-base", x: per(at(low)), width: per(at(high) - at(low)), y: 0, height: HEIGHT }),
    ...ticks(scale).map((x) => rule(x, x === 0 ? "abl-zero" : "abl-grid")),
    ...fact.seeds.map((x) => svg("circle", { class: "abl-dot", cx: per(at(x)), cy: HEIGHT / 2, r: 2.8 })),
    svg("line", { class: "abl-mean", x1: per(middle), x2: per(middle), y1: 4, y2: HEIGHT - 4 }),
    // nested, so that the diamond keeps its form: its place is in per cent, its size in pixels
    ...(fact.change === null
      ? []
      : [
          svg(
            "svg",
            { x: per(at(fact.change)), y: HEIGHT / 2, overflow: "visible" },
            svg("path", { class: "abl-published", d: "M0-7 6 0 0 7-6 0z" }),
          ),
        ]),
  );
}

export function axis(scale) {
  const at = place(scale);
  const text = (x) => (x > 0 ? `+${x}` : x < 0 ? `−${-x}` : "0");
  return svg(
    "svg",
    { class: "abl-axis", height: 15, "aria-hidden": "true" },
    ...ticks(scale).map((x) => svg("text", { x: per(at(x)), y: 11, "text-anchor": "middle" }, text(x))),
  );
}
