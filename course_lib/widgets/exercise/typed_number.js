// A number that a reader types, wherever one is asked for: a formula without variables, as 1/4, √2 or 1×10^-3, and the
// unit that its field shows.

import { NoValue, parse, plain, Unread, value as valueAt } from "./formula.js";
import { figure } from "./number.js";

const EMPTY = "There is no answer yet: write something like 0.25, 1/4, −2 or 1e-3.";
const PER_CENT = "%|per ?cent";

/** The text without the unit at its end, be it of one thing or of several. */
function without(unit, text) {
  const ends = [unit, unit.replace(/s$/, ""), unit.replace(/es$/, "")].find(
    (one) => one && text.toLowerCase().endsWith(one.toLowerCase()),
  );
  return ends ? text.slice(0, -ends.length) : text;
}

/**
 * {value, others, read}, or {problem} in words. Where the unit is not per cent, 60.7 % is a share, 0.607; `others`
 * holds what else it might be, 60.7, and `read` says how it was taken.
 */
export function readNumber(typed, unit = "") {
  const text = plain(typed);
  const bare = without(plain(unit), text).replace(new RegExp(` *(?:${PER_CENT})$`, "i"), "");
  const share = new RegExp(`(?:${PER_CENT})$`, "i").test(text) && !new RegExp(`^(?:${PER_CENT})`, "i").test(unit);
  if (!bare.trim()) return { problem: EMPTY };
  try {
    const value = valueAt(parse(bare.replace(/([0-9]) *x *(?=10[*^⁻⁰¹²³⁴-⁹])/i, "$1*"), []), {});
    return share
      ? { value: value / 100, others: [value], read: `I read \`${text}\` as ${figure(value / 100)}.` }
      : { value, others: [], read: "" };
  } catch (none) {
    if (none instanceof Unread) return { problem: `That is no number I can read. ${none.message}` };
    if (none instanceof NoValue) return { problem: `That has no value: ${none.message}.` };
    throw none;
  }
}
