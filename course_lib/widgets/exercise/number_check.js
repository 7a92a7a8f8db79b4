// What a number that was predicted is compared with: apart, since few predictions are typed.

import { figure, printed } from "./number.js";
import { found, NONE } from "./prediction_check.js";
import { readNumber } from "./typed_number.js";

/** Right is also what a number may have meant otherwise: whoever writes 60.7 % of a truth of 60.7 has foretold it. */
export function number({ read, within, mistakes, unit }, answer, evidence) {
  const given = readNumber(answer, unit);
  const truth = printed(found(read, evidence) ?? "");
  if (!Number.isFinite(truth)) return NONE;
  const near = (y, share) =>
    [given.value, ...given.others].some((x) => Math.abs(x - y) <= Math.max(within, share * Math.abs(y)) * (1 + 1e-9));
  const right = near(truth, 0);
  const reason = right ? "" : (mistakes.find(([wrong]) => near(wrong, 0.1))?.[1] ?? "");
  const message = [given.read, reason].filter(Boolean).join(" ");
  return { truth: `${figure(truth)}${unit ? ` ${unit}` : ""}`, right, message };
}
