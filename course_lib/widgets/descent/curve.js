// The loss of each step so far, as a line. The sentence beside it tells the last value, so readers of the screen lose
// nothing.

import { digits } from "../drawing/scale.js";
import { h, setAttr, setText, svg } from "../drawing/ui.js";

const WIDTH = 480;
const HEIGHT = 84;
const SHORTEST = 20; // the first steps do not fill the width

export function curve() {
  const line = svg("polyline", { class: "dsc-line" });
  const here = svg("circle", { class: "dsc-here", r: 4 });
  const base = svg("path", { class: "dsc-base", d: `M0 ${HEIGHT}H${WIDTH}` });
  const high = h("span");
  const last = h("span");
  const el = h(
    "div",
    { class: "dsc-curve", "aria-hidden": "true" },
    high,
    svg("svg", { viewBox: `-5 -6 ${WIDTH + 10} ${HEIGHT + 11}` }, base, line, here),
    h("div", {}, h("span", {}, "loss 0, step 0"), last),
  );
  function draw(heights) {
    const top = Math.max(...heights);
    const end = Math.max(SHORTEST, heights.length - 1);
    const points = heights.map((value, t) => [(WIDTH * t) / end, HEIGHT * (1 - (top > 0 ? value / top : 0))]);
    setAttr(line, "points", points.map((point) => point.map((x) => x.toFixed(1)).join()).join(" "));
    setAttr(here, "cx", points.at(-1)[0].toFixed(1));
    setAttr(here, "cy", points.at(-1)[1].toFixed(1));
    setText(high, `loss ${digits(top)}`);
    setText(last, `step ${end}`);
  }
  return { el, draw };
}
