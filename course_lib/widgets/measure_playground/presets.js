// Measures and layers to begin with. Tokens are [x, y, weight]; a layer is heads, scale and step.

import { Generator } from "../runtime/random.js";

const I = [
  [1, 0],
  [0, 1],
];
const MINUS = [
  [-1, 0],
  [0, -1],
];
const TURN = [
  [0, 1],
  [-1, 0],
];
const ZERO = [
  [0, 0],
  [0, 0],
];
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
  return Array.from({ length: count }, (_, k) => [...middles[k % 3].map((value) => round(value + 0.45 * generator.normal())), 1]);
}

export const MEASURES = {
  "five tokens": [
    [-1.5, 0.5, 1],
    [-0.5, -1, 1],
    [1, -0.5, 2],
    [1.5, 1, 1],
    [0.2, 1.6, 1],
  ],
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
  quantiser: {
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
    says: "the scores are so far apart that one token takes all: in each sector of the plane nearly every place makes the same move",
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
export const LAYER_NAMES = Object.keys(LAYERS),
  MEASURE_NAMES = Object.keys(MEASURES);

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
export const layerOf = ({ heads, scale, step }) =>
  LAYER_NAMES.find((name) => same([LAYERS[name].heads, LAYERS[name].scale, LAYERS[name].step], [heads, scale, step])) ?? null;
export const measureOf = ({ tokens }) => MEASURE_NAMES.find((name) => same(MEASURES[name], tokens)) ?? null;
