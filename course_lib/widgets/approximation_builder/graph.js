// Dimension 1: the target, the network and where it is off, over the box; under it the last correction's H and its
// covers. For the drawn target nine handles on the graph.

import { digits, ticks } from "../drawing/scale.js";
import { sheet } from "../drawing/sheet.js";
import { clamp, draggable, number, setAttr, setAttrs, svg } from "../drawing/ui.js";
import { RANGES } from "./address.js";
import { PLACES } from "./targets.js";

const SIDE = { left: 44, right: 12, top: 10, bottom: 26 };
const STRIP = 0.27; // of the height, for H

/** get(): the settings; lift(k, height). Returns {el, draw(scene)}. */
export function graph({ get, lift }) {
  const layer = svg("svg", { class: "course-handles" });
  const { face: el, open } = sheet("course-plane app-graph", { role: "group", "aria-label": "The graph" }, layer);
  let right = (x) => x;
  let up = (y) => y;
  let down = (py) => py;
  const round = (value) => clamp(Math.round(20 * value) / 20, ...RANGES.heights);
  const handles = PLACES.map((x, k) => {
    const node = svg(
      "g",
      {
        class: "course-handle",
        role: "slider",
        tabindex: 0,
        display: "none",
        "aria-label": `height of the polygon at x = ${number(x)}`,
        "aria-orientation": "vertical",
        "aria-valuemin": RANGES.heights[0],
        "aria-valuemax": RANGES.heights[1],
      },
      svg("circle", { class: "course-target", r: 15 }),
      svg("circle", { class: "course-knob", r: 6 }),
    );
    draggable(node, { move: (event) => lift(k, round(down(event.clientY - el.getBoundingClientRect().top))) });
    node.addEventListener("keydown", (event) => {
      const by = { ArrowUp: 0.05, ArrowRight: 0.05, ArrowDown: -0.05, ArrowLeft: -0.05, PageUp: 0.25, PageDown: -0.25 }[
        event.key
      ];
      if (!by) return;
      event.preventDefault();
      lift(k, round(get().heights[k] + by));
    });
    layer.append(node);
    return node;
  });

  /** scene: {grid, values, outputs, low, high, last: the correction shown or null, eps}. */
  function draw({ grid, values, outputs, low, high, last, eps }) {
    const width = el.clientWidth;
    if (!width) return;
    const height = Math.round(clamp(0.62 * width, 260, 430));
    const pen = open(width, height);
    const { context, colours, hue, trace, note, levels } = pen;
    const [[from, to]] = grid.box;
    const split = height * (1 - STRIP);
    const room = Math.max(0.08 * (high - low), 0.02);
    const [bottom, top] = [low - room, high + room];
    const end = width - SIDE.right;
    right = (x) => SIDE.left + (end - SIDE.left) * ((x - from) / (to - from));
    up = (y) => split - (split - SIDE.top) * ((y - bottom) / (top - bottom));
    down = (py) => bottom + ((split - py) / (split - SIDE.top)) * (top - bottom);
    if (last)
      for (const [marks, name] of [
        [last.positive, "orange"],
        [last.negative, "green"],
      ])
        bands(context, last.grid, marks, hue(name), split);
    const marks = ticks([bottom, top], false, 5);
    levels(
      marks.map((value) => [up(value), digits(value)]),
      SIDE.left,
      end,
    );
    for (const value of ticks([from, to], false, 6))
      note(digits(value), clamp(right(value), SIDE.left + 6, end - 8), height - 9);
    context.globalAlpha = 0.16;
    context.fillStyle = colours.ink;
    corridor(context, grid, values, eps);
    context.globalAlpha = 1;
    const curve = ({ points }, heights, level, ...line) =>
      trace(
        Array.from(heights, (value, i) => [right(points[i]), level(value)]),
        ...line,
      );
    curve(grid, values, up, colours.ink, 1.6, [5, 3]);
    if (last) {
      const before = last.values.map((value, i) => value + last.residual[i]);
      curve(last.grid, before, up, hue("blue"), 0.9, [2, 3]);
    }
    curve(grid, outputs, up, hue("blue"), 2.2);
    const floor = height - SIDE.bottom;
    const level = (value) => floor - (floor - split - 22) * value;
    levels(
      [0, 1].map((value) => [level(value), String(value)]),
      SIDE.left,
      end,
    );
    note(last ? "H, and the last polygons’ half-lines" : "H", SIDE.left, split + 10, "left");
    if (last) {
      curve(last.grid, last.H, level, hue("purple"), 2);
      covers(pen, last, hue("purple"), (floor + level(1)) / 2, floor - level(1));
    }
    const drawn = get().target === "drawn";
    setAttr(layer, "viewBox", `0 0 ${width} ${height}`);
    handles.forEach((node, k) => {
      setAttr(node, "display", drawn ? "inline" : "none");
      if (!drawn) return;
      const value = get().heights[k];
      const transform = `translate(${right(PLACES[k]).toFixed(1)} ${up(value).toFixed(1)})`;
      setAttrs(node, { transform, "aria-valuenow": value, "aria-valuetext": number(value) });
    });
  }
  function corridor(context, { points }, values, eps) {
    context.beginPath();
    values.forEach((value, i) => context[i ? "lineTo" : "moveTo"](right(points[i]), up(value + eps)));
    for (let i = values.length - 1; i >= 0; i--) context.lineTo(right(points[i]), up(values[i] - eps));
    context.fill();
  }
  /** U⁺ or U⁻ as bands of whole cells. */
  function bands(context, { points, half }, marks, colour, split) {
    context.globalAlpha = 0.22;
    context.fillStyle = colour;
    for (let i = 0; i < marks.length; i++) {
      if (!marks[i] || marks[i - 1]) continue;
      let j = i;
      while (marks[j + 1]) j++;
      const x0 = right(points[i] - half[0]);
      const x1 = right(points[j] + half[0]);
      context.fillRect(x0, SIDE.top, Math.max(1.5, x1 - x0), split - SIDE.top);
    }
    context.globalAlpha = 1;
  }
  /** Each guard: a dot at its point a, a tick at each b_j, and the interval of its core, where g̃ < ε. */
  function covers({ across, upright, disc }, { separator, grid }, colour, middle, tall) {
    const {
      points,
      box: [[from, to]],
    } = grid;
    separator.guards.forEach(({ around: [a], chosen, near }, k) => {
      const y = middle + ((k % 5) - 2) * (tall / 7);
      let low = from;
      let high = to;
      chosen.forEach((b, j) => {
        const end = a + near[j] * (points[b] - a);
        if (points[b] > a) high = Math.min(high, end);
        else low = Math.max(low, end);
      });
      across(y, right(low), right(high), colour, 1);
      disc([right(a), y], 3, colour);
      for (const b of chosen) upright(right(points[b]), y - 4, y + 4, colour, 1);
    });
  }
  return { el, draw };
}
