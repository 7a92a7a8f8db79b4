// What has happened in a run: every loss, and the measures taken at updates that lie ever further apart, so that they
// are close together at the start, where much happens.

const BINS = 240;
const SMOOTH = 100;
const APART = 1.08;
const LAWS_APART = 1.25; // the law takes a gradient for each token
const hasNumbers = (measure) => Number.isFinite(measure.last.loss);

/**
 * first: the measure before the first update. One without numbers is refused, so that there always is a measure to
 * show.
 */
export function makeRecord(first) {
  if (!hasNumbers(first))
    throw Error(`the exact loss before the first update must be a number, got ${first.last.loss}`);
  const losses = [];
  const sums = [0];
  const errors = [];
  const exact = [];
  let next = 1;
  let nextLaw = 1;
  let seen = first;
  return {
    errors,
    exact,
    /** The last measure whose numbers are numbers. */
    get seen() {
      return seen;
    },
    get loss() {
      return losses.at(-1) ?? null;
    },
    add(loss) {
      losses.push(loss);
      sums.push(sums.at(-1) + loss);
    },
    due: (step) => step >= next,
    /**
     * errors: [update, different targets seen, error, error of the average, mean row length of X, of Y]; exact:
     * [update, exact loss, what law() predicts above the floor, or null where it was not asked].
     */
    measured(step, targets, { last, averaged, X, Y }, law) {
      errors.push([step, targets, last.error, averaged.error, X, Y]);
      exact.push([step, last.loss, step >= nextLaw ? law() : null]);
      if (step >= nextLaw) nextLaw = Math.ceil(step * LAWS_APART);
      next = Math.max(step + 1, Math.ceil(step * APART));
    },
    keep(measure) {
      if (hasNumbers(measure)) seen = measure;
    },
    /**
     * The loss in at most BINS pieces: [last update of the piece, its least, mean and largest loss, mean of the last
     * 100 updates].
     */
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
