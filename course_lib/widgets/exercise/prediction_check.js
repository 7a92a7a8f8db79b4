// What a prediction is compared with: read from the evidence, as its cells have put it out. No DOM here, so that Node
// can test it.
//
// Evidence: {text, lines: [{name, x, y}]}, the printed text of the cells and the lines of their figures.

import { printed } from "./number.js";

export const NONE = { truth: null, right: null, message: "" };
/** The text that the pattern's group finds; null where it finds none. A printed minus may be a true one. */
export const found = (pattern, { text }) => new RegExp(pattern, "m").exec(text)?.[1] ?? null;

function choose({ read, options }, answer, evidence) {
  const text = found(read, evidence);
  if (text === null) return NONE;
  const x = printed(text);
  const holds = ({ when }) => (typeof when === "string" ? when === text : when[0] <= x && x <= when[1]);
  const truth = options.find(holds);
  const mine = options.find((option) => option.text === answer);
  if (!truth) return NONE;
  const right = truth === mine;
  const why = ({ text, reason }) => `\n*${text}*: ${reason}`;
  return { truth: truth.text, right, message: right ? truth.reason : [mine, truth].filter(Boolean).map(why).join("") };
}

/** `answer`: the texts, in the reader's order. */
function order({ things, reason }, answer, evidence) {
  const values = things.map(([text, pattern]) => [text, printed(found(pattern, evidence) ?? "")]);
  if (values.some(([, value]) => Number.isNaN(value))) return NONE;
  const truth = values.sort(([, a], [, b]) => b - a).map(([text]) => text);
  return { truth: truth.join(" > "), right: truth.join() === answer?.join(), message: reason };
}

/**
 * A rule a kind, but for a typed number's (number_check.js) and a drawn curve's (curve_check.js): {truth, right,
 * message}; all null and empty where there is no evidence to read, as in a notebook not run yet.
 */
export const compared = { choose, order };
