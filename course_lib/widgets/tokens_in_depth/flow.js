// Tokens under attention with a norm, the twin of course_lib/gaussian/sphere.py: what it computes is told there. Tokens
// are a
// Float64Array, row after row; a matrix too. Random numbers are those of runtime/random.js, in the order that the
// widget's class tells.

import { Generator } from "../runtime/random.js";

const MATRICES = 100000; // the matrices' seed is this and the tokens'
const NEAR = Math.cos(0.1);
const FINEST = 0.02;

function normed(x, d) {
  for (let i = 0; i < x.length; i += d) {
    let square = 0;
    for (let k = i; k < i + d; k++) square += x[k] * x[k];
    const length = Math.sqrt(square);
    for (let k = i; k < i + d; k++) x[k] /= length;
  }
  return x;
}

export function start({ n, d, seed }) {
  const generator = new Generator(seed);
  return normed(
    Float64Array.from({ length: n * d }, () => generator.normal()),
    d,
  );
}

/**
 * The heads' W_Q W_Kᵀ (none: plain), and values(): the next layer's V, a matrix a head, or a number in place of all.
 */
export function matrices({ d, value, look, heads, seed }) {
  const generator = new Generator(MATRICES + seed);
  const h = look === "random" ? heads : 1;
  const drawn = () =>
    Array.from({ length: h }, () => Float64Array.from({ length: d * d }, () => generator.normal() / Math.sqrt(d)));
  const scores = look === "random" ? drawn() : null;
  const one = value === "one" ? drawn() : null;
  const number = value === "minus" ? -1 : 1;
  return { scores, values: () => one ?? (value === "fresh" ? drawn() : number) };
}

/** rows times M [d, d]. */
function times(x, M, d) {
  const out = new Float64Array(x.length);
  for (let i = 0; i < x.length; i += d)
    for (let k = 0; k < d; k++) {
      const a = x[i + k];
      for (let l = 0; l < d; l++) out[i + l] += a * M[k * d + l];
    }
  return out;
}

const dot = (x, i, y, j, d) => {
  let sum = 0;
  for (let k = 0; k < d; k++) sum += x[i + k] * y[j + k];
  return sum;
};

/** The tokens after one layer. */
export function layer(x, { d, beta, step }, scores, values) {
  const h = scores?.length ?? 1;
  const out = x.slice();
  const w = new Float64Array(x.length / d);
  for (let head = 0; head < h; head++) {
    const asked = scores ? times(x, scores[head], d) : x;
    const mean = new Float64Array(x.length);
    for (let i = 0; i < x.length; i += d) {
      let most = Number.NEGATIVE_INFINITY;
      for (let j = 0; j < w.length; j++) {
        w[j] = beta * dot(asked, i, x, j * d, d);
        if (w[j] > most) most = w[j];
      }
      let total = 0;
      for (let j = 0; j < w.length; j++) {
        const weight = Math.exp(w[j] - most);
        total += weight;
        for (let k = 0; k < d; k++) mean[i + k] += weight * x[j * d + k];
      }
      for (let k = i; k < i + d; k++) mean[k] /= total;
    }
    const plain = typeof values === "number";
    const moved = plain ? mean : times(mean, values[head], d);
    const by = ((plain ? values : 1) * step) / h;
    for (let k = 0; k < out.length; k++) out[k] += by * moved[k];
  }
  return normed(out, d);
}

/** The group of each token, numbered in the order of first members. */
export function groups(x, d) {
  const n = x.length / d;
  const group = new Int16Array(n).fill(-1);
  let count = 0;
  for (let first = 0; first < n; first++) {
    if (group[first] >= 0) continue;
    const open = [first];
    group[first] = count;
    while (open.length) {
      const i = open.pop();
      for (let j = 0; j < n; j++)
        if (group[j] < 0 && dot(x, i * d, x, j * d, d) > NEAR) {
          group[j] = count;
          open.push(j);
        }
    }
    count++;
  }
  return group;
}

export function meanCosine(x, d) {
  const n = x.length / d;
  let square = 0;
  for (let k = 0; k < d; k++) {
    let sum = 0;
    for (let i = k; i < x.length; i += d) sum += x[i];
    square += sum * sum;
  }
  return (square - n) / (n * (n - 1));
}

/** ċ of n tokens whose pairwise cosines are all c. */
export const speed = (c, n, beta, value) =>
  (2 * value * (1 - c) * (1 + (n - 1) * c)) / (Math.exp(beta * (1 - c)) + n - 1);

/** c after `span` more of time, by Runge and Kutta. */
export function later(c, n, beta, value, span) {
  const pieces = Math.max(1, Math.ceil(span / FINEST - 1e-9));
  const h = span / pieces;
  const f = (at) => speed(at, n, beta, value);
  for (let i = 0; i < pieces; i++) {
    const k1 = f(c);
    const k2 = f(c + (h / 2) * k1);
    const k3 = f(c + (h / 2) * k2);
    c += (h / 6) * (k1 + 2 * k2 + 2 * k3 + f(c + h * k3));
  }
  return c;
}

const counted = (x, d) => {
  const group = groups(x, d);
  return { x, group, count: Math.max(...group) + 1, cosine: meanCosine(x, d) };
};

/**
 * The run as far as `state.layers`, each layer {x, group, count, cosine, equal}: equal is the cosine that equal angles
 * would have, null where heads or values are random. `known`: an answer for the same start, to go on from. A generator:
 * it yields after each layer.
 */
export function* run(state, known = null) {
  const { d, n, beta, value, look, step } = state;
  const exact = look === "plain" && (value === "identity" || value === "minus");
  if (!known) {
    const first = counted(start(state), d);
    known = { layers: [{ ...first, equal: exact ? first.cosine : null }], ...matrices(state) };
  }
  const { layers, scores, values } = known;
  while (layers.length <= state.layers) {
    const last = layers.at(-1);
    const next = counted(layer(last.x, state, scores, values()), d);
    layers.push({ ...next, equal: exact ? later(last.equal, n, beta, value === "minus" ? -1 : 1, step) : null });
    yield;
  }
  return known;
}

/** The sizes of the groups, the largest first. */
export function sizes(group) {
  const count = [];
  for (const each of group) count[each] = (count[each] ?? 0) + 1;
  return count.sort((a, b) => b - a);
}
