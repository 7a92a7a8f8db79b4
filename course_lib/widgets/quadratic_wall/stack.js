// A stack of blocks: a layer that mixes tokens, with its projections where it is an attention, and a feed-forward layer
// of width 4d.
// For full attention this is course_lib.costs.transformer; the other kinds change the mixing layer and what belongs to
// it.

import { blockwise, convolution, FLOAT, full, linear, rnn, strided, TRAINING, window } from "./costs.js";

/** Forward passes that the work takes. */
export const passes = ({ work }) => (work === "training" ? TRAINING : 1);
/** FLOPs of the work, whole or forward. */
export const worked = (state, one) => passes(state) * one.flops + (state.work === "training" ? one.again : 0);
export const stride = (n) => Math.ceil(Math.sqrt(n));

// costs: of the mixing layer; own: the parameters of a layer without projections; again: FLOPs that the way back
// repeats; joined: numbers that the layer keeps and the projection W_O as well, counted once.
export const KINDS = {
  full: { name: "full attention", costs: ({ n, d, h }) => full(n, d, h) },
  blockwise: {
    name: "full, block by block",
    costs: ({ n, d, h }) => blockwise(n, d, h),
    again: ({ n, d }) => 2 * n * n * d,
    joined: ({ n, d }) => n * d,
  },
  window: { name: "window attention", costs: ({ n, d, h, radius }) => window(n, d, radius, h) },
  strided: { name: "strided attention", costs: ({ n, d, h }) => strided(n, d, stride(n), h) },
  linear: { name: "linear attention", costs: ({ n, d, h }) => linear(n, d, h) },
  convolution: { name: "convolution", costs: ({ n, d, k }) => convolution(n, d, k), own: ({ d, k }) => k * d * d },
  rnn: { name: "RNN", costs: ({ n, d }) => rnn(n, d), own: ({ d }) => 2 * d * d + d },
};

/**
 * {flops (forward), again (more of them on the way back), bytes, steps, path, mixing, rest, parameters}: of `layers`
 * blocks; mixing and rest are the two shares of flops.
 */
export function stack(kind, sizes) {
  const { n, d, layers } = sizes;
  const r = 4 * d;
  const { costs, own, again, joined } = KINDS[kind];
  const one = costs(sizes);
  const rest = (own ? 0 : 8 * n * d * d) + 4 * n * d * r;
  // joined heads, inputs of the maps and norms, relu, 2 numbers a norm; q, k, v are the mixing layer's
  const tokens = n * ((own ? 3 : 5) * d + r + 4) - (joined?.(sizes) ?? 0);
  const parameters = (own ? own(sizes) : 4 * d * d) + 2 * d * r + r + 5 * d;
  return {
    flops: layers * (one.flops + rest),
    again: layers * (again?.(sizes) ?? 0),
    mixing: layers * one.flops,
    rest: layers * rest,
    parameters: layers * parameters,
    bytes: layers * (one.kept + FLOAT * (tokens + parameters)),
    steps: layers * one.steps,
    path: one.path,
  };
}

/** The bytes of full attention's weights, h of n × n in each layer. */
export const weights = ({ n, h, layers }) => layers * FLOAT * h * n * n;

/** The most tokens whose training step with this kind of layer keeps no more than `memory` bytes; 0: none. */
export function longest(sizes, memory, kind = "full") {
  const fits = (n) => stack(kind, { ...sizes, n }).bytes <= memory;
  if (!fits(1)) return 0;
  let low = 1;
  let high = 2;
  while (fits(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
