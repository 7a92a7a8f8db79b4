// Both models on one sentence, greedy, in short slices, so that the page stays alive.

import { END, START } from "../runtime/shipped.js";
import { inSlices } from "../runtime/slices.js";

/** As course_lib.translation.translate cuts an answer. */
export const longestFor = (length) => Math.floor((3 * length) / 2) + 10;

/** The likeliest word at every step, ⟨end⟩ included: yields {token, probability, C, and with attention weights [s]}. */
export function* greedySteps(model, ids) {
  let state = model.start(model.encode(ids));
  let token = START;
  for (let step = 0; step < longestFor(ids.length) && (step === 0 || token !== END); step++) {
    const answer = model.step(token, state);
    ({ state } = answer);
    token = answer.logits.reduce((best, x, i, all) => (x > all[best] ? i : best), 0);
    yield { token, probability: answer.probabilities[token], C: state.C, weights: state.weights };
  }
}

/** { steps: {name: list that grows}, done, error, close }; changed() after each slice. models: {name: model}. */
export function translation(models, ids, changed) {
  const steps = Object.fromEntries(Object.keys(models).map((name) => [name, []]));
  const waiting = Object.entries(models).map(([name, model]) => [name, greedySteps(model, ids)]);
  function step() {
    const [name, words] = waiting[0];
    const { value, done } = words.next();
    if (done) waiting.shift();
    else steps[name].push(value);
    return !waiting.length;
  }
  return inSlices({ steps }, step, changed);
}
