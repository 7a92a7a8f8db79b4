// The four loss surfaces, the twin of SURFACES in course_lib/descent.py, their grid for the drawing, and where on them
// a point lies.

import { TAKES } from "./address.js";

export const REACH = TAKES.start[1];
const POINTS = 41; // a point every tenth
const RIDGE = 0.3;
const axis = Array.from({ length: POINTS }, (_, i) => (i - 20) / 10);
export const AXES = { x: axis, y: axis };
const along = (x, y) => [0.8 * x + 0.6 * y, 0.8 * y - 0.6 * x];
const far = (x, y, [a, b]) => Math.hypot(x - a, y - b);

/** The way to the only minimum, at the middle; `digits` writes a number. */
const toMiddle = (x, y, digits) => {
  const distance = far(x, y, [0, 0]);
  return distance < 0.05 ? "at the minimum" : `${digits(distance, 2)} from the minimum`;
};

export const SURFACES = {
  bowl: {
    height: (x, y) => x * x + 0.5 * y * y,
    slope: (x, y) => [2 * x, y],
    start: [-1.6, 1.5],
    place: toMiddle,
    words: "A round bowl with its minimum, loss 0, in the middle; twice as steep along x as along y.",
  },
  valley: {
    height(x, y) {
      const [u, w] = along(x, y);
      return 0.5 * u * u + 8 * w * w;
    },
    slope(x, y) {
      const [u, w] = along(x, y);
      return [0.8 * u - 9.6 * w, 0.6 * u + 12.8 * w];
    },
    start: [-1.8, -0.4],
    place: toMiddle,
    words:
      "A narrow valley that runs aslant, from the left of the near side to the right of the far side. Its walls are " +
      "sixteen times as curved as its floor; the minimum, loss 0, is in the middle.",
  },
  "two minima": {
    height: (x, y) => x * x * (0.25 * x * x - 0.1 * x - 0.605) + 0.363 * x + 0.632225 + 0.3 * y * y,
    slope: (x, y) => [x * x * x - 0.3 * x * x - 1.21 * x + 0.363, 0.6 * y],
    start: [1.8, 1.4],
    place(x, y) {
      const deep = x < RIDGE;
      const name = deep ? "deep" : "shallow";
      return far(x, y, deep ? [-1.1, 0] : [1.1, 0]) < 0.5
        ? `in the ${name} minimum`
        : `on the ${name} minimum's side of the ridge`;
    },
    words:
      "Two minima with y = 0: a shallow one at x = 1.1 with loss 0.532, a deep one at x = −1.1 with loss 0. The " +
      "ridge between them, at x = 0.3, has loss 0.686.",
  },
  saddle: {
    height: (x, y) => 0.5 * x * x + 0.5 * (y * y - 1) * (y * y - 1),
    slope: (x, y) => [x, 2 * y * (y * y - 1)],
    start: [1.8, 0],
    place(x, y) {
      if (far(x, y, [0, 0]) < 0.2) return "on the saddle";
      const side = y < 0 ? "−1" : "1";
      if (far(x, y, [0, y < 0 ? -1 : 1]) < 0.3) return `in the minimum at y = ${side}`;
      return y === 0 ? "on the line that leads to the saddle" : `on the slope towards the minimum at y = ${side}`;
    },
    words:
      "A saddle in the middle, loss 0.5: the lowest point of a walk along x, the highest of one along y. On its two " +
      "sides, at y = −1 and y = 1, are minima with loss 0.",
  },
};

/** The heights over the grid, one row a value of y; a loss of 0 is told as 0 and not as its rounding error. */
export const grid = (name) => axis.map((y) => axis.map((x) => Math.round(1e9 * SURFACES[name].height(x, y)) / 1e9));
