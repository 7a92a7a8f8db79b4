// The rule for a formula: its values at the question's points. No DOM here.

import { unread, verdict } from "./check.js";
import { figure } from "./number.js";
import { NoValue, Unread, parse, symbol, value as valueAt } from "./formula.js";

const near = (x, wanted, relative = 1e-6, absolute = 1e-9) =>
  x === null || wanted === null ? x === wanted : Math.abs(x - wanted) <= relative * Math.abs(wanted) + absolute;
const same = (got, wanted) => got.every((x, i) => near(x, wanted[i]));

/** The typed formula's values at the question's points: null where it has none, and then why. */
function valuesOf(spec, tree) {
  return spec.points.map((point) => {
    try {
      return { x: valueAt(tree, Object.fromEntries(spec.names.map((name, i) => [name, point[i]]))) };
    } catch (none) {
      if (none instanceof NoValue) return { x: null, none };
      throw none;
    }
  });
}

/** The verdict on a typed formula; one that cannot be read is no attempt. */
export function formula(spec, typed) {
  let tree;
  try {
    tree = parse(typed, spec.names);
  } catch (problem) {
    if (problem instanceof Unread) return unread(problem.message, 0);
    throw problem;
  }
  const values = valuesOf(spec, tree);
  const got = values.map(({ x }) => x);
  const { expected } = spec;
  if (same(got, expected))
    return verdict(true, `Right: the same as \`${spec.answer}\` at ${expected.length} random points.`);
  const mistake = spec.mistakes.find((one) => same(got, one.values));
  const i = got.findIndex((x, k) => !near(x, expected[k]));
  const wanted = figure(expected[i]);
  const point = spec.names.map((name, k) => `${symbol(name)} = ${figure(spec.points[i][k])}`).join(", ");
  const at = `At ${point} your formula`;
  const detail =
    got[i] === null
      ? `${at} has no value, for ${values[i].none.part} ${values[i].none.why}; expected ${wanted}.`
      : figure(got[i]) === wanted
        ? `${at} differs from ${wanted} beyond the digits shown.`
        : `${at} gives ${figure(got[i])}, expected ${wanted}.`;
  return verdict(false, mistake?.hint ?? guess(got, expected), { detail, at: 0 });
}

/** What can be said of a wrong formula that is none of the mistakes. */
function guess(got, expected) {
  const right = (f) => same(got.map(f), expected);
  const factor = got[0] / expected[0];
  const gap = got[0] - expected[0];
  if (got.includes(null)) return "Not yet: your formula has no value where the answer has one.";
  if (right((x) => -x)) return "The size is right, the sign is not.";
  if (!expected.includes(0) && !got.includes(0)) {
    if (right((x) => x / factor)) return `Nearly: everywhere yours is ${figure(factor)} times the answer.`;
    if (right((x) => 1 / x)) return "That is the reciprocal: what stands above the line belongs below.";
  }
  if (right((x) => x - gap))
    return `Nearly: everywhere yours is the answer ${gap > 0 ? "+" : "−"} ${figure(Math.abs(gap))}.`;
  if (got.every((x, i) => near(x, expected[i], 0.02, 0)))
    return "Close everywhere, but not the same: write exact numbers, 1/3 rather than 0.33.";
  return "Not yet. A hint may help.";
}
