// Beam search and greedy beside it on one sentence, in short slices, so that the page stays alive. What a prefix was
// read to is kept: another width asks the model only for prefixes that no search has met.

import { beam, greedy } from "../runtime/decode.js";
import { inSlices } from "../runtime/slices.js";

const root = { tokens: [], logProb: 0, score: 0, parent: 0, finished: false, from: null };

/** The model on one source sentence: read(tokens) → {logits, …}, kept by prefix; count() prefixes so far. */
export function remember(read) {
  const known = new Map();
  const remembered = (tokens) => {
    const key = tokens.join();
    if (!known.has(key)) known.set(key, read(tokens));
    return known.get(key);
  };
  return Object.assign(remembered, { count: () => known.size });
}

/**
 * options: start, end, longest, width, lengthPower. changed() after each step; `moments` grows, `done` when greedy has
 * spoken too.
 */
export function search(read, options, changed) {
  const logits = (tokens) => read(tokens).logits;
  const steps = beam(logits, options);
  const found = { moments: [{ kept: [root], dropped: [], candidates: 1 }], complete: false, greedy: null };
  function step() {
    if (found.complete) {
      found.greedy = greedy(logits, options);
      return true;
    }
    const { value, done } = steps.next();
    if (done) found.complete = true;
    else found.moments.push(value);
    if (found.moments.length === 2) found.moments[0].kept = [found.moments[1].kept[0].from];
    return false;
  }
  return inSlices(found, step, changed);
}

/** The path from the first word to a hypothesis, as the objects of the search. */
export function lineage(hypothesis) {
  const path = [];
  for (let one = hypothesis; one; one = one.from) path.unshift(one);
  return path;
}
