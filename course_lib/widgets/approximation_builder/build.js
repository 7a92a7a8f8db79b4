// Theorem 2.2 as an algorithm, the twin of course_lib/approximation/builder.py and grids.py: one correction after the
// other.

import { separate, TooMany, valuesOf } from "./separators.js";
import { SQUASHES } from "./squash.js";

const APART = 3;
export const MOST = { units: 6000, points: { 1: 2 ** 14 + 1, 2: 257 ** 2 } };
export const FIRST = { 1: 513, 2: 65 }; // points an axis
/** The proof's numbers, and those that make the two bounds of a correction equal at a threshold of one half. */
const named = (threshold, gain, eps = 1 / 6) => ({
  threshold,
  gain,
  eps,
  factor: Math.max(1 - gain * (0.5 - eps), threshold + gain / 2),
});
export const RULES = { proof: named(1 / 4, 3 / 4), balanced: named(1 / 2, (1 - 1 / 2) / (1 - 1 / 6)) };

/** The grid of `size` points an axis on `box` [[low, high], …]; the last axis is the fastest. */
export function mesh(box, size) {
  const axes = box.map(([low, high]) => {
    const gap = (high - low) / (size - 1);
    return Float64Array.from({ length: size }, (_, i) => (i === size - 1 ? high : i * gap + low));
  });
  const d = box.length;
  const half = box.map(([low, high]) => (high - low) / (2 * (size - 1)));
  const points =
    d === 1
      ? axes[0]
      : Float64Array.from({ length: 2 * size * size }, (_, k) =>
          k % 2 ? axes[1][(k >> 1) % size] : axes[0][Math.floor((k >> 1) / size)],
        );
  return { box, size, d, half, points };
}

/** Whether APART cells or more lie between the marked cells of a and of b. */
export function apart({ size, d }, a, b) {
  let near = a;
  for (let axis = 0; axis < d; axis++) {
    const stride = axis === d - 1 ? 1 : size;
    const wide = near.slice();
    for (let i = 0; i < near.length; i++) {
      if (!near[i]) continue;
      const along = Math.floor(i / stride) % size;
      for (let by = -APART; by <= APART; by++) if (along + by >= 0 && along + by < size) wide[i + by * stride] = 1;
    }
    near = wide;
  }
  return !near.some((value, i) => value && b[i]);
}

const largest = (values) => {
  let most = 0;
  for (const value of values) most = Math.max(most, Math.abs(value));
  return most;
};
const numbers = (marks) => {
  const list = [];
  marks.forEach((mark, i) => {
    if (mark) list.push(i);
  });
  return list;
};

/** What the network start − Σ gain (H − ½) gives at the points. */
export function* evaluate({ start, parts }, points, d) {
  const out = new Float64Array(points.length / d).fill(start);
  for (const { gain, separator } of parts) {
    const H = yield* valuesOf(separator, points);
    for (let i = 0; i < out.length; i++) out[i] -= gain * (H[i] - 0.5);
  }
  return out;
}

/** The lowest and the highest of many values. */
export function rangeOf(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

/** The start: the constant in the middle of the target's range on the first grid. target: {f(x, y), box}. */
export function begin(target, sigma, rule) {
  const grid = mesh(target.box, FIRST[target.box.length]);
  const values = at(target, grid);
  const [low, high] = rangeOf(values);
  const start = 0.5 * (high + low);
  const outputs = new Float64Array(values.length).fill(start);
  return {
    target,
    sigma: SQUASHES[sigma],
    rule: RULES[rule],
    start,
    parts: [],
    grid,
    values,
    outputs,
    errors: [largest(values.map((value) => start - value))],
    sizes: [0, 0, 0],
    done: [],
  };
}
const at = ({ f }, { points, d }) =>
  Float64Array.from({ length: points.length / d }, (_, i) => f(points[d * i], points[d * i + 1]));

/**
 * One correction more, in place; returns null, or the name of the budget that ran out ("units", "points"). Yields now
 * and then.
 */
export function* correct(state) {
  const { rule, sigma } = state;
  const d = state.grid.d;
  for (;;) {
    const residual = state.outputs.map((value, i) => value - state.values[i]);
    const before = largest(residual);
    if (before === 0) return "exact";
    const positive = Uint8Array.from(residual, (value) => (value >= rule.threshold * before ? 1 : 0));
    const negative = Uint8Array.from(residual, (value) => (value <= -rule.threshold * before ? 1 : 0));
    if (!apart(state.grid, positive, negative)) {
      const size = 2 * state.grid.size - 1;
      if (size ** d > MOST.points[d]) return "points";
      state.grid = mesh(state.target.box, size);
      state.values = at(state.target, state.grid);
      state.outputs = yield* evaluate(state, state.grid.points, d);
      continue;
    }
    const used = state.sizes[0] + state.sizes[1] + state.sizes[2];
    let separator;
    try {
      separator = yield* separate(state.grid, numbers(positive), numbers(negative), {
        eps: rule.eps,
        room: d === 1 ? [0, 1] : [0.2, 0.6],
        sigma,
        most: MOST.units - used,
      });
    } catch (error) {
      if (error instanceof TooMany) return "units";
      throw error;
    }
    const gain = rule.gain * before;
    const H = yield* valuesOf(separator, state.grid.points);
    state.outputs = state.outputs.map((value, i) => value - gain * (H[i] - 0.5));
    state.parts = [...state.parts, { gain, separator }];
    state.sizes = state.sizes.map((value, k) => value + separator.sizes[k]);
    const after = largest(state.outputs.map((value, i) => value - state.values[i]));
    state.errors = [...state.errors, after];
    state.done = [
      ...state.done,
      {
        grid: state.grid,
        values: state.values,
        outputs: state.outputs,
        residual,
        positive,
        negative,
        before,
        after,
        gain,
        separator,
        H,
        sizes: state.sizes,
        factor: after / before,
      },
    ];
    return null;
  }
}
