// Costs in words: where the wall is. Pure functions.

import { thousands } from "../model_sizes/words.js";
import { digits } from "../drawing/scale.js";
import { crossing, GB, overtakes, P100 } from "./costs.js";
import { KINDS, longest, passes, stack, weights } from "./stack.js";

/** FLOPs a second of a product in Chromium on one core of a small server: what stands for the reader's device until it is measured. */
export const REFERENCE = 2e10;
export const PAGE = GB; // the largest heap of graph.js

const short = (x) => (x >= 1000 ? thousands(Math.round(x)) : digits(x));

/** Bytes, in units of 1024: "3.2 GB". */
export function bytes(x) {
  const units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
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
      const flops = passes(state) * one.flops;
      return [
        kind,
        { ...one, flops, peak: flops / P100.flops, p100: flops / ((P100.flops * state.reached) / 100), here: flops / rate },
      ];
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

/** Where the wall is, in sentences; measured: whether the rate is that of the reader's device. */
export function words(state, found, measured) {
  const { n, h, layers } = state;
  const whole = stack("full", state);
  const share = found.weights / whole.bytes;
  const work = state.work === "training" ? "a training step" : "a forward pass";
  const flops = passes(state) * whole.flops;
  const percent = share > 0.995 ? "nearly all" : share < 0.005 ? "less than 1 %" : `${Math.round(100 * share)} %`;
  const first = `At n = ${thousands(n)} the weights of full attention alone, ${plural(h, "map")} of n × n in ${layers === 1 ? "one layer" : `each of ${layers} layers`}, need ${bytes(found.weights)}: ${percent} of what a training step keeps.`;
  const fits =
    found.fits_p100 >= n
      ? `A P100’s 16 GB would hold up to n = ${thousands(found.fits_p100)}`
      : found.fits_p100 === 0
        ? "A P100’s 16 GB do not hold one token"
        : `That is beyond the wall: a P100’s 16 GB end at n = ${thousands(found.fits_p100)}`;
  const page =
    found.fits_page === 0
      ? "this page’s 1 GB does not even hold the parameters"
      : `this page’s 1 GB ends at n = ${thousands(found.fits_page)}`;
  const device = measured ? "your device would take" : "the reference device takes";
  const room = n > found.fits_page ? " if it had the memory" : "";
  const time = `With full attention ${work} is ${operations(flops)} FLOPs: ${seconds(flops / P100.flops)} at a P100’s peak, ${seconds(flops / ((P100.flops * state.reached) / 100))} at ${state.reached} % of it; ${device} ${seconds(flops / found.rate)}${room}.`;
  const over = `Attention’s two products overtake the feed-forward layer at n = 4d = ${thousands(found.overtakes)}, and all the rest together at n = 6d = ${thousands(found.crossing)}: here they are ${ratio(whole.mixing / whole.rest)} the rest.`;
  return [first, `${fits}; ${page}.`, time, over, ...others(state, found, whole)];
}

const ratio = (x) =>
  x >= 0.995 && x < 1.005 ? "as much as" : x < 1 ? `${Math.max(1, Math.round(100 * x))} % of` : `${digits(x, 2)} times`;

/** What the cheapest of the other kinds chosen would save. */
function others(state, found, whole) {
  const rivals = Object.entries(found.costs)
    .filter(([kind]) => kind !== "full")
    .sort(([, a], [, b]) => a.flops - b.flops);
  if (!rivals.length) return [];
  const [kind, cost] = rivals[0];
  const times = (passes(state) * whole.flops) / cost.flops;
  const room = whole.bytes / cost.bytes;
  const compare = (x) =>
    x > 1.05 ? `${digits(x, 2)} times fewer` : x < 0.95 ? `${digits(1 / x, 2)} times more` : "about as many";
  return [
    `With ${kind === "rnn" ? "an RNN" : KINDS[kind].name} it takes ${compare(times)} FLOPs and keeps ${compare(room)} bytes.`,
  ];
}
