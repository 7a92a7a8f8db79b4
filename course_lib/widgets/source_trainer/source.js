// The source that sequences come from, its exact losses, and what counting would reach. Twin:
// tests/shared/source_run.py; the exact numbers are course_lib.sources'.

import { Generator } from "../runtime/random.js";

export const PROBES = 64,
  PROBES_EACH = 8,
  PROBE_SEED = 2_000_000_000;
const DRAWS = 20_000;

/** The lowest stickiness that leaves every probability ≥ 0. */
export const leastSticky = (p) => -Math.min(...p) / (1 - Math.min(...p));

/** P[i][j] = Pr(j | i) of the chain whose shares are p: s·1 + (1 - s)·(rows p). null or 0: every row is p. */
export function transitions(p, stickiness) {
  const s = stickiness ?? 0;
  return p.map((_, i) => p.map((share, j) => Math.max(0, (i === j ? s : 0) + (1 - s) * share)));
}

export const crossEntropy = (p, q) => p.reduce((sum, share, i) => (share > 0 ? sum - share * Math.log(q[i]) : sum), 0);
export const entropy = (p) => crossEntropy(p, p);
/** {plain: H(p), the least loss of who predicts the same always; rate: the least loss of all}, in nats. */
export function optimum(p, stickiness) {
  const P = transitions(p, stickiness);
  return { plain: entropy(p), rate: p.reduce((sum, share, i) => sum + share * entropy(P[i]), 0) };
}

const sums = (p) => {
  let sum = 0;
  return p.map((share) => (sum += share));
};

/**
 * draw(random, rows, length, first): sequences [rows * length], one uniform number a token; `first` [rows] starts them.
 */
export function sampler(p, stickiness) {
  const start = sums(p);
  const ends = transitions(p, stickiness).map(sums);
  const last = p.length - 1;
  return (random, rows, length, first = null) => {
    const tokens = new Uint8Array(rows * length);
    for (let row = 0; row < rows; row++) {
      for (let t = 0; t < length; t++) {
        const at = row * length + t;
        const u = random.uniform();
        if (t === 0 && first) {
          tokens[at] = first[row];
          continue;
        }
        const end = t ? ends[tokens[at - 1]] : start;
        let token = 0;
        while (token < last && u >= end[token]) token++;
        tokens[at] = token;
      }
    }
    return tokens;
  };
}

/** The inputs [(64 + 8v) * n] that are measured: 64 of the source, then 8 that end in each token, drawn backwards. */
export function probes(p, stickiness, n) {
  const draw = sampler(p, stickiness);
  const random = new Generator(PROBE_SEED);
  const each = PROBES_EACH * p.length;
  const tokens = new Uint8Array((PROBES + each) * n);
  tokens.set(draw(random, PROBES, n));
  const ending = draw(
    random,
    each,
    n,
    Uint8Array.from({ length: each }, (_, i) => Math.floor(i / PROBES_EACH)),
  );
  for (let row = 0; row < each; row++)
    tokens.set(ending.subarray(row * n, (row + 1) * n).reverse(), (PROBES + row) * n);
  return tokens;
}

/**
 * c, so that who counts N targets has an expected error max|p - share| of c/√N: the mean over draws from the normal
 * distribution that the counts' errors tend to. Of a chain: the largest error over all last tokens, each of which comes
 * with its share of the N.
 */
export function countingScale(p, stickiness) {
  const random = new Generator(PROBE_SEED + 1);
  const rows = stickiness === null ? [[1, p]] : transitions(p, stickiness).map((row, i) => [p[i], row]);
  let total = 0;
  const draws = Math.ceil(DRAWS / rows.length);
  for (let draw = 0; draw < draws; draw++) {
    let most = 0;
    for (const [share, row] of rows) {
      if (!share) continue;
      const noise = row.map((chance) => Math.sqrt(chance) * random.normal());
      const sum = noise.reduce((a, b) => a + b);
      row.forEach((chance, i) => {
        most = Math.max(most, Math.abs(noise[i] - chance * sum) / Math.sqrt(share));
      });
    }
    total += most;
  }
  return total / draws;
}
