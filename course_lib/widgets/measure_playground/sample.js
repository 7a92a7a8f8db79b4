// n tokens drawn from the measure against the measure itself. Random numbers are those of course_lib/graphs/random.py:
// one uniform number a token for its place, two normals for the blur.

import { Generator } from "../runtime/random.js";
import { apart, flow } from "./measure.js";

export const COUNTS = [10, 30, 100, 300, 1000];
export const DRAWS = 4; // samples behind a mark of the chart

/** The measure of n tokens drawn from μ, all of weight 1/n. */
export function sample({ x, log, blur }, n, generator) {
  const sums = [];
  const sigma = Math.sqrt(blur);
  const out = new Float64Array(2 * n);
  let sum = 0;
  for (const value of log) {
    sum += Math.exp(value);
    sums.push(sum);
  }
  for (let i = 0; i < n; i++) {
    const u = generator.uniform() * sum;
    const k = sums.findIndex((each, j) => each > u || j === sums.length - 1);
    out[2 * i] = x[2 * k] + sigma * generator.normal();
    out[2 * i + 1] = x[2 * k + 1] + sigma * generator.normal();
  }
  return { x: out, log: new Float64Array(n).fill(-Math.log(n)), blur: 0 };
}

/** Where the grid lands with n drawn tokens instead of μ. */
export function* drawn(state, mu, x) {
  const steps = yield* flow(state, sample(mu, state.n, new Generator(state.seed)), x, state.layers, false);
  return steps.at(-1).x;
}

/**
 * For every count the root mean square over DRAWS samples of the grid's root-mean-square error. limit: where μ moves
 * the grid.
 */
export function* rates(state, mu, x, limit) {
  const generator = new Generator(state.seed);
  const found = [];
  for (const n of COUNTS) {
    let squares = 0;
    for (let k = 0; k < DRAWS; k++) {
      const steps = yield* flow(state, sample(mu, n, generator), x, state.layers, false);
      squares += apart(steps.at(-1).x, limit).rms ** 2;
    }
    found.push(Math.sqrt(squares / DRAWS));
  }
  return found;
}

/** The exponent of n in error ≈ c nᵃ, by least squares of the logarithms; null where an error is 0. */
export function exponent(errors) {
  if (!errors.every((value) => value > 1e-14)) return null;
  const u = COUNTS.map(Math.log);
  const v = errors.map(Math.log);
  const middle = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [a, b] = [middle(u), middle(v)];
  return (
    u.reduce((sum, value, k) => sum + (value - a) * (v[k] - b), 0) / u.reduce((sum, value) => sum + (value - a) ** 2, 0)
  );
}
