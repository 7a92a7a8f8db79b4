// The model on one number: greedy with its own words or the right ones, and a beam. `model` is what
// runtime/recurrent.js opens.

import { beam } from "../runtime/decode.js";
import { END, START } from "../runtime/shipped.js";
import { english, german } from "./numerals.js";

const LONGEST = 30;
const likeliest = (numbers) => numbers.reduce((best, x, i, all) => (x > all[best] ? i : best), 0);

/** The English tokens of a number, and the right German ones with the end sign. */
export function both(model, n) {
  const numbered = (words, vocabulary) => words.map((word) => vocabulary.indexOf(word));
  return { source: numbered(english(n), model.source), right: [...numbered(german(n), model.target), END] };
}

/** reads: "own" or "right". A list of {read, said: tokens, probabilities}. */
export function written(model, { source, right }, reads) {
  let state = model.start(model.encode(source));
  const steps = [];
  let read = START;
  do {
    const answer = model.step(read, state);
    ({ state } = answer);
    const said = likeliest(answer.logits);
    steps.push({ read, said, probabilities: answer.probabilities });
    read = reads === "own" ? said : right[steps.length - 1];
  } while (read !== END && steps.length < LONGEST);
  return steps;
}

/** The sentences that a beam of this width ends with, best first: {tokens, logProb}, no preference for long ones. */
export function searched(model, { source }, width) {
  const known = new Map([["", { state: model.start(model.encode(source)) }]]);
  function read(tokens) {
    const key = tokens.join();
    if (!known.has(key)) known.set(key, model.step(tokens.at(-1), known.get(tokens.slice(0, -1).join()).state));
    return known.get(key).logits;
  }
  let kept = [];
  for (const moment of beam(read, { start: [START], end: END, longest: LONGEST, width, lengthPower: 0 }))
    ({ kept } = moment);
  return kept;
}
