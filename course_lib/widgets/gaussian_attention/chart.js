// The spectrum of the covariance, layer by layer, on a logarithmic scale: lines for the closed form, squares for the
// particles.

import { figure } from "../drawing/sheet.js";
import { digits, ticks } from "../drawing/scale.js";
import { RANGES } from "./address.js";
import { shownSpectrum } from "./maps.js";

const SIDE = { left: 50, right: 12, top: 12, bottom: 34 };
const DECADES = 4; // more than so many: ticks at powers of ten alone
const [, LAST] = RANGES.layers;

/** Exponents of ten from the lowest to the highest of some positive numbers, with a little room. */
export function span(values) {
  const exponents = values.filter((value) => value > 0).map(Math.log10);
  if (!exponents.length) return [-1, 1];
  const low = Math.min(...exponents);
  const high = Math.max(...exponents);
  const room = Math.max(0.08, 0.06 * (high - low));
  return [low - room, high + room];
}

/** Exponents at which to draw a line, and the numbers that they stand for. */
export function powers([low, high]) {
  if (high - low <= DECADES)
    return ticks([10 ** low, 10 ** high], true, 4).map((value) => [Math.log10(value), digits(value)]);
  return ticks([low, high], false, 4)
    .filter(Number.isInteger)
    .map((exponent) => [exponent, digits(10 ** Math.min(exponent, 308))]);
}

export function chart() {
  const { el, face, open } = figure("gau-chart", "Eigenvalues of Σ after each layer; squares: of the particles");

  /** clouds, steps: the closed form's and the particles' layers; shown: the layer that the picture shows. */
  function draw(clouds, steps, shown) {
    const width = face.clientWidth;
    if (!width) return;
    const height = Math.round(Math.min(0.62 * width, 230));
    const { context, colours, hue, trace, upright, disc, note, levels } = open(width, height);
    const closed = clouds.map(({ sigma }) => shownSpectrum(sigma));
    const seen = steps.map(({ sigma }) => shownSpectrum(sigma));
    const range = span([...closed, ...seen].flat().filter((value) => value !== null));
    const [low, high] = range;
    const foot = height - SIDE.bottom;
    const right = (layer) => SIDE.left + ((width - SIDE.left - SIDE.right) * (layer + 0.25)) / (LAST + 0.5);
    const level = (exponent) => foot - (foot - SIDE.top) * ((exponent - low) / (high - low));
    const marks = powers(range).map(([exponent, text]) => [level(exponent), text]);
    levels(marks, SIDE.left, width - SIDE.right);
    upright(right(shown), SIDE.top - 6, foot, colours.edge, 1.2, [3, 3]);
    for (let layer = 0; layer <= LAST; layer++) note(String(layer), right(layer), foot + 11);
    note("layers passed", (SIDE.left + width) / 2, height - 8);
    for (const k of [0, 1]) {
      // 0 has no logarithm: an eigenvalue of 0, or lost in rounding, is not drawn
      const drawn = (pairs) =>
        pairs
          .map((pair, layer) => [right(layer), pair[k]])
          .filter(([, value]) => value > 0)
          .map(([x, value]) => [x, level(Math.log10(value))]);
      trace(drawn(closed), hue("blue"), 2.2);
      for (const at of drawn(closed)) disc(at, 3, hue("blue"));
      context.strokeStyle = hue("orange");
      context.lineWidth = 1.8;
      for (const [x, y] of drawn(seen)) context.strokeRect(x - 4.5, y - 4.5, 9, 9);
    }
  }
  return { el, face, draw };
}
