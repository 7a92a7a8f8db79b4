// Lemmas 2.4 and 2.5 with their finite covers found, the twin of course_lib/approximation/guards.py and separators.py:
// what they are and why is told there. Points of dimension 1 or 2 are stored one after the other; a closed set is a
// list of numbers of grid points.

import { preimage, step } from "./squash.js";

const STRICT = 0.99;
const SAMPLE = 512;
const TIE = 1e-12;
export class TooMany extends Error {}

const square = (points, i, around, d) => {
  let sum = 0;
  for (let c = 0; c < d; c++) sum += (points[i * d + c] - around[c]) ** 2;
  return sum;
};
const rank = (x) => Math.round(1e9 * x); // of a grid's points many are equally far, but for their last bits
const norm = (vector) => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));

/**
 * Lemma 2.4: g̃ near 1 or more on `closed`, small on a polygon round the point numbered `at`. mesh: {points, d, half}.
 */
export function guard(mesh, at, closed, keep, { eps, room: [beta, rho], sigma }) {
  const { points, d, half } = mesh;
  const around = Array.from(points.subarray(at * d, at * d + d));
  const radius = norm(half);
  const distance = new Map(closed.map((i) => [i, Math.sqrt(square(points, i, around, d))]));
  let left = [...closed].sort((a, b) => rank(distance.get(a)) - rank(distance.get(b)) || a - b);
  const chosen = [];
  const slopes = [];
  const near = [];
  const far = [];
  while (left.length) {
    const [b] = left;
    const place = Array.from(points.subarray(b * d, b * d + d));
    const size = distance.get(b);
    let nearest = Infinity;
    for (const i of keep) nearest = Math.min(nearest, square(points, i, place, d));
    const free = Math.sqrt(nearest) - 2 * radius;
    if (size === 0 || Math.min(free, size - 2 * radius) <= 0) throw Error("two sets that touch cannot be told apart");
    const slope = place.map((value, c) => (value - around[c]) / size ** 2);
    const reach = slope.reduce((sum, value, c) => sum + Math.abs(value) * half[c], 0);
    const top = 1 - reach - (beta * free) / size;
    chosen.push(b);
    slopes.push(slope);
    far.push(top);
    near.push(top - (rho * free) / size);
    left = left.filter(
      (i) => slope.reduce((sum, value, c) => sum + (points[i * d + c] - around[c]) * value, 0) - reach < top - TIE,
    );
  }
  const N = chosen.length;
  const y0 = N ? preimage(sigma, (STRICT * eps) / N) : 0;
  const y1 = N ? preimage(sigma, 1 - STRICT * eps) : 0;
  const sides = slopes.map((slope, j) => {
    const t = (y1 - y0) / (far[j] - near[j]);
    const w = slope.map((value) => value * t);
    return {
      w,
      b: y0 - t * near[j] - around.reduce((sum, value, c) => sum + value * w[c], 0),
      reach: slope.reduce((sum, value, c) => sum + Math.abs(value) * half[c], 0),
    };
  });
  return { at, around, chosen, slopes, near, far, sides };
}

/** Whether the whole cell of point i lies in the guard's polygon. */
const inCore = ({ points, d }, { around, slopes, near, sides }, i) =>
  slopes.every(
    (slope, j) =>
      slope.reduce((sum, value, c) => sum + (points[i * d + c] - around[c]) * value, 0) + sides[j].reach <=
      near[j] + TIE,
  );

/**
 * Lemma 2.5: guards round points of A until all its cells are covered, then the two steps. Yields after every guard.
 */
export function* separate(mesh, A, B, { eps, room, sigma, most }) {
  const { points, d } = mesh;
  const depth = new Map(A.map((i) => [i, B.length ? Infinity : 0]));
  for (let k = 0; k < B.length; k += Math.max(1, Math.floor(B.length / SAMPLE))) {
    const b = points.subarray(B[k] * d, B[k] * d + d);
    for (const i of A) depth.set(i, Math.min(depth.get(i), square(points, i, b, d)));
  }
  const guards = [];
  let left = A;
  let units = 1;
  while (left.length) {
    const deepest = left.reduce((best, i) => (rank(depth.get(i)) > rank(depth.get(best)) ? i : best));
    const found = guard(mesh, deepest, B, A, { eps, room, sigma });
    units += 1 + found.chosen.length;
    if (units > most) throw new TooMany();
    guards.push(found);
    left = left.filter((i) => !inCore(mesh, found, i));
    yield;
  }
  const low = STRICT * eps;
  const high = 1 - STRICT * eps;
  return {
    guards,
    d,
    sigma,
    second: step(eps, 1 - eps, low / Math.max(guards.length, 1), high, sigma),
    third: step(eps, 1 - eps, low, high, sigma),
    sizes: [guards.reduce((sum, each) => sum + each.chosen.length, 0), guards.length, 1],
  };
}

/** H at the points [x₀, …] of a separator. Yields now and then. */
export function* valuesOf({ guards, d, sigma, second, third }, points) {
  const out = new Float64Array(points.length / d);
  for (let i = 0; i < out.length; i++) {
    let total = 0;
    for (const { sides } of guards) {
      let inner = 0;
      for (const { w, b } of sides) {
        let score = b;
        for (let c = 0; c < d; c++) score += points[i * d + c] * w[c];
        inner += sigma(score);
      }
      total += sigma(second.s + second.t * (1 - inner));
    }
    out[i] = sigma(third.s + third.t * total);
    if (i % 64 === 63) yield;
  }
  return out;
}
