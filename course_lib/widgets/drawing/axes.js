// The ground of a plane's picture: lines at round numbers, the origin in the middle.

import { write } from "./canvas.js";
import { digits, ticks } from "./scale.js";

/** unit: pixels for a length of 1. */
export function axesGrid(context, colours, { width, height, unit }) {
  const wide = width / 2 / unit;
  const quiet = { ...colours, ink: colours.soft };
  for (const value of ticks([-wide, wide], false, 8)) {
    for (const vertical of [true, false]) {
      if (!vertical && Math.abs(value) > height / 2 / unit) continue;
      const px = width / 2 + unit * value;
      const py = height / 2 - unit * value;
      context.lineWidth = 1; // write() leaves a wide one
      context.strokeStyle = value === 0 ? colours.edge : colours.line;
      context.beginPath();
      if (vertical) {
        context.moveTo(px, 0);
        context.lineTo(px, height);
      } else {
        context.moveTo(0, py);
        context.lineTo(width, py);
      }
      context.stroke();
      if (vertical && px > 14 && px < width - 14) write(context, quiet, digits(value), px, height - 9);
      if (!vertical && value !== 0 && py > 12 && py < height - 24)
        write(context, quiet, digits(value), 5, py, { align: "left" });
    }
  }
}
