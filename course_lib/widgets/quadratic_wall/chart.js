// Cost against n, both logarithmic: a line a kind, the current n, and what a memory holds or a processor does in a
// second.

import { sheet } from "../drawing/sheet.js";
import { clamp, draggable } from "../drawing/ui.js";
import { dot, write } from "../drawing/canvas.js";
import { digits, ticks } from "../drawing/scale.js";
import { TAKES } from "./address.js";
import { H100, P100 } from "./costs.js";
import { stack, worked } from "./stack.js";
import { bytes, PAGE } from "./words.js";

export const DASHES = {
  full: [],
  blockwise: [1, 3],
  window: [9, 4],
  strided: [2, 4],
  linear: [],
  convolution: [10, 4, 2, 4],
  rnn: [5, 5],
};
const HUES = {
  full: "orange",
  blockwise: "orange",
  window: "blue",
  strided: "purple",
  linear: "green",
  convolution: "soft",
  rnn: "ink",
};
export const tint = (kind) => `--wal-tint: var(--course-${HUES[kind]})`;
const SIDE = { left: 54, right: 12, top: 12, bottom: 36 };
const [FEWEST, MOST] = TAKES.n;
const STEP = 32; // between two marks of bytes: 1 MiB, 32 MiB, 1 GiB, …
const POINTS = Array.from({ length: 65 }, (_, i) => Math.round(FEWEST * (MOST / FEWEST) ** (i / 64)));
const NAMED = [
  [16, "16"],
  [256, "256"],
  [4096, "4 k"],
  [65_536, "64 k"],
  [MOST, "1 M"],
];

/** What a kind costs at n on the chart. */
export const height = (kind, state, n) => {
  const one = stack(kind, { ...state, n });
  return state.chart === "bytes" ? one.bytes : worked(state, one);
};

/** [value, name]: the horizontal lines. */
export function limits(state, rate, measured) {
  if (state.chart === "bytes")
    return [
      [H100.memory, "H100, 80 GB"],
      [P100.memory, "P100, 16 GiB"],
      [PAGE, "this page, 1 GiB"],
    ];
  return [
    [P100.flops, "P100, 1 s at its peak"],
    [rate, measured ? "this device, 1 s" : "reference, 1 s"],
  ];
}

/** The lowest and highest power of `base` that hold all values. */
export function range(values, base) {
  const exponents = values.map((value) => Math.log(value) / Math.log(base));
  return [Math.floor(Math.min(...exponents)), Math.ceil(Math.max(...exponents))].map((exponent) => base ** exponent);
}

/** [value, text] along the vertical axis, at most about seven. */
export function marks([low, high], inBytes) {
  if (!inBytes) return ticks([low, high], true, 6).map((value) => [value, digits(value)]);
  const list = [];
  for (let value = low; value <= high * 1.001; value *= STEP) list.push([value, bytes(value)]);
  return list;
}

/** choose(n): the reader pointed at that number of tokens. */
export function chart({ choose }) {
  const { face, canvas, open } = sheet("wal-chart");
  let width = 0;
  const point = (event) => {
    const part = (event.clientX - canvas.getBoundingClientRect().left - SIDE.left) / (width - SIDE.left - SIDE.right);
    choose(Math.round(FEWEST * (MOST / FEWEST) ** clamp(part, 0, 1)));
  };
  draggable(face, { start: point, move: point });
  face.style.touchAction = "pan-y"; // a finger that moves up or down scrolls the page

  function draw(state, rate, measured) {
    width = face.clientWidth;
    if (!width) return;
    const tall = Math.round(clamp(0.6 * width, 250, 400));
    const { context, colours, hue, trace, across, upright, note, levels } = open(width, tall);
    const inBytes = state.chart === "bytes";
    const lines = state.kinds.map((kind) => [kind, POINTS.map((n) => height(kind, state, n))]);
    const rules = limits(state, rate, measured);
    const [low, high] = range(
      [...lines.flatMap(([, values]) => values), ...rules.map(([value]) => value)],
      inBytes ? STEP : 10,
    );
    const foot = tall - SIDE.bottom;
    const end = width - SIDE.right;
    const right = (n) => SIDE.left + ((end - SIDE.left) * Math.log(n / FEWEST)) / Math.log(MOST / FEWEST);
    const up = (value) => foot - ((foot - SIDE.top) * Math.log(value / low)) / Math.log(high / low);
    const places = marks([low, high], inBytes).map(([value, text]) => [up(value), text]);
    levels(places, SIDE.left, end);
    for (const [n, text] of NAMED) note(text, right(n), foot + 12, n === MOST ? "right" : "center");
    note("tokens n", (SIDE.left + end) / 2, tall - 8);
    upright(right(state.n), SIDE.top, foot, colours.edge, 1.2, [3, 3]);
    for (const [value, name] of rules) {
      across(up(value), SIDE.left, end, colours.ink, 1.4, [7, 3]);
      write(context, colours, name, SIDE.left + 6, up(value) - 8, { align: "left" });
    }
    for (const [kind, values] of lines) {
      const path = values.map((value, i) => [right(POINTS[i]), up(value)]);
      trace(path, hue(HUES[kind]), kind === "full" ? 3 : 2.2, DASHES[kind]);
    }
    for (const kind of state.kinds)
      dot(context, hue(HUES[kind]), colours.ground, [right(state.n), up(height(kind, state, state.n))], 4.5, true);
  }
  return { face, draw };
}
