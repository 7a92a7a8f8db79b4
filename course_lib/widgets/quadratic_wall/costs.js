// What a layer costs: the page's twin of course_lib.costs, formula for formula. Tests hold the two together.
// FLOPs of matrix products, forward; bytes of float32 numbers kept for backward, one sequence, without parameters.

export const FLOAT = 4,
  TRAINING = 3,
  GB = 2 ** 30;
export const H100 = { memory: 80e9 }; // costs.H100
export const P100 = { flops: 10.6e12, memory: 16 * GB }; // costs.P100_PEAK

const up = (n, size) => Math.ceil(n / size) * size;

export const windowPath = (n, radius) => Math.max(1, Math.ceil((n - 1) / radius));
export const rnn = (n, d) => ({ flops: 4 * n * d * d, kept: FLOAT * (2 * n + 1) * d, steps: n, path: 1 });
export const convolution = (n, d, k) => ({
  flops: 2 * k * n * d * d,
  kept: FLOAT * n * d,
  steps: 1,
  path: windowPath(n, (k - 1) / 2),
});
export const full = (n, d, h) => ({ flops: 4 * n * n * d, kept: FLOAT * (3 * n * d + h * n * n), steps: 2, path: 1 });

/** Full attention that stores no map: it makes each block again on the way back. */
export const blockwise = (n, d, h) => ({ flops: 4 * n * n * d, kept: FLOAT * (4 * n * d + h * n), steps: 2, path: 1 });

export function window(n, d, radius, h) {
  const block = Math.min(radius, n);
  const rows = up(n, block);
  const width = 3 * block;
  return {
    flops: 4 * rows * width * d,
    kept: FLOAT * rows * (7 * d + h * width),
    steps: 2,
    path: windowPath(n, block),
  };
}

export function strided(n, d, stride, h) {
  const block = Math.min(stride, n);
  const rows = up(n, block);
  const width = block + rows / block;
  return { flops: 4 * rows * width * d, kept: FLOAT * rows * (3 * d + h * width), steps: 2, path: n <= block ? 1 : 2 };
}

export function linear(n, d, h) {
  const m = d / h;
  return { flops: 4 * n * d * m + 2 * n * d, kept: FLOAT * (6 * n * d + n * h + d * m + d), steps: 2, path: 1 };
}

/** The n at which full attention's FLOPs equal all others of a block with a feed-forward layer of width 4d. */
export const crossing = (d) => 6 * d;
/** … and at which they equal the feed-forward layer's alone: 4n²d = 4nd · 4d. */
export const overtakes = (d) => 4 * d;
