// The error of n drawn tokens against n, both on logarithmic scales: marks for what was found, a line that falls like
// n^{-1/2}.

import { figure } from "../drawing/sheet.js";
import { digits, ticks } from "../drawing/scale.js";
import { COUNTS, DRAWS } from "./sample.js";

const SIDE = { left: 50, right: 14, top: 10, bottom: 34 };

export function chart() {
  const over = `root mean square over ${DRAWS} samples`;
  const caption = `Error of n drawn tokens on the grid, ${over}; dashed: falling like 1/√n`;
  const { el, face, open } = figure("mea-chart", caption);
  el.hidden = true;

  function draw(errors) {
    el.hidden = !errors?.every((value) => value > 0);
    const width = face.clientWidth;
    if (el.hidden || !width) return;
    const height = Math.round(Math.min(0.6 * width, 210));
    const { colours, hue, trace, disc, note, levels } = open(width, height);
    const logs = errors.map(Math.log10);
    const middle = logs.reduce((sum, value, k) => sum + value + Math.log10(COUNTS[k]) / 2, 0) / logs.length;
    const line = COUNTS.map((n) => middle - Math.log10(n) / 2);
    const all = [...logs, ...line];
    const low = Math.min(...all) - 0.1;
    const high = Math.max(...all) + 0.1;
    const foot = height - SIDE.bottom;
    const right = (n) => SIDE.left + (width - SIDE.left - SIDE.right) * (0.04 + 0.92 * ((Math.log10(n) - 1) / 2));
    const up = (log) => foot - (foot - SIDE.top) * ((log - low) / (high - low));
    const marks = ticks([10 ** low, 10 ** high], true, 4).map((value) => [up(Math.log10(value)), digits(value)]);
    levels(marks, SIDE.left, width - SIDE.right);
    for (const n of COUNTS) note(String(n), right(n), foot + 11);
    note("tokens drawn, n", (SIDE.left + width) / 2, height - 7);
    const path = line.map((value, k) => [right(COUNTS[k]), up(value)]);
    trace(path, colours.ink, 1.2, [5, 4]);
    logs.forEach((value, k) => disc([right(COUNTS[k]), up(value)], 4.5, hue("green")));
  }
  return { el, draw };
}
