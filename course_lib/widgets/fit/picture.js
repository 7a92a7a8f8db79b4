// The points, the wave that they come from, and the network's curve; and the three errors, step by step.

import { lineChart } from "../drawing/line_chart.js";
import { setAttr, setAttrs, svg } from "../drawing/ui.js";
import { EACH, GRID, LAST, wave } from "./run.js";
import { FLOOR, NOISE_ALONE } from "./words.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [280, 230, 28, 8, 8, 20];
const TALL = 2; // y is drawn from -2 to 2
export const KINDS = ["training", "validation", "test"];

const px = (x) => LEFT + ((WIDTH - LEFT - RIGHT) * (x + 1)) / 2;
const py = (y) => TOP + ((HEIGHT - TOP - BOTTOM) * (TALL - y)) / 2 / TALL;
const path = (heights) => `M${GRID.map((x, i) => `${px(x).toFixed(1)} ${py(heights[i]).toFixed(1)}`).join("L")}`;

/** The plane of the points. draw({points, outputs, words}). */
export function plane() {
  const label = (x, y, text, side) => svg("text", { x, y, "text-anchor": side }, text);
  const across = [-2, -1, 0, 1, 2].map((y) =>
    svg("line", { class: "trn-tick", x1: px(-1), x2: px(1), y1: py(y), y2: py(y) }),
  );
  const clip = svg("svg", { x: px(-1), y: TOP, width: px(1) - px(-1), height: py(-TALL) - TOP });
  setAttr(clip, "viewBox", `${px(-1)} ${TOP} ${px(1) - px(-1)} ${py(-TALL) - TOP}`);
  const truth = svg("path", { class: "fit-wave", d: path(GRID.map(wave)) });
  const fit = svg("path", { class: "fit-curve" });
  const validation = svg("g", { class: "fit-validation" });
  const training = svg("g", { class: "fit-training" });
  clip.append(truth, validation, training, fit);
  const picture = svg(
    "svg",
    { class: "trn-chart fit-plane", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" },
    ...across,
    ...[-2, -1, 0, 1, 2].map((y) => label(LEFT - 5, py(y) + 3.5, String(y).replace("-", "−"), "end")),
    ...[-1, -0.5, 0, 0.5, 1].map((x) => label(px(x), HEIGHT - 5, String(x).replace("-", "−"), "middle")),
    clip,
  );
  let seen = null;
  function put(group, { x, y }, r) {
    group.replaceChildren(
      ...Array.from(x, (at, i) => svg("circle", { cx: px(at).toFixed(1), cy: py(y[i]).toFixed(1), r })),
    );
  }
  function draw({ points, outputs, words }) {
    if (points !== seen) {
      seen = points;
      put(validation, points.validation, 3);
      put(training, points.training, 4);
    }
    setAttr(fit, "d", path(outputs));
    setAttr(picture, "aria-label", words);
  }
  return { el: picture, draw };
}

const X = { low: EACH, high: LAST, log: true, name: "steps" };
const X_MARKS = [10, 100, 1000, LAST].map((step) => [step, String(step)]);
const Y = { low: 0.01, high: 2, log: true };
const Y_MARKS = [0.01, 0.03, 0.1, 0.3, 1].map((error) => [error, String(error)]);

/** The errors up to the last moment that is computed, with the moment that is shown. draw({moments, at, words}). */
export function errors() {
  const chart = lineChart({ width: WIDTH, height: HEIGHT, right: 12, axis: true, kinds: KINDS, at: true });
  function draw({ moments, at, words }) {
    const line = (kind) => moments.slice(1).map(({ errors }, i) => [(i + 1) * EACH, errors[kind]]);
    chart.draw({
      x: { ...X, marks: X_MARKS },
      y: { ...Y, marks: Y_MARKS },
      series: Object.fromEntries(KINDS.map((kind) => [kind, line(kind)])),
      marked: [[FLOOR, `the noise, ${NOISE_ALONE}`, "floor"]],
      at: Math.max(EACH, at * EACH),
      words,
    });
    setAttrs(chart.picture, { class: "trn-chart fit-errors" });
  }
  return { el: chart.picture, draw };
}
