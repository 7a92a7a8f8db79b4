// What is to be seen, in sentences: shown and spoken.

import { digits } from "../drawing/scale.js";
import { LAYERS, layerOf } from "./presets.js";
import { COUNTS } from "./sample.js";

export const point = ([x, y]) => `(${digits(x)}, ${digits(y)})`;
const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** facts: {layers, before, after: moments, move: {most, rms}, from: the place that moves most}. */
export function told(state, { layers, before, after, move, from }) {
  const many = plural(state.tokens.length, "token");
  const carrier = state.blur ? `the density around ${many}` : many;
  if (!layers)
    return (
      `The measure at the start: ${carrier}, mean ${point(before.mean)}, spread ${digits(before.spread)}. No ` +
      `layer has moved anything yet.`
    );
  const how =
    layers > 1
      ? state.pushed
        ? ", each looking at the measure that the one before has pushed forward"
        : ", each looking at the measure of the start"
      : "";
  const first =
    `After ${plural(layers, "layer")}${how}, the grid's places have moved by ${digits(move.rms)} (root ` +
    `mean square) and at most by ${digits(move.most)}, from ${point(from)}.`;
  const second =
    `The mean of ${carrier} went from ${point(before.mean)} to ${point(after.mean)} and the spread ` +
    `from ${digits(before.spread)} to ${digits(after.spread)}.`;
  const name = layerOf(state);
  return `${first} ${second}${name ? ` The layer “${name}”: ${LAYERS[name].says}.` : ""}`;
}

/** The other order of the two compositions: how far apart they are, in layers after the first. */
export const composed = (state, gap) =>
  gap === null
    ? ""
    : `Had every layer looked at ${state.pushed ? "the measure of the start" : "the pushed-forward measure"}, the ` +
      `grid would be up to ${digits(gap)} away from this.`;

/** What blurring does: known exactly in the first layer, by nodes from the second on. */
export function blurred(state, layers, nodes, error) {
  if (!state.blur || !layers) return "";
  const first =
    `Blurred by σ = ${digits(state.blur)}, the field of a layer is that of the points plus the linear ` +
    `map ε σ² Σ s W_Q W_Kᵀ W_V W_O, exactly.`;
  if (layers === 1 || !state.pushed) return first;
  return (
    `${first} From the second layer on ${nodes} nodes stand for the pushed-forward density; in the first ` +
    `layer, where the truth is known, they are off by at most ${digits(error, 2)}.`
  );
}

export function sampled(state, error) {
  return (
    error &&
    `With ${state.n} tokens drawn from the measure, the grid lands up to ${digits(error.most, 2)} away, ` +
      `${digits(error.rms, 2)} in root mean square.`
  );
}
export function rate(power, errors) {
  if (!errors) return "";
  if (power === null) return "Here drawing tokens makes no error that could fall.";
  return (
    `From n = ${COUNTS[0]} to ${COUNTS.at(-1)} the error falls from ${digits(errors[0], 2)} to ` +
    `${digits(errors.at(-1), 2)}, like n to the power ${digits(power, 2)}; the limit theorem says −0.5 for large n.`
  );
}

/** After a token was split: what the field says to it. */
export function split(k, weight, change) {
  const same = change < 1e-12 ? "The field has not changed" : "The field has changed by the nodes' error only";
  return (
    `Token ${k + 1} is now two tokens of weight ${digits(weight)} in one place. ${same}: the largest change on ` +
    `the grid is ${digits(change, 2)}. Attention sees the measure, not the list of tokens.`
  );
}
export const chosen = ({ tokens }, k, shares) =>
  `Token ${k + 1} of ${tokens.length}, at ${point(tokens[k])}, has weight ${digits(tokens[k][2])}: ` +
  `${digits(100 * shares[k])} % of the measure.`;
export const outside = (count) => (count ? `${plural(count, "token lies", "tokens lie")} outside the picture.` : "");
