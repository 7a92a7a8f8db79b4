// The same heights from above, as a map: colours and contour lines.

import { begin, drawMarker, drawPath, MARGIN, write } from "../drawing/canvas.js";
import { contour } from "./contour.js";
import { toBox } from "./geometry.js";
import { colour, digits, shareOf, ticks } from "../drawing/scale.js";

const LEVELS = 9;

/**
 * Arguments as for paintTurned; view.levels: how many contour lines; view.root: see shareOf. Returns the points on the
 * screen, null in holes.
 */
export function paintFlat(canvas, { width, height, data, field, range, log, view, marker, names }) {
  const { context, colours } = begin(canvas, width, height);
  const inner = [width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom];
  const px = (x) => MARGIN.left + ((toBox(data.x)(x) + 1) / 2) * inner[0];
  const py = (y) => MARGIN.top + ((1 - toBox(data.y)(y)) / 2) * inner[1];
  const part = shareOf(range, log, view.root);
  const { z } = field;
  const parts = z.map((row) => row.map((value) => (value === null ? null : part(value))));

  const fine = Math.max(1, Math.round(110 / Math.max(data.x.length, data.y.length)));
  for (let i = 0; i + 1 < data.y.length; i++)
    for (let j = 0; j + 1 < data.x.length; j++) {
      const [a, b, c, d] = [parts[i][j], parts[i][j + 1], parts[i + 1][j], parts[i + 1][j + 1]];
      if (a === null || b === null || c === null || d === null) continue;
      const left = px(data.x[j]);
      const right = px(data.x[j + 1]);
      const low = py(data.y[i]);
      const high = py(data.y[i + 1]);
      for (let k = 0; k < fine; k++)
        for (let l = 0; l < fine; l++) {
          const s = (l + 0.5) / fine;
          const t = (k + 0.5) / fine;
          const height = (1 - t) * ((1 - s) * a + s * b) + t * ((1 - s) * c + s * d);
          context.fillStyle = `rgb(${colour(height).map(Math.round)})`;
          // whole pixels: no seams
          const [x0, x1] = [l, l + 1].map((at) => Math.round(left + ((right - left) * at) / fine));
          const [y0, y1] = [k + 1, k].map((at) => Math.round(low - ((low - high) * at) / fine));
          context.fillRect(x0, y0, x1 - x0, y1 - y0);
        }
    }
  const levels = view.levels ?? LEVELS;
  for (let k = 1; k <= levels; k++) {
    const share = k / (levels + 1);
    // light on the dark colours, dark on the light ones
    context.strokeStyle = share < 0.5 ? "rgba(255,255,255,.75)" : "rgba(0,0,0,.6)";
    context.lineWidth = 1;
    context.beginPath();
    for (const [from, to] of contour(data, parts, share)) {
      context.moveTo(px(from[0]), py(from[1]));
      context.lineTo(px(to[0]), py(to[1]));
    }
    context.stroke();
  }
  context.strokeStyle = colours.edge;
  context.strokeRect(MARGIN.left, MARGIN.top, inner[0], inner[1]);
  const soft = { ...colours, ink: colours.soft };
  const bottom = MARGIN.top + inner[1];
  for (const value of ticks([data.x[0], data.x.at(-1)], false))
    write(context, soft, digits(value), px(value), bottom + 11);
  for (const value of ticks([data.y[0], data.y.at(-1)], false))
    write(context, soft, digits(value), MARGIN.left - 6, py(value), { align: "right" });
  write(context, colours, names.x, MARGIN.left + inner[0] / 2, bottom + 29);
  context.save();
  context.translate(11, MARGIN.top + inner[1] / 2);
  context.rotate(-Math.PI / 2);
  write(context, colours, names.y, 0, 0);
  context.restore();
  drawPath(
    context,
    colours,
    field.path.map(([x, y]) => [px(x), py(y)]),
  );
  drawMarker(context, colours, [px(data.x[marker[1]]), py(data.y[marker[0]])]);
  return z.map((row, i) => row.map((value, j) => (value === null ? null : [px(data.x[j]), py(data.y[i]), 0])));
}
