// What has happened in a run: every loss, and the measures taken at updates that lie ever further apart, so that they are
// close together at the start, where much happens.

const BINS = 240;
const SMOOTH = 100;
const APART = 1.08;

export function makeRecord() {
  const losses = [];
  const sums = [0];
  const errors = [];
  let next = 1;
  let kept = {};
  return {
    errors,
    get kept() {
      return kept;
    },
    get loss() {
      return losses.at(-1) ?? null;
    },
    add(loss) {
      losses.push(loss);
      sums.push(sums.at(-1) + loss);
    },
    due: (step) => step >= next,
    /** errors: [update, different targets seen, error, error of the average, mean row length of X, of Y]. */
    measured(step, targets, { last, averaged, X, Y }) {
      errors.push([step, targets, last.error, averaged.error, X, Y]);
      next = Math.max(step + 1, Math.ceil(step * APART));
    },
    /** The last measure whose numbers are numbers. */
    keep(measure) {
      if (Number.isFinite(measure.last.loss)) kept = { seen: measure };
    },
    /** The loss in at most BINS pieces: [last update of the piece, its least, mean and largest loss, mean of the last 100 updates]. */
    curve() {
      const width = Math.max(1, Math.ceil(losses.length / BINS));
      const points = [];
      for (let from = 0; from < losses.length; from += width) {
        const to = Math.min(losses.length, from + width);
        const start = Math.max(0, to - SMOOTH);
        let low = Infinity;
        let high = -Infinity;
        for (let i = from; i < to; i++) {
          low = Math.min(low, losses[i]);
          high = Math.max(high, losses[i]);
        }
        points.push([to, low, (sums[to] - sums[from]) / (to - from), high, (sums[to] - sums[start]) / (to - start)]);
      }
      return points;
    },
  };
}
