// What a prediction is compared with: read from the evidence, as its cells have put it out. No DOM here, so that Node can test it.
//
// Evidence: {text, lines: [{name, x, y}]}, the printed text of the cells and the lines of their figures.

import { figure, plainNumber } from "./number.js";

export const NONE = { truth: null, right: null, message: "" };
/** The text that the pattern's group finds; null where it finds none. A printed minus may be a true one. */
const found = (pattern, { text }) => new RegExp(pattern, "m").exec(text)?.[1] ?? null;
const numberIn = (pattern, evidence) => {
  const typed = found(pattern, evidence);
  const read = typed === null ? {} : plainNumber(typed);
  return Number.isFinite(read.value) ? read.value : null;
};

function choose({ read, options }, answer, evidence) {
  const text = found(read, evidence);
  if (text === null) return NONE;
  const x = plainNumber(text).value;
  const holds = ({ when }) => (typeof when === "string" ? when === text : when[0] <= x && x <= when[1]);
  const truth = options.find(holds);
  const mine = options.find((option) => option.text === answer);
  if (!truth) return NONE;
  const right = truth === mine;
  const why = ({ text, reason }) => `\n*${text}*: ${reason}`;
  return { truth: truth.text, right, message: right ? truth.reason : [mine, truth].filter(Boolean).map(why).join("") };
}

function number({ read, within, mistakes, unit }, answer, evidence) {
  const truth = numberIn(read, evidence);
  if (truth === null) return NONE;
  const shown = `${figure(truth)}${unit ? ` ${unit}` : ""}`;
  const mine = plainNumber(answer, unit).value;
  const near = (x, y, share) => Math.abs(x - y) <= Math.max(within, share * Math.abs(y)) * (1 + 1e-9);
  const right = near(mine, truth, 0);
  const reason = right ? "" : (mistakes.find(([value]) => near(mine, value, 0.1))?.[1] ?? "");
  return { truth: shown, right, message: reason };
}

/** `answer`: the texts, in the reader's order. */
function order({ things, reason }, answer, evidence) {
  const values = things.map(([text, pattern]) => [text, numberIn(pattern, evidence)]);
  if (values.some(([, value]) => value === null)) return NONE;
  const truth = values.sort(([, a], [, b]) => b - a).map(([text]) => text);
  return { truth: truth.join(" > "), right: truth.join() === answer?.join(), message: reason };
}

/** A rule a kind, but for a drawn curve's (curve_check.js): {truth, right, message}; all null and empty where there is no evidence to read, as in a notebook not run yet. */
export const compared = { choose, number, order };
