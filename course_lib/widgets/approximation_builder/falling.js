// The error after every correction on a logarithmic scale, with the line that the theorem's factor predicts and ε.

import { digits, ticks } from "../drawing/scale.js";
import { figure } from "../drawing/sheet.js";

const SIDE = { left: 48, right: 12, top: 10, bottom: 32 };
const CAPTION = "Largest error after each correction; dashed: what the theorem promises; thin line: ε";

export function falling() {
  const { el, face, open } = figure("app-chart", CAPTION);

  function draw(errors, shown, factor, eps) {
    const width = face.clientWidth;
    if (!width) return;
    const height = Math.round(Math.min(0.6 * width, 210));
    const { colours, hue, trace, across, disc, note, levels } = open(width, height);
    const count = Math.max(4, errors.length - 1);
    const promise = Array.from({ length: count + 1 }, (_, k) => errors[0] * factor ** k);
    // 0 has no logarithm: it is not drawn
    const all = [...errors, ...promise, eps].filter((value) => value > 0).map(Math.log10);
    const low = Math.min(...all) - 0.08;
    const high = Math.max(...all) + 0.08;
    const end = width - SIDE.right;
    const right = (k) => SIDE.left + (end - SIDE.left) * ((k + 0.3) / (count + 0.6));
    const up = (value) =>
      height - SIDE.bottom - (height - SIDE.top - SIDE.bottom) * ((Math.log10(value) - low) / (high - low));
    const marks = ticks([10 ** low, 10 ** high], true, 4);
    levels(
      marks.map((value) => [up(value), digits(value)]),
      SIDE.left,
      end,
    );
    const every = Math.ceil(count / 12);
    for (let k = 0; k <= count; k += every) note(String(k), right(k), height - SIDE.bottom + 11);
    note("corrections", (SIDE.left + width) / 2, height - 7);
    across(up(eps), SIDE.left, end, colours.edge, 1.4);
    const points = (values) => values.map((value, k) => [right(k), value, k]).filter(([, value]) => value > 0);
    const drawn = (values) => points(values).map(([x, value]) => [x, up(value)]);
    trace(drawn(promise), colours.ink, 1.2, [5, 4]);
    trace(drawn(errors), hue("blue"), 1.6);
    for (const [x, value, k] of points(errors)) disc([x, up(value)], k === shown ? 5.5 : 3.5, hue("blue"));
  }
  return { el, draw };
}
