// The error of n drawn tokens against n, both on logarithmic scales: marks for what was found, a line that falls like n^{-1/2}.

import { begin, label, write } from "../surface/canvas.js";
import { ticks } from "../surface/scale.js";
import { h } from "../drawing/ui.js";
import { COUNTS, DRAWS } from "./sample.js";

const SIDE = { left: 50, right: 14, top: 10, bottom: 34 };

export function chart() {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const face = h("div", { class: "mea-chart" }, canvas);
  const el = h(
    "figure",
    { class: "mea-figure", hidden: true },
    h("figcaption", {}, `Error of n drawn tokens on the grid, root mean square over ${DRAWS} samples; dashed: falling like 1/√n`),
    face,
  );

  function draw(errors) {
    el.hidden = !errors?.every((value) => value > 0);
    const width = face.clientWidth;
    if (el.hidden || !width) return;
    const height = Math.round(Math.min(0.6 * width, 210));
    const { context, colours } = begin(canvas, width, height);
    const style = getComputedStyle(canvas);
    const hue = (name) => style.getPropertyValue(`--course-${name}`).trim();
    const quiet = { ...colours, ink: colours.soft };
    const logs = errors.map(Math.log10);
    const middle = logs.reduce((sum, value, k) => sum + value + Math.log10(COUNTS[k]) / 2, 0) / logs.length;
    const line = COUNTS.map((n) => middle - Math.log10(n) / 2);
    const all = [...logs, ...line];
    const low = Math.min(...all) - 0.1;
    const high = Math.max(...all) + 0.1;
    const right = (n) => SIDE.left + (width - SIDE.left - SIDE.right) * (0.04 + 0.92 * ((Math.log10(n) - 1) / 2));
    const up = (log) => height - SIDE.bottom - (height - SIDE.top - SIDE.bottom) * ((log - low) / (high - low));
    for (const value of ticks([10 ** low, 10 ** high], true, 4)) {
      context.lineWidth = 1; // write() leaves a wide one
      context.strokeStyle = colours.line;
      context.beginPath();
      context.moveTo(SIDE.left, up(Math.log10(value)));
      context.lineTo(width - SIDE.right, up(Math.log10(value)));
      context.stroke();
      write(context, quiet, label(value), SIDE.left - 6, up(Math.log10(value)), { align: "right" });
    }
    for (const n of COUNTS) write(context, quiet, String(n), right(n), height - SIDE.bottom + 11);
    write(context, quiet, "tokens drawn, n", (SIDE.left + width) / 2, height - 7);
    context.strokeStyle = colours.ink;
    context.lineWidth = 1.2;
    context.setLineDash([5, 4]);
    context.beginPath();
    line.forEach((value, k) => context[k ? "lineTo" : "moveTo"](right(COUNTS[k]), up(value)));
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = hue("green");
    logs.forEach((value, k) => {
      context.beginPath();
      context.arc(right(COUNTS[k]), up(value), 4.5, 0, 2 * Math.PI);
      context.fill();
    });
  }
  return { el, face, draw };
}
