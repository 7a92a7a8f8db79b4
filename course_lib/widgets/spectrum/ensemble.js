// The matrices, and the law and the outlier that theory gives them: the twin of `Ensemble` in course_lib/spectra.py for
// square W. state: {n, entries, form, divisor, values, centre, seed}. A matrix is a Float64Array, row by row.

import { Generator } from "../runtime/random.js";

// mean and variance of one entry
export const MOMENTS = { gaussian: [0, 1], uniform: [0.5, 1 / 12], centred: [0, 1 / 3] };
export const dividedBy = ({ n, divisor }) => ({ none: 1, root: Math.sqrt(n), full: n })[divisor];

/** W of independent entries, mirrored where it is symmetric, not yet divided; of a product the factor W alone. */
export function draw({ n, entries, form, centre, seed }) {
  const generator = new Generator(seed);
  const [mean] = MOMENTS[entries];
  const one = {
    gaussian: () => generator.normal(),
    uniform: () => generator.uniform(),
    centred: () => 2 * generator.uniform() - 1,
  }[entries];
  const W = Float64Array.from({ length: n * n }, centre ? () => one() - mean : one);
  if (form === "symmetric") for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) W[j * n + i] = W[i * n + j];
  return W;
}

/** What the values' picture is held against: "disc" for eigenvalues that lie in the plane. */
export function lawName({ form, values }) {
  if (form === "product") return "marchenko-pastur";
  if (values === "singular values") return "quarter";
  return form === "symmetric" ? "semicircle" : "disc";
}

// of the semicircle of radius 1, from 0 to t
const half = (t) => (t * Math.sqrt(Math.max(0, 1 - t * t)) + Math.asin(t)) / Math.PI;
const clip = (x, low, high) => Math.min(high, Math.max(low, x));
const wigner = (x) => Math.sqrt(4 - x * x) / (2 * Math.PI);
const SHAPES = {
  // for σ = 1 (of Marchenko–Pastur: variance 1); the square of a quarter circle's number follows Marchenko and Pastur
  semicircle: { low: -2, high: 2, density: wigner, cdf: (x) => 0.5 + half(x / 2) },
  quarter: { low: 0, high: 2, density: (x) => 2 * wigner(x), cdf: (x) => 2 * half(x / 2) },
  disc: { low: 0, high: 1, density: (r) => 2 * r, cdf: (r) => r * r },
  "marchenko-pastur": {
    low: 0,
    high: 4,
    density: (x) => wigner(Math.sqrt(x)) / Math.sqrt(x),
    cdf: (x) => 2 * half(Math.sqrt(x) / 2),
  },
};

/** {name, low, high, density(x), cdf(x)} of the values but for an outlier; of a disc, of their distance from 0. */
export function law(state) {
  const name = lawName(state);
  const [, variance] = MOMENTS[state.entries];
  const shape = SHAPES[name];
  const unit =
    name === "marchenko-pastur"
      ? (variance * state.n) / dividedBy(state)
      : Math.sqrt(variance * state.n) / dividedBy(state);
  const inside = (x) => x >= unit * shape.low && x <= unit * shape.high;
  return {
    name,
    low: unit * shape.low,
    high: unit * shape.high,
    density: (x) => (inside(x) ? shape.density(x / unit) / unit : 0),
    cdf: (x) => shape.cdf(clip(x / unit, shape.low, shape.high)),
  };
}

/** Where the value that the entries' mean μ causes is expected; null for a mean of 0. */
export function outlier(state) {
  const [mean, variance] = MOMENTS[state.entries];
  if (!mean || state.centre) return null;
  const theta = state.n * mean;
  const single = theta + variance / mean; // (θ² + nσ²)/θ with θ = nμ
  if (state.form === "product") return single ** 2 / dividedBy(state);
  return (lawName(state) === "disc" ? theta : single) / dividedBy(state);
}

/** Kolmogorov–Smirnov: the largest difference of the share of values up to x and the law's, over all x. */
export function distance(values, { cdf }) {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  return sorted.reduce((most, x, i) => Math.max(most, Math.abs((i + 1) / n - cdf(x)), Math.abs(i / n - cdf(x))), 0);
}
