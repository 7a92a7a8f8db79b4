// The settings with their ranges, and as short text for the page's address; null where a text is none.

import { flag, headsCodec, number, show, whole, within } from "../shell/codecs.js";

export const RANGES = {
  place: [-4, 4],
  weight: [0.01, 10],
  entry: [-2, 2],
  scale: [0, 5],
  step: [0.01, 1],
  layers: [0, 6],
  blur: [0, 1.5],
  n: [10, 1000],
  seed: [0, 9999],
};
export const HEADS = 3;
export const TOKENS = 200;

/** Tokens [[x, y, weight], …], one after the other. */
const tokens = {
  write: (value) => value.flat().map(show).join(","),
  read(text) {
    const parts = text.split(",");
    const count = parts.length / 3;
    const ranges = [RANGES.place, RANGES.place, RANGES.weight];
    if (!Number.isInteger(count) || count > TOKENS || !parts.every((part, i) => within(part, ranges[i % 3]))) return null;
    return Array.from({ length: count }, (_, k) => parts.slice(3 * k, 3 * k + 3).map(Number));
  },
};
export const CODECS = {
  tokens,
  heads: headsCodec(RANGES.entry, HEADS),
  scale: number(RANGES.scale),
  step: number(RANGES.step),
  layers: whole(RANGES.layers),
  blur: number(RANGES.blur),
  pushed: flag,
  compare: flag,
  n: whole(RANGES.n),
  seed: whole(RANGES.seed),
};
