// Values into bars. Pure functions.

const BARS = 28;
const BEYOND = 5; // bars over the law's support, and at most so many beyond each of its edges

/**
 * {low, width, heights}: the density of the values in bars that fit the law's edges; values further out are not in
 * them.
 */
export function bins(values, { low, high }) {
  const width = (high - low) / BARS;
  const before = low < 0 ? BEYOND : 0;
  const heights = Array(before + BARS + BEYOND).fill(0);
  const start = low - before * width;
  for (const x of values) {
    const k = x === high ? before + BARS - 1 : Math.floor((x - start) / width);
    if (k >= 0 && k < heights.length) heights[k] += 1 / (values.length * width);
  }
  return { low: start, width, heights };
}

/** The height that the picture needs: all bars, and the law but for where it grows without bound. */
export function top({ low, width, heights }, { density }) {
  const law = heights.map((_, k) => density(low + (k + 0.5) * width));
  return 1.1 * Math.max(...heights, ...law);
}

/** x of the ends of the range that is drawn for an outlier: both its places, with room. */
export function apart(found, predicted) {
  const room = Math.max(0.8 * Math.abs(found - predicted), 0.01 * Math.abs(predicted));
  const middle = (found + predicted) / 2;
  return [middle - Math.abs(found - predicted) / 2 - room, middle + Math.abs(found - predicted) / 2 + room];
}
