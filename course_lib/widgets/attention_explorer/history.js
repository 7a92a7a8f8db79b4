// What has happened in a run: the loss of every step, the accuracy where it was measured, and moments to go back to.
//
// Moments hold all parameters and Adam's averages, so their number is bounded by memory: when there are too many, every
// second one goes, and from then on they are taken half as often. So they always reach from the start to now.

const MOST_BYTES = 32e6;
const MOST_MOMENTS = 160;
const FEWEST_MOMENTS = 12;
const BINS = 240;

export function makeHistory(
  bytesEach,
  limit = Math.max(FEWEST_MOMENTS, Math.min(MOST_MOMENTS, Math.floor(MOST_BYTES / bytesEach))),
) {
  let losses = [];
  let accuracies = [];
  const moments = [];
  let every = 1;
  return {
    get steps() {
      return losses.length;
    },
    moments,
    loss: (step) => losses[step - 1],
    /** The loss that training met at this step; what a former future held is forgotten. */
    add(step, loss) {
      if (step < losses.length) {
        losses.length = step;
        accuracies = accuracies.filter(([at]) => at <= step);
        moments.splice(0, moments.length, ...moments.filter((moment) => moment.step <= step));
      }
      losses.push(loss);
    },
    measured(step, accuracy) {
      const last = accuracies.at(-1);
      if (last && last[0] >= step) return;
      accuracies.push([step, accuracy]);
      if (accuracies.length > 2 * BINS) accuracies = accuracies.filter((_, i) => i % 2 === 0);
    },
    due: (step) => step % every === 0,
    /** Keeps a moment {step, …}; `step` grows from call to call. */
    keep(moment) {
      if (moments.at(-1)?.step >= moment.step) return;
      moments.push(moment);
      while (moments.length > limit) {
        every *= 2;
        const newest = moments.at(-1);
        moments.splice(0, moments.length, ...moments.filter((kept) => kept.step % every === 0 || kept === newest));
      }
    },
    /** The loss as at most BINS means: [[step in the middle, mean loss]…], and the accuracy's points. */
    curves() {
      const width = Math.max(1, Math.ceil(losses.length / BINS));
      const loss = [];
      for (let from = 0; from < losses.length; from += width) {
        const to = Math.min(losses.length, from + width);
        let sum = 0;
        for (let i = from; i < to; i++) sum += losses[i];
        loss.push([(from + to - 1) / 2, sum / (to - from)]);
      }
      return { loss, accuracy: accuracies };
    },
    fill(stored) {
      losses = [...stored.losses];
      accuracies = stored.accuracies.map((point) => [...point]);
    },
  };
}
