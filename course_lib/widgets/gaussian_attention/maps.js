// The closed forms in the plane, the twin of course_lib/gaussian/maps.py for d = 2: what they are and why is told
// there.
// A matrix is [[a, b], [c, d]]; tokens are rows, maps act from the right. A head is [S, M]: S = W_Q W_Kᵀ, M = W_V W_O.

import { PRESETS } from "../drawing/heads.js";

const { identity: IDENTITY, zero: ZERO } = PRESETS;
const combine = (f) => (A, B) => A.map((row, i) => row.map((a, j) => f(a, B[i][j])));
const add = combine((a, b) => a + b);
export const subtract = combine((a, b) => a - b);
const times = (factor, A) => A.map((row) => row.map((a) => factor * a));
const product = (A, B) => A.map(([a, b]) => [a * B[0][0] + b * B[1][0], a * B[0][1] + b * B[1][1]]);
const transposed = ([[a, b], [c, d]]) => [
  [a, c],
  [b, d],
];
const image = ([x, y], A) => [x * A[0][0] + y * A[1][0], x * A[0][1] + y * A[1][1]];
export const finite = (...matrices) => matrices.every((A) => A.flat().every(Number.isFinite));
export const size = (A) => Math.hypot(...A.flat()); // Frobenius

/** spread: the standard deviations along the axes; angle: of the first axis, in degrees. */
export function covariance({ spread: [a, b], angle }) {
  const [c, s] = direction(angle);
  const u = a * a;
  const v = b * b;
  return [
    [u * c * c + v * s * s, (u - v) * c * s],
    [(u - v) * c * s, u * s * s + v * c * c],
  ];
}
export const direction = (angle) => [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];

/** B = Σ_h s S Σ M. */
const layerMatrix = (heads, scale, sigma) =>
  heads.reduce((sum, [S, M]) => add(sum, times(scale, product(product(S, sigma), M))), ZERO);

/** {mean, sigma} after the share `part` of a layer of step ε: N(μA + b, AᵀΣA) with A = I + εB; also A itself. */
export function push({ mean, sigma }, { heads, scale, step }, part = 1) {
  const A = add(IDENTITY, times(part * step, layerMatrix(heads, scale, sigma)));
  const writing = heads.reduce((sum, [, M]) => add(sum, M), ZERO);
  const moved = image(mean, A);
  const shift = image(mean, times(part * step, writing));
  const raw = product(product(transposed(A), sigma), A);
  const off = raw[0][1] / 2 + raw[1][0] / 2;
  return {
    mean: [moved[0] + shift[0], moved[1] + shift[1]],
    sigma: [
      [raw[0][0], off],
      [off, raw[1][1]],
    ],
    A,
  };
}

/** The clouds after 0, 1, …, `layers` layers, as far as float64 goes; `end` is the layer at which it ends, or null. */
export function path(state) {
  const clouds = [{ mean: state.mean, sigma: covariance(state) }];
  for (let layer = 1; layer <= state.layers; layer++) {
    const next = push(clouds.at(-1), state);
    if (!finite([next.mean], next.sigma, [spectrum(next.sigma)])) return { clouds, end: layer };
    clouds.push(next);
  }
  return { clouds, end: null };
}

/** Eigenvalues of a covariance, the larger one first; what rounding puts below 0 is 0. */
export function spectrum([[a, b], [, d]]) {
  const middle = a / 2 + d / 2;
  const half = Math.hypot(a / 2 - d / 2, b);
  return [middle + half, Math.max(0, middle - half)];
}

const ROUNDING = 1e-14; // a smaller eigenvalue below this share of the larger is what rounding leaves, not a number
/** The eigenvalues that are to be shown: null for one that is lost in the other's rounding error. */
export function shownSpectrum(sigma) {
  const [large, small] = spectrum(sigma);
  return [large, small > ROUNDING * large ? small : null];
}

/** {large, small, angle}: half axes √λ of a covariance and the direction of the first in radians. */
export function axes(sigma) {
  const [large, small] = spectrum(sigma).map(Math.sqrt);
  const [[a, b], [, d]] = sigma;
  return { large, small, angle: Math.atan2(2 * b, a - d) / 2 };
}

/** Eigenvalues of any matrix as [[re, im], [re, im]], the one of larger size first. */
export function eigenvalues(A) {
  const unit = Math.max(...A.flat().map(Math.abs));
  if (unit === 0) return ZERO;
  const [[a, b], [c, d]] = times(1 / unit, A);
  const middle = (a + d) / 2;
  const square = ((a - d) / 2) ** 2 + b * c;
  const root = Math.sqrt(Math.abs(square));
  if (square < 0)
    return [
      [unit * middle, unit * root],
      [unit * middle, -unit * root],
    ];
  const pair = [middle + root, middle - root].sort((p, q) => Math.abs(q) - Math.abs(p));
  return pair.map((value) => [unit * value, 0]);
}
