// What the picture shows, in words.

import { digits } from "../drawing/scale.js";
import { number } from "../drawing/ui.js";
import { LINE } from "./answers.js";

export const WANTED = {
  kernel: "the kernel target",
  rank: "the rank target",
  centred: "the centred target",
  line: "the best possible answer",
};
const plural = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;
/** Below a hundred-thousandth it is rounding in float32. */
const small = (value) => (value < 1e-5 ? "less than 0.00001" : digits(value, 2));

/**
 * shift: {answered, wanted}, by how much listing the points once more often has moved the two curves; null where each
 * stands once.
 */
export function told({ question, points, copies, name, found, wanted, answered, shift, asked }) {
  const { rms, most, at } = found;
  const where =
    `${digits(rms, 2)} off ${WANTED[question]} (root mean square over x), at most ${digits(most, 2)}, ` +
    `at x = ${number(LINE[at])}, where ${number(wanted[at])} was wanted and ${number(answered[at])} came`;
  const first = `${name}, in the context of ${plural(points.length, "point")}: ${where}.`;
  const second =
    question === "line"
      ? ` At x = ${number(asked.x)} the network predicts ${number(asked.answered)}, the best answer is ` +
        `${number(asked.wanted)}.`
      : "";
  if (!shift) return first + second;
  const same = `Each point stands in the list ${copies} times. That moves the answer by ${small(shift.answered)}`;
  const other =
    question === "line"
      ? `, and the best possible one, which counts ${points.length * copies} observations, by ${small(shift.wanted)}.`
      : ": the measure is the same.";
  return `${first}${second} ${same}${other}`;
}
export const spot = ([x, y], flat) => (flat ? `at ${number(x)}` : `at ${number(x)}, ${number(y)}`);
