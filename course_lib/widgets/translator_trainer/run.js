// One run: the traced steps joined to this length, with this run's start, letters and updates. Twin of
// course_lib/graphs/translator_run.py, number for number; what the task is stands there.

import { evaluator } from "../runtime/graph.js";
import { KERNEL } from "../runtime/kernel.js";
import { Generator } from "../runtime/random.js";
import { oneHot, probabilities } from "../runtime/tokens.js";
import { trainer } from "../runtime/training.js";
import { unrolled } from "../runtime/unrolled.js";

export const LETTERS = 8;
const [D, START, VOCAB] = [8, LETTERS, LETTERS + 1];
const [TEST, TEST_SEED] = [128, 2_000_000_000];
const kernel = Uint8Array.from(atob(KERNEL), (letter) => letter.charCodeAt(0));

/** The entropy of the noise, nats a letter. */
export function floor(noise) {
  const [right, other] = [1 - noise + noise / LETTERS, noise / LETTERS];
  return -right * Math.log(right) - (other > 0 ? (LETTERS - 1) * other * Math.log(other) : 0);
}

/** Rows of the task, time before rows: {source, right, target}, each [n·b]. */
function letters({ length: n, order, noise }, random, b) {
  const source = new Uint8Array(n * b);
  const right = new Uint8Array(n * b);
  const each = (act) => {
    for (let i = 0; i < b; i++)
      for (let t = 0; t < n; t++) act(t * b + i, (order === "reversed" ? n - 1 - t : t) * b + i);
  };
  each((at, there) => {
    source[at] = random.below(LETTERS);
    right[there] = source[at];
  });
  const target = right.slice();
  const exchanged = new Uint8Array(n * b);
  each((at) => {
    exchanged[at] = random.uniform() < noise ? 1 : 0;
  });
  each((at) => {
    const other = random.below(LETTERS);
    if (exchanged[at]) target[at] = other;
  });
  return { source, right, target };
}

/** How a parameter begins: as the modules do (course_lib/parameters.py). */
function startOf(name, [rows], { r }, random) {
  const last = name
    .replace(/\.(y|s|C)$/, "")
    .split(".")
    .at(-1);
  if (["b_0", "b_r", "b_U"].includes(last)) return () => 0;
  if (["W_x", "W_s", "b", "b_n"].includes(last)) return () => (2 * random.uniform() - 1) / Math.sqrt(r);
  const inputs = last.startsWith("E_") ? 1 : last === "W_r" ? 2 * r + D : rows;
  return () => random.normal() / Math.sqrt(inputs);
}

/** graphs: the steps by name, and adam; settings as the widget has them. */
export function makeRun({ graphs, settings, generate }) {
  const { length: n, r, cell, attention, noise, batch: b } = settings;
  const kind = attention ? "_attentive" : "";
  const steps = {
    encode: graphs[`encode_${cell}`],
    begin: graphs[`begin${kind}`],
    decode: graphs[`decode_${cell}${kind}`],
  };
  const graph = unrolled(steps, n);
  const sizes = { s: n, n, b, d: D, r, m: Math.max(1, Math.floor(r / 2)), source_vocab: LETTERS, vocab: VOCAB };
  const options = { kernel, generate };
  const model = trainer(graph, graphs.adam, sizes, options);
  const random = new Generator(settings.seed);
  for (const name of model.trained) {
    const draw = startOf(name, model.shape(name), settings, random);
    model.set(name, Float32Array.from(model.get(name), draw));
  }
  const test = letters(settings, new Generator(TEST_SEED), TEST);
  const outputs = graph.outputs
    .map(([name]) => name)
    .filter((name) => name === "logits" || name.startsWith("weights."));
  const reader = evaluator(graph, { ...sizes, b: TEST }, { ...options, outputs });
  const show = (give, { source, target }, rows) => {
    const read = new Uint8Array(target.length).fill(START);
    read.set(target.subarray(0, (n - 1) * rows), rows); // the letter before
    oneHot(source, LETTERS, give("source"));
    oneHot(read, VOCAB, give("read"));
    return target;
  };
  show(reader.get, test, TEST);

  return {
    parameterCount: model.parameterCount,
    parameters: model.parameters,
    gradient: (name) => model.get(`gradient.${name}`),
    /** One update of Adam on new rows; the loss before it, nats a letter. */
    step(rate) {
      const target = show(model.get, letters(settings, random, b), b);
      oneHot(target, VOCAB, model.get("target"));
      return model.step(rate);
    },
    /**
     * On the fixed test rows: exact, the loss expected over the noise; shares [n] of rows in which the right letter is
     * the likeliest; of the first row source, right and said [n], and with attention weights [n, n].
     */
    measure() {
      for (const [name, values] of model.parameters()) reader.set(name, values);
      reader.run();
      const q = probabilities(reader.get("logits"), VOCAB);
      const shares = Array(n).fill(0);
      const said = [];
      let exact = 0;
      for (let t = 0; t < n; t++)
        for (let i = 0; i < TEST; i++) {
          const at = t * TEST + i;
          const row = q.subarray(at * VOCAB, (at + 1) * VOCAB);
          const likeliest = row.reduce((best, x, k) => (x > row[best] ? k : best), 0);
          shares[t] += likeliest === test.right[at] ? 1 / TEST : 0;
          if (i === 0) said.push(likeliest);
          exact -= (1 - noise) * Math.log(row[test.right[at]]);
          for (let k = 0; noise > 0 && k < LETTERS; k++) exact -= (noise / LETTERS) * Math.log(row[k]);
        }
      const first = (list) => Array.from({ length: n }, (_, t) => list[t * TEST]);
      const weights = attention
        ? Float32Array.from(
            { length: n * n },
            (_, k) => reader.get("weights.0")[Math.floor(k / n) * TEST * n + (k % n)],
          )
        : null;
      return { exact: exact / (n * TEST), shares, source: first(test.source), right: first(test.right), said, weights };
    },
  };
}
