// A measure of the plane through layers of attention, the twin of course_lib/incontext for d = 2. A measure is {x, log,
// blur}: places x₀ y₀ x₁ y₁ … in a Float64Array, the logarithms of their probabilities, and σ² where each place stands
// for N(place, σ²I).

import { look } from "../drawing/plane_attention.js";
import { hermite } from "./hermite.js";

export const SIDE = 30,
  REACH = 3; // a grid of 30 × 30 places over the square from -3 to 3
const WORK = 8192; // exponentials between two pauses: a fraction of a millisecond
const NODES = 1800; // at most so many places stand for a blurred measure after its first layer

/** The grid, row by row from below. */
export function grid() {
  const at = (k) => REACH * ((2 * k) / (SIDE - 1) - 1);
  return Float64Array.from({ length: 2 * SIDE * SIDE }, (_, i) =>
    at(i % 2 ? Math.floor(i / 2 / SIDE) : (i >> 1) % SIDE),
  );
}

/**
 * Tokens [[x, y, weight], …]: the measure Σ p δ, with p = weight / Σ weights, every δ widened to a Gaussian of width
 * `blur`.
 */
export function measure({ tokens, blur }) {
  const whole = tokens.reduce((sum, [, , weight]) => sum + weight, 0);
  return {
    x: Float64Array.from(tokens.flatMap((token) => token.slice(0, 2))),
    log: Float64Array.from(tokens, ([, , weight]) => Math.log(weight / whole)),
    blur: blur ** 2,
  };
}

/** Nodes per axis of the quadrature that stands for a Gaussian: the more tokens, the fewer. */
export const nodesPerAxis = (tokens) => [9, 7, 5].find((count) => tokens * count ** 2 <= NODES) ?? 3;

/** A blurred measure as a sum of points: Gauss–Hermite nodes around every place. */
export function quadrature({ x, log, blur }) {
  const n = log.length;
  const { nodes, weights } = hermite(nodesPerAxis(n));
  const count = nodes.length;
  const sigma = Math.sqrt(blur);
  const points = new Float64Array(2 * n * count ** 2);
  const logs = new Float64Array(n * count ** 2);
  let at = 0;
  for (let j = 0; j < n; j++)
    for (let a = 0; a < count; a++)
      for (let b = 0; b < count; b++) {
        points[2 * at] = x[2 * j] + sigma * nodes[a];
        points[2 * at + 1] = x[2 * j + 1] + sigma * nodes[b];
        logs[at++] = log[j] + Math.log(weights[a] * weights[b]);
      }
  return { x: points, log: logs, blur: 0 };
}

/** x ↦ Γ(μ, x) = x + ε Σ_h head_h at many places x. Yields now and then. */
export function* gamma(x, mu, { heads, scale, step }) {
  const out = x.slice();
  const n = mu.log.length;
  const scores = new Float64Array(n);
  const block = Math.max(1, Math.floor(WORK / n));
  const queries = x.length / 2;
  for (const head of heads)
    for (let from = 0; from < queries; from += block) {
      look(x, out, mu, head, { scale, step }, from, Math.min(queries, from + block), scores);
      yield;
    }
  return out;
}

/**
 * What `layers` layers make of places x and of μ: steps 0 … layers, each {x, mu}. state.pushed: every layer looks at
 * the measure pushed forward by the layers before it (⋄); else every layer looks at μ itself (∘). A blurred μ is seen
 * exactly, and pushed forward as the images of its nodes: after a layer it is no sum of Gaussians any more. ends: false
 * to leave out the measure after the last layer, which no layer sees.
 */
