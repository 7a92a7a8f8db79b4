// From next-token logits to sentences, in the page: the twin of course_lib/decoding, held to it by
// tests/widgets/test_decoding.py.
//
// Here a step function is `read(tokens) → logits [v]`: it reads all tokens from the start on. Whoever keeps what was
// read before makes it fast. Numbers are double precision.

const ROUNDING = 1e-6; // as a share: float32 probabilities do not sum more exactly than this

/**
 * Natural logarithms of softmax(logits), Float64Array [v]. A logit may be -Infinity; Error where none is finite or one
 * is NaN.
 */
export function logSoftmax(logits) {
  const largest = logits.reduce((a, b) => (b > a || Number.isNaN(b) ? b : a), -Infinity);
  if (!Number.isFinite(largest)) throw Error(`the largest logit must be finite, got ${largest}`);
  const log = Math.log(logits.reduce((sum, x) => sum + Math.exp(x - largest), 0));
  return Float64Array.from(logits, (x) => x - largest - log);
}

/** Token ids from the likeliest down; of equal ones the lower id first. */
export const ranked = (logits) =>
  Array.from(logits, (_, token) => token).sort((a, b) => logits[b] - logits[a] || a - b);

/**
 * What to draw from: softmax(logits/temperature), then the topK likeliest, then of these the fewest that sum to topP,
 * renormalised.
 * Returns {probabilities, tempered (before the cuts), cut: null, "k" or "p" for each token, order: ids from the
 * likeliest down}.
 */
export function restrict(logits, { temperature = 1, topK = null, topP = null } = {}) {
  if (!(temperature > 0 && temperature < Infinity))
    throw Error(`temperature must be a finite number > 0, got ${temperature}`);
  if (topK !== null && !(Number.isInteger(topK) && topK >= 1))
    throw Error(`topK must be a whole number ≥ 1 or null, got ${topK}`);
  if (topP !== null && !(topP > 0 && topP <= 1))
    throw Error(`topP must be above 0 and at most 1, or null, got ${topP}`);
  const order = ranked(logits);
  const largest = logits[order[0]];
  const tempered = logSoftmax(Float64Array.from(logits, (x) => (x - largest) / temperature)).map(Math.exp);
  const probabilities = tempered.slice();
  const cut = Array(logits.length).fill(null);
  const renormalise = () => {
    const sum = order.reduce((total, token) => total + probabilities[token], 0);
    for (const token of order) probabilities[token] /= sum;
  };
  const remove = (token, why) => {
    probabilities[token] = 0;
    cut[token] ??= why;
  };
  if (topK !== null) {
    for (const token of order.slice(topK)) remove(token, "k");
    renormalise();
  }
  if (topP !== null && topP < 1) {
    let before = 0; // what the likelier ones already hold
    for (const token of order) {
      const own = probabilities[token];
      if (!(before < topP * (1 - ROUNDING))) remove(token, "p");
      before += own;
    }
    renormalise();
  }
  return { probabilities, tempered, cut, order };
}

/** The token on which u, from 0 to 1, falls when the probabilities lie side by side in this order. */
export function draw(probabilities, order, u) {
  let sum = 0;
  let last = null;
  for (const token of order) {
    if (!(probabilities[token] > 0)) continue;
    sum += probabilities[token];
    last = token;
    if (u < sum) break;
  }
  return last;
}

// One token after the other, until `end` or `longest`. The answer's tokens are those generated, without start and end.
function oneByOne(read, { start, end, longest }, choose) {
  const tokens = [];
  let logProb = 0;
  for (let i = 0; i < longest; i++) {
    const logits = read([...start, ...tokens]);
    const token = choose(logits);
    logProb += logSoftmax(logits)[token];
    if (token === end) return { tokens, logProb, finished: true };
    tokens.push(token);
  }
  return { tokens, logProb, finished: false };
}

/** The likeliest token at every step. options: start (a list of tokens), end, longest. */
export const greedy = (read, options) => oneByOne(read, options, (logits) => ranked(logits)[0]);

/** Every token drawn from `restrict`'s probabilities, with one uniform number of `generator` (random.js) each. */
export const sample = (read, options) =>
  oneByOne(read, options, (logits) => {
    const { probabilities, order } = restrict(logits, options);
    return draw(probabilities, order, options.generator.uniform());
  });

/**
 * Beam search, a step at a time: yields {kept, dropped}, each a list of hypotheses from the best score down, until all
 * that is kept has ended. options: start (a list), end, longest, width, lengthPower. A hypothesis: tokens (its end
 * included), logProb, score = logProb / length^lengthPower, finished, parent (its place in the step before) and from
 * (that hypothesis itself).
 */
export function* beam(read, { start, end, longest, width, lengthPower = 0.6 }) {
  let kept = [{ tokens: [], logProb: 0, score: 0, parent: 0, finished: false, from: null }];
  for (let length = 1; length <= longest; length++) {
    const grown = [];
    kept.forEach((from, parent) => {
      // it keeps its place, unchanged, until better ones push it out
      if (from.finished) return grown.push({ ...from, parent, from });
      logSoftmax(read([...start, ...from.tokens])).forEach((gain, token) => {
        const logProb = from.logProb + gain;
        if (logProb > -Infinity)
          grown.push({
            tokens: [...from.tokens, token],
            logProb,
            score: logProb / length ** lengthPower,
            parent,
            finished: token === end,
            from,
          });
      });
    });
    grown.sort((a, b) => b.score - a.score); // stable: of equals the better parent, then the lower token
    kept = grown.slice(0, width);
    yield { kept, dropped: grown.slice(width, width + width ** 2), candidates: grown.length };
    if (kept.every((each) => each.finished)) return;
  }
}
