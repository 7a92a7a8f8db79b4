// Measures and layers to begin with. Tokens are [x, y, weight]; a layer is heads, scale and step.

import { PRESETS } from "../drawing/heads.js";
import { Generator } from "../runtime/random.js";
import declared from "./settings.json" with { type: "json" };

const { identity: I, "minus identity": MINUS, "quarter turn": TURN, zero: ZERO } = PRESETS;
const round = (value) => Math.round(100 * value) / 100 + 0; // no negative zero
const ring = (count, radius) =>
  Array.from({ length: count }, (_, k) => [
    round(radius * Math.cos((2 * Math.PI * k) / count)),
    round(radius * Math.sin((2 * Math.PI * k) / count)),
    1,
  ]);
/** Three round clouds, always the same. */
function cloud(count) {
  const generator = new Generator(5);
  const middles = [
    [-1.4, -0.6],
    [1.3, -0.9],
    [0.2, 1.4],
  ];
  return Array.from({ length: count }, (_, k) => [
    ...middles[k % 3].map((value) => round(value + 0.45 * generator.normal())),
    1,
  ]);
}

export const MEASURES = {
  "five tokens": declared.tokens.default,
  "two, unequal": [
    [-1, -0.5, 3],
    [1.5, 1, 1],
  ],
  "ring of 12": ring(12, 1.6),
  "three clouds, 60": cloud(60),
  "three clouds, 200": cloud(200),
};

export const LAYERS = {
  consensus: {
    heads: [[I, MINUS]],
    scale: 0.5,
    step: 0.3,
    says: "it takes away the mean of the tokens that resemble the place: everything is drawn together at the origin",
  },
  repulsion: {
    heads: [[I, I]],
    scale: 0.7,
    step: 0.3,
    says: "it adds the mean of the tokens that resemble the place: what lies apart is driven further apart",
  },
  rotation: {
    heads: [[I, TURN]],
    scale: 0.7,
    step: 0.4,
    says: "it adds that mean turned by a quarter: the cloud winds anticlockwise",
  },
  translation: {
    heads: [[ZERO, MINUS]],
    scale: 0.7,
    step: 1,
    says: "without scores every token counts by its weight alone: the whole plane is moved by minus the mean",
  },
  "winner takes all": {
    heads: [
      [
        [
          [2, 0],
          [0, 2],
        ],
        I,
      ],
    ],
    scale: 5,
    step: 0.5,
    says:
      "the scores are so far apart that one token takes all: in each sector of the plane nearly every place " +
      "makes the same move",
  },
  "two heads": {
    heads: [
      [I, MINUS],
      [MINUS, TURN],
    ],
    scale: 0.6,
    step: 0.3,
    says: "one head draws together, the other looks at the opposite side and turns",
  },
};
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const named = (presets, fits) => Object.keys(presets).find((name) => fits(presets[name])) ?? null;
export const layerOf = ({ heads, scale, step }) =>
  named(LAYERS, (layer) => same([layer.heads, layer.scale, layer.step], [heads, scale, step]));
export const measureOf = ({ tokens }) => named(MEASURES, (measure) => same(measure, tokens));
