// Contour lines by marching squares: where the field, linear along each side of a cell, has a given height. Pure
// functions.

import { cornersOf } from "./geometry.js";

/** Pieces [[x, y], [x, y]] of the line of height `level` through z over x and y; cells beside a hole have none. */
export function contour({ x, y }, z, level) {
  const pieces = [];
  for (let i = 0; i + 1 < y.length; i++) {
    for (let j = 0; j + 1 < x.length; j++) {
      const corners = cornersOf(i, j);
      const heights = corners.map(([a, b]) => z[a][b]);
      if (heights.some((value) => value === null)) continue;
      const crossings = [];
      for (let k = 0; k < 4; k++) {
        const from = heights[k];
        const to = heights[(k + 1) % 4];
        if (from >= level === to >= level) continue;
        const part = (level - from) / (to - from);
        const [a, b] = corners[k];
        const [c, d] = corners[(k + 1) % 4];
        crossings.push([x[b] + part * (x[d] - x[b]), y[a] + part * (y[c] - y[a])]);
      }
      if (crossings.length === 2) pieces.push(crossings);
      else if (crossings.length === 4) {
        // a saddle: the middle says which corners belong together
        const middle = (heights[0] + heights[1] + heights[2] + heights[3]) / 4;
        const [a, b, c, d] = crossings;
        pieces.push(
          ...(middle >= level === heights[0] >= level
            ? [
                [a, b],
                [c, d],
              ]
            : [
                [d, a],
                [b, c],
              ]),
        );
      }
    }
  }
  return pieces;
}
