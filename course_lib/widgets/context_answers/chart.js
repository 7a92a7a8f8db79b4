// How far each member of a family is from what was wanted, in this context: a disc for each, the chosen one filled.

import { figure } from "../drawing/sheet.js";
import { digits, ticks } from "../drawing/scale.js";

const SIDE = { left: 50, right: 16, top: 12, bottom: 24 };

export function chart() {
  const { el, face, open } = figure(
    "ctx-chart",
    "Error of each in this context (root mean square over x, logarithmic)",
  );

  /** errors, names: one for each member; chosen: which. */
  function draw(errors, names, chosen) {
    el.hidden = errors.length < 2 || !errors.every((value) => value > 0);
    const width = face.clientWidth;
    if (el.hidden || !width) return;
    const height = Math.round(Math.min(0.5 * width, 150));
    const { colours, hue, trace, disc, note, levels } = open(width, height);
    const [low, high] = [Math.min(...errors) / 1.3, Math.max(...errors) * 1.3];
    const foot = height - SIDE.bottom;
    const right = (i) => SIDE.left + ((i + 0.5) / errors.length) * (width - SIDE.left - SIDE.right);
    const up = (value) => foot - ((foot - SIDE.top) * Math.log(value / low)) / Math.log(high / low);
    levels(
      ticks([low, high], true, 3).map((value) => [up(value), digits(value)]),
      SIDE.left,
      width - SIDE.right,
    );
    trace(
      errors.map((value, i) => [right(i), up(value)]),
      hue("orange"),
      1.5,
    );
    errors.forEach((value, i) => {
      disc([right(i), up(value)], i === chosen ? 6.5 : 4.5, hue("orange"));
      if (i !== chosen) disc([right(i), up(value)], 3, colours.ground);
      note(names[i], right(i), foot + 12);
    });
  }
  return { el, draw };
}
