// What a drawn curve is compared with: a line of the evidence's figures. Apart, so that pages without one do not carry
// it.

import { figure } from "./number.js";
import { NONE } from "./prediction_check.js";

const WIDTHS = {
  f8: Float64Array,
  f4: Float32Array,
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
};

/** A figure's numbers, stored as a list or as plotly's base64. */
function numbers(stored) {
  if (Array.isArray(stored)) return stored.map(Number);
  const Kind = WIDTHS[stored?.dtype];
  if (!Kind) return [];
  const bytes = Uint8Array.from(atob(stored.bdata), (letter) => letter.charCodeAt(0));
  return [...new Kind(bytes.buffer)].map(Number);
}

/** The heights of a line at these places, straight between its own. */
function heights({ x, y }, places) {
  return places.map((place) => {
    const next = x.findIndex((each) => each >= place - 1e-9);
    if (next < 0) return null;
    if (next === 0 || Math.abs(x[next] - place) < 1e-9) return Math.abs(x[next] - place) < 1e-9 ? y[next] : null;
    return y[next - 1] + ((y[next] - y[next - 1]) * (place - x[next - 1])) / (x[next] - x[next - 1]);
  });
}

/** `answer`: a height at each place. */
export function curve({ x, within, read, reason }, answer, { lines }) {
  const line = lines.find(({ name }) => name === read);
  const truth = line && heights({ x: numbers(line.x), y: numbers(line.y) }, x);
  if (!truth || truth.includes(null)) return NONE;
  const off = truth.map((height, i) => Math.abs(height - answer[i]));
  const mean = off.reduce((sum, each) => sum + each) / off.length;
  const worst = off.indexOf(Math.max(...off));
  const where = `You are off by ${figure(Number(mean.toPrecision(2)))} on average, most at ${figure(x[worst])}`;
  return { truth, right: mean <= within, message: `${where}. ${reason}` };
}
