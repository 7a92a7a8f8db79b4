// One run: chains drawn, what can be predicted of them, and the traced step with this run's start. Twin of
// course_lib/graphs/chains.py and studies/chains_in_context.py, number for number.

import { evaluator } from "../runtime/graph.js";
import { KERNEL } from "../runtime/kernel.js";
import { Generator } from "../runtime/random.js";
import { oneHot, probabilities } from "../runtime/tokens.js";
import { trainer } from "../runtime/training.js";

export const N = 32;
const BATCH = 32;
const [TEST, TEST_SEED] = [64, 2_000_000_000];
const PSEUDO = [1, 1.5, 2, 2.5, 3, 4, 6, 8];
const kernel = Uint8Array.from(atob(KERNEL), (letter) => letter.charCodeAt(0));

/** The last `order` tokens at place t of a row of N + 1, as one number; -1 where there are fewer. */
function context(tokens, row, t, v, order) {
  if (t < order - 1) return -1;
  let code = 0;
  for (let k = order - 1; k >= 0; k--) code = code * v + tokens[row * (N + 1) + t - k];
  return code;
}

/** tokens [b·(N+1)], and the chance of each next token, truth [b·N·v]. */
export function draw(random, b, { v, prior, order }) {
  const squares = Math.round(2 * prior);
  const contexts = v ** order;
  const T = Float64Array.from({ length: b * contexts * v }, () => {
    let sum = 0;
    for (let k = 0; k < squares; k++) sum += random.normal() ** 2;
    return sum;
  });
  for (let at = 0; at < T.length; at += v) {
    const row = T.subarray(at, at + v);
    const sum = row.reduce((all, x) => all + x, 0);
    for (let k = 0; k < v; k++) row[k] /= sum;
  }
  const u = Float64Array.from({ length: b * (N + 1) }, () => random.uniform());
  const tokens = new Uint8Array(b * (N + 1));
  const truth = new Float64Array(b * N * v).fill(1 / v);
  for (let i = 0; i < b; i++)
    for (let t = 0; t <= N; t++) {
      const at = i * (N + 1) + t;
      if (t < order) tokens[at] = Math.floor(u[at] * v);
      else {
        const code = context(tokens, i, t - 1, v, order);
        let [next, end] = [0, 0];
        for (let k = 0; k < v; k++) {
          const chance = T[(i * contexts + code) * v + k];
          truth[(i * N + t - 1) * v + k] = chance;
          end += chance;
          if (u[at] > end) next = k + 1;
        }
        tokens[at] = Math.min(next, v - 1);
      }
    }
  return { tokens, truth };
}

/** (count + pseudo)/(total + v·pseudo) of what followed the last `order` tokens before: [b·N·v]. */
export function counted(tokens, b, v, pseudo, order) {
  const q = new Float64Array(b * N * v).fill(1 / v);
  for (let i = 0; i < b; i++) {
    const counts = new Float64Array(v ** order * v).fill(pseudo);
    for (let t = Math.max(order - 1, 0); t < N; t++) {
      if (t >= order) counts[context(tokens, i, t - 1, v, order) * v + tokens[i * (N + 1) + t]] += 1;
      const from = context(tokens, i, t, v, order) * v;
      let sum = 0;
      for (let k = 0; k < v; k++) sum += counts[from + k];
      for (let k = 0; k < v; k++) q[(i * N + t) * v + k] = counts[from + k] / sum;
    }
  }
  return q;
}

/** Nats a token against the true chances, over the places with a full context; chance(i, t, k) is what is predicted. */
function lossOf(truth, b, { v, order }, chance) {
  let sum = 0;
  for (let i = 0; i < b; i++)
    for (let t = order - 1; t < N; t++)
      for (let k = 0; k < v; k++) {
        const p = truth[(i * N + t) * v + k];
        if (p > 0) sum -= p * Math.log(chance(i, t, k));
      }
  return sum / (b * (N + 1 - order));
}

