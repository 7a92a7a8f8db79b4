// Costs in words: where the wall is. Pure functions.

import { thousands } from "../model_sizes/words.js";
import { digits } from "../drawing/scale.js";
import { crossing, GB, overtakes, P100 } from "./costs.js";
import { longest, stack, weights, worked } from "./stack.js";

/**
 * FLOPs a second of a product in Chromium on one core of a small server: what stands for the reader's device until it
 * is measured.
 */
export const REFERENCE = 2e10;
export const PAGE = GB; // the largest heap of graph.js

const short = (x) => (x >= 1000 ? thousands(Math.round(x)) : digits(x));

/** Bytes, in units of 1024: "3.2 GiB". */
export function bytes(x) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let step = 0;
  while (step < units.length - 1 && x >= 999.5) {
    x /= 1024;
    step++;
  }
  return `${short(x)} ${units[step]}`;
}

const TIMES = [
  [1e-6, "µs", 999.5e-6],
  [1e-3, "ms", 0.9995],
  [1, "s", 119.5],
  [60, "min", 119.5 * 60],
  [3600, "h", 47.95 * 3600],
  [86_400, "days", 729.5 * 86_400],
  [365.25 * 86_400, "years", Infinity],
];

/** Seconds, in the unit that suits: "1.4 s", "23 min". */
export function seconds(x) {
  const [unit, name] = TIMES.find(([, , below]) => x < below);
  return `${short(x / unit)} ${name}`;
}

export const operations = (x) => digits(x);

/** Everything that is shown and read back: costs by kind, the walls, seconds. rate: FLOPs a second of this page. */
export function figures(state, rate) {
  const costs = Object.fromEntries(
    state.kinds.map((kind) => {
      const one = stack(kind, state);
      const flops = worked(state, one);
      return [kind, { ...one, flops, peak: flops / P100.flops, here: flops / rate }];
    }),
  );
  return {
    costs,
    weights: weights(state),
    crossing: crossing(state.d),
    overtakes: overtakes(state.d),
    fits_p100: longest(state, P100.memory),
    fits_page: longest(state, PAGE),
    rate,
  };
}

const plural = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

/** Where the wall is, in three sentences. */
export function words(state, found) {
  const { n, h, layers } = state;
  const whole = stack("full", state);
  const share = found.weights / whole.bytes;
  const percent = share > 0.995 ? "nearly all" : share < 0.005 ? "less than 1 %" : `${Math.round(100 * share)} %`;
  const first =
    `At n = ${thousands(n)} the stored maps of full attention, ${h} of n × n in ` +
    `${layers === 1 ? "one layer" : `each of ${plural(layers, "layer")}`}, need ${bytes(found.weights)}: ${percent} ` +
    `of what is kept.`;
  const blocks = thousands(longest(state, P100.memory, "blockwise"));
  const fits =
    found.fits_p100 === 0
      ? "A P100’s 16 GiB do not hold one token with stored maps."
      : (found.fits_p100 >= n
          ? "A P100’s 16 GiB would hold up to"
          : "That is beyond the wall: a P100’s 16 GiB end at") +
        ` n = ${thousands(found.fits_p100)}; block by block at ${blocks}. (Gradients, Adam and scratch left out.)`;
  const over =
    `Attention’s two products are ${ratio(whole.mixing / whole.rest)} the rest of the FLOPs; equal at n ` +
    `= 6d = ${thousands(found.crossing)}.`;
  return [first, fits, over];
}

const ratio = (x) =>
  x >= 0.995 && x < 1.005 ? "as much as" : x < 1 ? `${Math.max(1, Math.round(100 * x))} % of` : `${digits(x, 2)} times`;
