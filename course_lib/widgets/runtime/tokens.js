// Tokens as a model takes them, and what it answers: rows of ones and zeros in, probabilities out.

import { softmax } from "./rows.js";

/** Ones at the tokens' places of `into` [tokens.length, size], zeros elsewhere and where a token is -1. */
export function oneHot(tokens, size, into = new Float32Array(tokens.length * size)) {
  into.fill(0);
  tokens.forEach((token, i) => {
    if (token >= 0) into[i * size + token] = 1;
  });
  return into;
}

/** softmax of every row of logits [n, size]: a new array of the same shape. */
export function probabilities(logits, size) {
  const shares = Float32Array.from(logits);
  softmax(shares, 0, 0, shares.length / size, size);
  return shares;
}
