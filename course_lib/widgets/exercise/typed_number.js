// A number that a reader types, as a formula without variables: 1/4, √2, 2^-4, exp(-0.5).

import { NoValue, parse, Unread, value as valueAt } from "./formula.js";
import { readNumber } from "./number.js";

function valued(text) {
  try {
    return { value: valueAt(parse(text, []), {}) };
  } catch (none) {
    if (none instanceof Unread) return { problem: `That is no number I can read. ${none.message}` };
    if (none instanceof NoValue) return { problem: `That has no value: ${none.message}.` };
    throw none;
  }
}

/** {value, others, read} or {problem}, as `readNumber`. */
export const parseNumber = (typed, unit) => readNumber(valued, typed, unit);
