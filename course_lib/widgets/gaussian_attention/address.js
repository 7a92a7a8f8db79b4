// The settings with their ranges, and as short text for the page's address; null where a text is none.

import { flag, headsCodec, list, number, whole } from "../shell/codecs.js";

export const RANGES = {
  x: [-4, 4],
  spread: [0.05, 3],
  angle: [-180, 180],
  entry: [-2, 2],
  scale: [0, 3],
  step: [0.01, 1],
  layers: [0, 8],
  n: [10, 500],
  seed: [0, 9999],
};
export const HEADS = 3;

export const CODECS = {
  mean: list(RANGES.x, [2]),
  spread: list(RANGES.spread, [2]),
  angle: number(RANGES.angle),
  heads: headsCodec(RANGES.entry, HEADS),
  scale: number(RANGES.scale),
  step: number(RANGES.step),
  layers: whole(RANGES.layers),
  n: whole(RANGES.n),
  seed: whole(RANGES.seed),
  matched: flag,
};
