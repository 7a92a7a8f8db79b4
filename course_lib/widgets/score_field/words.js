// What the picture shows, in words.

import { number } from "../drawing/ui.js";

export const NAMES = {
  dot: "dot",
  cosine: "cosine",
  scaled_dot: "scaled dot",
  additive: "additive",
  multiplicative: "multiplicative",
  reduced_rank: "reduced rank",
};
export const nameOf = (key) => (key === 12 ? "the key in the middle" : `the key at ${key + 1} o’clock`);

/**
 * Where the score of this query grows. `slope`: by how much from the middle along each axis; of a linear score that is
 * all.
 */
function growth(score, slope, flat) {
  if (flat) return "For this query all keys have the same score.";
  if (score === "cosine") return "The level lines are rays: only the key’s direction counts, and neither length.";
  if (score === "additive") return "The level lines are curved: the score may rise and fall again.";
  const length = Math.hypot(...slope);
  const along = slope.map((part) => number(part / length)).join(", ");
  const whose = {
    dot: "the query’s own direction",
    scaled_dot: "the query’s own direction",
    multiplicative: "the query turned and stretched by W",
    reduced_rank: "always along V, forwards or backwards, wherever the query points",
  };
  return (
    `The level lines are straight: the score grows along (${along}), ${whose[score]}, by ${number(length)} for ` +
    `each unit.`
  );
}

/** The number of the key with the largest weight. */
export const largest = (weights) => weights.indexOf(Math.max(...weights));

export function words({ score, scores, weights, twice, slope }) {
  const flat = Math.max(...scores) - Math.min(...scores) < 1e-4;
  const best = largest(weights);
  const first = growth(score, slope, flat);
  if (flat) return `${first} Each of the thirteen has the weight ${number(1 / 13)}.`;
  const then = Math.max(...twice);
  const change = Math.abs(then - weights[best]) < 0.005 ? "still" : "";
  const changed = [change, number(then)].filter(Boolean).join(" ");
  const more = `With a query twice as long the largest weight would be ${changed}.`;
  return (
    `${first} Of the thirteen keys, ${nameOf(best)} has the largest score, ${number(scores[best])}, and the ` +
    `weight ${number(weights[best])}. ${more}`
  );
}
