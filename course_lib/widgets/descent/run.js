// One run of an optimiser on a surface, the twin of `descend` in course_lib/descent.py: the same path from the same
// seed.

import { Generator } from "../runtime/random.js";
import { TAKES } from "./address.js";
import { decayed, OPTIMISERS } from "./optimisers.js";
import { REACH, SURFACES } from "./surfaces.js";

export const SAMPLES = TAKES.batch.at(-1);
export const STEPS = TAKES.step[1];
const ODD = Array.from({ length: SAMPLES }, (_, i) => [2 * (i % 8) - 7, 2 * Math.floor(i / 8) - 7]);

/** The mean tilt of a fresh batch: the first of the samples in random order. */
function noise(generator, batch) {
  const keys = Array.from({ length: SAMPLES }, (_, i) => [generator.uniform(), i]).sort(
    (a, b) => a[0] - b[0] || a[1] - b[1],
  );
  const sum = [0, 0];
  for (const [, i] of keys.slice(0, batch)) {
    sum[0] += ODD[i][0];
    sum[1] += ODD[i][1];
  }
  return sum.map((total) => total / (Math.sqrt(21) * batch));
}

/**
 * {surface, optimiser, rate, decay, batch, seed, start} → {positions [k + 1][2], heights [k + 1], left}: k is `steps`,
 * or less where step `left` led out of the square (null where none did). "gd" is sgd on all samples.
 */
export function run({ surface, optimiser, rate, decay, batch, seed, start }, steps = STEPS) {
  const { height, slope } = SURFACES[surface];
  const all = optimiser === "gd" || batch === SAMPLES;
  const rule = OPTIMISERS[optimiser === "gd" ? "sgd" : optimiser];
  const generator = new Generator(seed);
  let theta = start;
  let state = rule.start(theta);
  const positions = [theta];
  const heights = [height(...theta)];
  for (let t = 0; t < steps; t++) {
    const gradient = slope(...theta);
    if (!all)
      noise(generator, batch).forEach((tilt, i) => {
        gradient[i] += tilt;
      });
    [theta, state] = rule.step(theta, gradient, state, decayed(rate, decay, t));
    if (!theta.every((x) => Math.abs(x) <= REACH)) return { positions, heights, left: t + 1 };
    positions.push(theta);
    heights.push(height(...theta));
  }
  return { positions, heights, left: null };
}
