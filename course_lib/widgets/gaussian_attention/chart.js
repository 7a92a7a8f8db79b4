// The spectrum of the covariance, layer by layer, on a logarithmic scale: lines for the closed form, squares for the particles.

import { begin, label, write } from "../surface/canvas.js";
import { digits, ticks } from "../surface/scale.js";
import { h } from "../drawing/ui.js";
import { RANGES } from "./address.js";
import { shownSpectrum } from "./maps.js";

const SIDE = { left: 50, right: 12, top: 12, bottom: 34 };
const DECADES = 4; // more than so many: ticks at powers of ten alone

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
  if (high - low <= DECADES) return ticks([10 ** low, 10 ** high], true, 4).map((value) => [Math.log10(value), label(value)]);
  return ticks([low, high], false, 4)
    .filter(Number.isInteger)
    .map((exponent) => [exponent, digits(10 ** Math.min(exponent, 308))]);
}

export function chart() {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const face = h("div", { class: "gau-chart" }, canvas);
  const el = h(
    "figure",
    { class: "gau-figure" },
    h("figcaption", {}, "Eigenvalues of Σ after each layer; squares: of the particles"),
    face,
  );

  /** clouds, steps: the closed form's and the particles' layers; shown: the layer that the picture shows. */
  function draw(clouds, steps, shown) {
    const width = face.clientWidth;
    if (!width) return;
    const height = Math.round(Math.min(0.62 * width, 230));
    const { context, colours } = begin(canvas, width, height);
    const style = getComputedStyle(canvas);
    const hue = (name) => style.getPropertyValue(`--course-${name}`).trim();
    const closed = clouds.map(({ sigma }) => shownSpectrum(sigma));
    const seen = steps.map(({ sigma }) => shownSpectrum(sigma));
    const range = span([...closed, ...seen].flat().filter((value) => value !== null));
    const [low, high] = range;
    const right = (layer) => SIDE.left + ((width - SIDE.left - SIDE.right) * (layer + 0.25)) / (RANGES.layers[1] + 0.5);
    const level = (exponent) => height - SIDE.bottom - (height - SIDE.top - SIDE.bottom) * ((exponent - low) / (high - low));
    const up = (value) => level(Math.log10(value));
    const quiet = { ...colours, ink: colours.soft };
    for (const [exponent, text] of powers(range)) {
      context.lineWidth = 1; // write() leaves a wide one
      context.strokeStyle = colours.line;
      context.beginPath();
      context.moveTo(SIDE.left, level(exponent));
      context.lineTo(width - SIDE.right, level(exponent));
      context.stroke();
      write(context, quiet, text, SIDE.left - 6, level(exponent), { align: "right" });
    }
    context.lineWidth = 1.2;
    context.strokeStyle = colours.edge;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.moveTo(right(shown), SIDE.top - 6);
    context.lineTo(right(shown), height - SIDE.bottom);
    context.stroke();
    context.setLineDash([]);
    for (let layer = 0; layer <= RANGES.layers[1]; layer++)
      write(context, quiet, String(layer), right(layer), height - SIDE.bottom + 11);
    write(context, quiet, "layers passed", (SIDE.left + width) / 2, height - 8);
    for (const k of [0, 1]) {
      // 0 has no logarithm: an eigenvalue of 0, or lost in rounding, is not drawn
      const drawn = (pairs) =>
        pairs
          .map((pair, layer) => [right(layer), pair[k]])
          .filter(([, value]) => value > 0)
          .map(([x, value]) => [x, up(value)]);
      context.strokeStyle = context.fillStyle = hue("blue");
      context.lineWidth = 2.2;
      context.beginPath();
      drawn(closed).forEach(([x, y], i) => context[i ? "lineTo" : "moveTo"](x, y));
      context.stroke();
      for (const [x, y] of drawn(closed)) {
        context.beginPath();
        context.arc(x, y, 3, 0, 2 * Math.PI);
        context.fill();
      }
      context.strokeStyle = hue("orange");
      context.lineWidth = 1.8;
      for (const [x, y] of drawn(seen)) context.strokeRect(x - 4.5, y - 4.5, 9, 9);
    }
  }
  return { el, face, draw };
}
