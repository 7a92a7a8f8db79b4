// How the run stands, in words: the same sentences are shown and spoken.

import { number } from "../drawing/ui.js";

export const points = (share) => number(100 * share, 2),
  nats = (loss) => number(loss, 3);
export const lower = (rate) => Number(Math.max(1e-5, rate / 10).toPrecision(2));

/** Which measure counts: that of the average, where there is one. */
export const chosen = ({ seen }, average) => (average === null ? seen.last : seen.averaged);
/** The error that counting the run's targets would be expected to have. */
export const limit = ({ counting }, targets) => (targets ? Math.min(1, counting / Math.sqrt(targets)) : null);

export function status(frame, settings, best) {
  const { step, stopped, seen } = frame;
  const { updates, average, stickiness, batch } = settings;
  if (stopped === "diverged")
    return (
      `The loss is no longer a number after update ${step}. What you see is from update ${seen.step}. Reset ` +
      `begins anew; a lower rate helps.`
    );
  if (step === 0)
    return (
      `Nothing learned yet: the error is ${points(seen.last.error)} percentage points. Train makes ` +
      `${updates.toLocaleString("en")} updates of ${batch} sequences.`
    );
  const { loss, error } = chosen(frame, average);
  const whose = average === null ? "" : " of the averaged model";
  const chain =
    stickiness === null
      ? `${nats(Math.max(0, loss - best.rate))} above H(p) = ${nats(best.plain)}`
      : `${nats(Math.max(0, loss - best.rate))} above the entropy rate ${nats(best.rate)}${place(loss, best)}`;
  const also = average === null ? "" : ` Without the average it is ${points(seen.last.error)}.`;
  return (
    `${stopped === "end" ? `All ${step} updates are made` : `Update ${seen.step}`}: the exact loss${whose} is ` +
    `${nats(loss)} nats, ${chain}. The error is ${points(error)} percentage points; counting the ` +
    `${frame.targets.toLocaleString("en")} targets would leave about ${points(limit(frame, frame.targets))}.${also}`
  );
}

/** Where a chain's loss lies between the two lines. */
function place(loss, { plain, rate }) {
  const part = plain > rate ? (loss - rate) / (plain - rate) : 0;
  if (plain - rate < 0.005) return "; order is worth next to nothing here";
  if (part > 0.9) return `, on the plateau H(p) = ${nats(plain)} of who ignores the order`;
  return part < 0.1 ? ": it has found the chain" : `, between the two lines: H(p) is ${nats(plain)}`;
}