/** graphs: chains_1, chains_2 and adam; settings as the widget has them. */
export function makeRun({ graphs, settings, generate }) {
  const { v, order, prior, layers, h, d, m, start } = settings;
  const lead = start ? 1 : 0;
  const n = N + lead;
  const words = v + lead;
  const sizes = { b: BATCH, n, words, v, d, h, m };
  const graph = graphs[`chains_${layers}`];
  const options = { kernel, generate };
  const model = trainer(graph, graphs.adam, sizes, options);
  const random = new Generator(settings.seed);
  for (const name of model.trained) {
    const scale = name[0] === "B" ? 0 : (name[0] === "O" ? h * m : d) ** -0.5;
    model.set(
      name,
      Float32Array.from(model.get(name), () => random.normal() * scale),
    );
  }
  const maps = Array.from({ length: layers }, (_, layer) => `weights.${layer}`);
  const reader = evaluator(graph, { ...sizes, b: TEST }, { ...options, outputs: ["logits", ...maps] });
  const shift = new Float32Array(n ** 3);
  for (let j = 0; j < n; j++) for (let i = 0; i <= j; i++) shift[(j * n + j - i) * n + i] = 1;
  const mask = Float32Array.from({ length: n * n }, (_, at) => (at % n <= Math.floor(at / n) ? 1 : 0));
  for (const part of [model, reader]) {
    part.set("shift", shift);
    part.set("mask", mask);
    part.set("scale", [m ** -0.5]);
  }
  // The model's rows: the start, then the tokens; ask: what comes next, -1 where nothing is asked.
  function spell(tokens, b, give, ask) {
    const read = new Int16Array(b * n);
    const next = new Int16Array(b * n).fill(-1);
    for (let i = 0; i < b; i++) {
      if (start) read[i * n] = v;
      for (let t = 0; t < N; t++) {
        read[i * n + lead + t] = tokens[i * (N + 1) + t];
        if (t >= order - 1) next[i * n + lead + t] = tokens[i * (N + 1) + t + 1];
      }
    }
    oneHot(read, words, give("tokens"));
    if (ask) oneHot(next, v, give("targets"));
  }
  const test = draw(new Generator(TEST_SEED), TEST, settings);
  spell(test.tokens, TEST, reader.get, false);
  const loss = (chance) => lossOf(test.truth, TEST, settings, chance);
  const of = (q) => loss((i, t, k) => q[(i * N + t) * v + k]);
  const lines = {
    uniform: Math.log(v),
    unigram: Math.min(...PSEUDO.map((times) => of(counted(test.tokens, TEST, v, prior * times, 0)))),
    ...(order === 2 ? { bigram: of(counted(test.tokens, TEST, v, prior, 1)) } : {}),
    bayes: of(counted(test.tokens, TEST, v, prior, order)),
    rate: of(test.truth),
  };

  return {
    lines,
    parameterCount: model.parameterCount,
    parameters: model.parameters,
    gradient: (name) => model.get(`gradient.${name}`),
    /** One update of Adam on new sequences; the loss before it, nats a token. */
    step(rate) {
      spell(draw(random, BATCH, settings).tokens, BATCH, model.get, true);
      return model.step(rate);
    },
    /**
     * On the test sequences: exact; of the first, tokens [N] and maps [layer] of [h·n·n]; before [layer][head], the
     * mean weight one place back.
     */
    measure() {
      for (const [name, values] of model.parameters()) reader.set(name, values);
      reader.run();
      const q = probabilities(reader.get("logits"), v);
      const exact = loss((i, t, k) => q[(i * n + lead + t) * v + k]);
      const weights = maps.map((name) => reader.get(name).slice(0, h * n * n));
      const back = (A, head) => {
        let sum = 0;
        for (let t = lead + 1; t < n; t++) sum += A[(head * n + t) * n + t - 1];
        return sum / (N - 1);
      };
      const before = weights.map((A) => Array.from({ length: h }, (_, head) => back(A, head)));
      return { exact, weights, before, tokens: Array.from(test.tokens.subarray(0, N)), n, lead };
    },
  };
}