export function* flow(state, mu, x, layers, ends = true) {
  const steps = [{ x, mu: mu.blur ? quadrature(mu) : mu }];
  while (steps.length <= layers) {
    const { x: places, mu: carrier } = steps.at(-1);
    const seen = steps.length === 1 || !state.pushed ? mu : carrier;
    const wanted = ends || (state.pushed && steps.length < layers);
    const moved = yield* gamma(places, seen, state);
    steps.push({
      x: moved,
      mu: wanted ? { x: yield* gamma(carrier.x, seen, state), log: carrier.log, blur: 0 } : carrier,
    });
  }
  return steps;
}

/**
 * The most that one layer at μ stretches a small step at a place of μ: the largest norm of I + ε Σ s S V M, where V is
 * the covariance of μ under the head's weights there. A blur adds σ² to V, for it stays a round Gaussian under such
 * weights.
 */
export function stretch({ x, log, blur }, { heads, scale, step }) {
  const n = log.length;
  const w = new Float64Array(n);
  let most = 0;
  for (let i = 0; i < 2 * n; i += 2) {
    const J = [1, 0, 0, 1];
    for (const [S, M] of heads) {
      const p = scale * (x[i] * S[0][0] + x[i + 1] * S[1][0]);
      const q = scale * (x[i] * S[0][1] + x[i + 1] * S[1][1]);
      let top = -Infinity;
      for (let j = 0; j < n; j++) {
        w[j] = log[j] + p * x[2 * j] + q * x[2 * j + 1];
        top = Math.max(top, w[j]);
      }
      let total = 0;
      let a = 0;
      let b = 0;
      for (let j = 0; j < n; j++) {
        w[j] = Math.exp(w[j] - top);
        total += w[j];
        a += w[j] * x[2 * j];
        b += w[j] * x[2 * j + 1];
      }
      a /= total;
      b /= total;
      let [aa, ab, bb] = [blur, 0, blur];
      for (let j = 0; j < n; j++) {
        const [da, db, share] = [x[2 * j] - a, x[2 * j + 1] - b, w[j] / total];
        aa += share * da * da;
        ab += share * da * db;
        bb += share * db * db;
      }
      for (let r = 0; r < 2; r++) {
        const [u, v] = [S[r][0] * aa + S[r][1] * ab, S[r][0] * ab + S[r][1] * bb]; // a row of S V
        for (let c = 0; c < 2; c++) J[2 * r + c] += step * scale * (u * M[0][c] + v * M[1][c]);
      }
    }
    const squares = J.reduce((sum, each) => sum + each * each, 0);
    const area = J[0] * J[3] - J[1] * J[2];
    most = Math.max(most, Math.sqrt((squares + Math.sqrt(Math.max(0, squares ** 2 - 4 * area ** 2))) / 2));
  }
  return most;
}

/** The largest and the root-mean-square distance of places from others, and where the largest is (an index). */
export function apart(a, b) {
  let most = 0;
  let squares = 0;
  let where = 0;
  for (let i = 0; i < a.length; i += 2) {
    const far = Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1]);
    squares += far * far;
    if (far > most) {
      most = far;
      where = i / 2;
    }
  }
  return { most, rms: Math.sqrt(squares / (a.length / 2)), where };
}

/**
 * How far the nodes are from the closed form in the one layer where both are known: the largest distance over the
 * places x.
 */
export function* quadratureError(state, mu, x) {
  const exact = yield* gamma(x, mu, state);
  const nodes = yield* gamma(x, quadrature(mu), state);
  return apart(exact, nodes).most;
}

/** Mean, and spread √E|y − mean|², of weighted places. */
export function moments({ x, log, blur = 0 }) {
  const p = log.map(Math.exp);
  let mx = 0;
  let my = 0;
  let square = 0;
  for (let j = 0; j < p.length; j++) {
    mx += p[j] * x[2 * j];
    my += p[j] * x[2 * j + 1];
  }
  for (let j = 0; j < p.length; j++) square += p[j] * ((x[2 * j] - mx) ** 2 + (x[2 * j + 1] - my) ** 2);
  return { mean: [mx, my], spread: Math.sqrt(square + 2 * blur) };
}
