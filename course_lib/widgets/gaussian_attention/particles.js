// n particles and true softmax attention over them, the twin of course_lib/gaussian/particles.py. Particles are a
// Float64Array x₀ y₀ x₁ y₁ …; random numbers are those of course_lib/graphs/random.py, two normals a particle.

import { look } from "../drawing/plane_attention.js";
import { Generator } from "../runtime/random.js";
import { direction, finite, size, subtract } from "./maps.js";

const BLOCK = 16; // queries between two pauses

/**
 * The start: mean + z₁ · first axis + z₂ · second axis. `matched`: z is first moved and sheared to mean 0 and
 * covariance 1.
 */
export function sample({ mean, spread: [a, b], angle, n, seed, matched }) {
  const generator = new Generator(seed);
  const z = Float64Array.from({ length: 2 * n }, () => generator.normal());
  if (matched) standardise(z);
  const [c, s] = direction(angle);
  for (let i = 0; i < 2 * n; i += 2) {
    const u = a * z[i];
    const v = b * z[i + 1];
    z[i] = mean[0] + c * u - s * v;
    z[i + 1] = mean[1] + s * u + c * v;
  }
  return z;
}

/** z − mean, times the inverse of the covariance's Cholesky factor: the same cloud with moments 0 and 1 exactly. */
function standardise(z) {
  const {
    mean,
    sigma: [[a, b], [, d]],
  } = moments(z);
  const p = Math.sqrt(a);
  const q = b / p;
  const r = Math.sqrt(d - q * q);
  for (let i = 0; i < z.length; i += 2) {
    z[i] = (z[i] - mean[0]) / p;
    z[i + 1] = (z[i + 1] - mean[1] - q * z[i]) / r;
  }
}

/** Mean and covariance of the particles themselves (sums over n, not n − 1). */
export function moments(x) {
  const n = x.length / 2;
  let mx = 0;
  let my = 0;
  let a = 0;
  let b = 0;
  let d = 0;
  for (let i = 0; i < x.length; i += 2) {
    mx += x[i] / n;
    my += x[i + 1] / n;
  }
  for (let i = 0; i < x.length; i += 2) {
    const u = x[i] - mx;
    const v = x[i + 1] - my;
    a += (u * u) / n;
    b += (u * v) / n;
    d += (v * v) / n;
  }
  return {
    mean: [mx, my],
    sigma: [
      [a, b],
      [b, d],
    ],
  };
}

/**
 * The particles after one layer: {x, effective}, the mean over heads and queries of 1/Σ w². Yields between blocks of
 * queries.
 */
export function* attend(x, { heads, scale, step }) {
  const n = x.length / 2;
  const out = x.slice();
  const scores = new Float64Array(n);
  const tokens = { x, log: new Float64Array(n) };
  let seen = 0;
  for (const head of heads)
    for (let from = 0; from < n; from += BLOCK) {
      seen += look(x, out, tokens, head, { scale, step }, from, Math.min(n, from + BLOCK), scores);
      yield;
    }
  return { x: out, effective: seen / (n * heads.length) };
}

/**
 * Layers 0 … state.layers of the particles, each {x, mean, sigma, effective} (effective: of the layer that made it,
 * null for the start), and `end`: the layer at which float64 ends, or null. `known`: an answer for the same start and
 * heads, to go on from.
 */
export function* swarm(state, known = null) {
  const begin = () => {
    const x = sample(state);
    return { x, ...moments(x), effective: null };
  };
  const steps = known ? known.steps.slice(0, state.layers + 1) : [begin()];
  if (known?.end && known.end <= state.layers) return { steps, end: known.end };
  while (steps.length <= state.layers) {
    const { x, effective } = yield* attend(steps.at(-1).x, state);
    const next = { x, ...moments(x), effective };
    if (!finite([next.mean], next.sigma, [[effective]])) return { steps, end: steps.length };
    steps.push(next);
  }
  return { steps, end: null };
}

/**
 * How far the particles are from the closed form: of the mean, as a share of √trace Σ, and of Σ, as a share of its
 * size.
 */
export function errors(cloud, seen) {
  const gap = Math.hypot(seen.mean[0] - cloud.mean[0], seen.mean[1] - cloud.mean[1]);
  const width = Math.hypot(Math.sqrt(cloud.sigma[0][0]), Math.sqrt(cloud.sigma[1][1]));
  const whole = size(cloud.sigma);
  return {
    gap,
    mean: width > 0 ? gap / width : null,
    covariance: whole > 0 ? size(subtract(seen.sigma, cloud.sigma)) / whole : null,
  };
}
