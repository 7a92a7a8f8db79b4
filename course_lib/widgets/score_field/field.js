// The score of one query with every key of a grid and with thirteen chosen keys, by the traced PyTorch scores.

import { evaluator } from "../runtime/graph.js";

export const EXTENT = 3.25;
const SIDE = 53;
/** The places of the grid, the same to the right and up. */
export const LINE = Array.from({ length: SIDE }, (_, i) => (2 * i * EXTENT) / (SIDE - 1) - EXTENT);
const HOURS = Array.from({ length: 12 }, (_, i) => ((3 - (i + 1)) * Math.PI) / 6);
/** The keys: like the hours of a clock, one to twelve, and the middle. */
export const KEYS = [...HOURS.map((turn) => [2 * Math.cos(turn), 2 * Math.sin(turn)]), [0, 0]];
const UNITS = [
  [1, 0],
  [0, 1],
];
const GRID = LINE.flatMap((y) => LINE.map((x) => [x, y]));
const ALL = [...KEYS, ...UNITS, ...GRID];

function softmax(scores) {
  const top = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - top));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / sum);
}

/** graph: the six scores; sets: parameters by seed. Gives run(settings). */
export function machine(graph, sets) {
  const plan = evaluator(graph, { n: 2, s: ALL.length, m: sets[0].w.length, rank: 1 });
  plan.set("k", Float32Array.from(ALL.flat()));
  return function run({ score, x, y, seed }) {
    for (const [name, numbers] of Object.entries(sets[seed])) plan.set(name, Float32Array.from(numbers.flat()));
    plan.set("q", Float32Array.of(x, y, 2 * x, 2 * y));
    plan.run();
    const numbers = Array.from(plan.get(score));
    const scores = numbers.slice(0, KEYS.length);
    const twice = softmax(numbers.slice(ALL.length, ALL.length + KEYS.length));
    const from = KEYS.length + UNITS.length;
    const heights = LINE.map((_, i) => numbers.slice(from + i * SIDE, from + (i + 1) * SIDE));
    const slope = UNITS.map((_, i) => numbers[KEYS.length + i] - scores.at(-1));
    return { scores, weights: softmax(scores), twice, heights, slope };
  };
}
