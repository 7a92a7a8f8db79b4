// What is to be seen, in sentences: shown and spoken.

import { digits } from "../drawing/scale.js";
import { MOST } from "./build.js";
import { TARGETS } from "./targets.js";

const count = (number) => number.toLocaleString("en");
const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;
const pieces = (marks) => marks.reduce((sum, mark, i) => sum + (mark && !marks[i - 1] ? 1 : 0), 0);

/** state: the builder's; shown: the correction on the screen; settings: the widget's. */
export function told(state, shown, { target, eps }) {
  const error = state.errors[shown];
  const name = target === "drawn" ? "the drawn polygon" : TARGETS[target].name;
  const start = digits(state.start);
  if (!shown) return `For ${name} the start is the constant ${start}, off by at most ${digits(error)}. No unit yet.`;
  const each = state.done[shown - 1];
  const [n1, n2, n3] = each.sizes;
  const d = each.grid.d;
  const sets =
    d === 1
      ? `U⁺ is ${plural(pieces(each.positive), "interval")} and U⁻ ${plural(pieces(each.negative), "interval")}`
      : `U⁺ and U⁻ are ${count(each.positive.reduce((a, b) => a + b, 0))} and ` +
        `${count(each.negative.reduce((a, b) => a + b, 0))} cells of the grid`;
  const [lines, covers] = each.separator.sizes;
  const shapes = d === 1 ? ["interval covers", "intervals cover"] : ["polygon covers", "polygons cover"];
  const cover = `${plural(covers, ...shapes)} U⁺, with ${plural(lines, d === 1 ? "half-line" : "half-plane")} in all`;
  return (
    `Correction ${shown} of ${name}: ${sets}; ${cover}. The largest error went from ${digits(each.before)} to ` +
    `${digits(error)}, a factor ${digits(each.factor)} where the theorem promises less than ` +
    `${digits(state.rule.factor)}. ` +
    `The network has ${count(n1)} + ${count(n2)} + ${count(n3)} hidden units. ` +
    `${error < eps ? `That is below ε = ${digits(eps)}: done.` : `ε = ${digits(eps)} is not reached yet.`}`
  );
}
/** Why there is no further correction, or "". */
export function ended(why, { grid, sizes }) {
  if (why === "exact") return "The network meets the function at every point of the grid: nothing is left to correct.";
  if (why === "units")
    return (
      `The next correction would take more than ${count(MOST.units)} hidden units, the page's budget; the ` +
      `network so far has ${count(sizes[0] + sizes[1] + sizes[2])}.`
    );
  if (why === "points")
    return (
      `U⁺ and U⁻ are nearer than three cells on ${count(grid.size ** grid.d)} points, the page's budget: the ` +
      `next correction would need a finer grid.`
    );
  return "";
}
