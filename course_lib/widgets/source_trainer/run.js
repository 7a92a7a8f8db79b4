// One run: the exported training step with this run's sizes, start values, data and average. Twin of
// course_lib/graphs/source_run.py, number for number.

import { evaluator, Heap, plan } from "../runtime/graph.js";
import { KERNEL } from "../runtime/kernel.js";
import { count, rowMajor, sizeOf } from "../runtime/views.js";
import { Generator } from "../runtime/random.js";
import { PROBES, PROBES_EACH, crossEntropy, probes, sampler, transitions } from "./source.js";

const kernel = Uint8Array.from(atob(KERNEL), (letter) => letter.charCodeAt(0));
const VECTORS = ["parameters", "mean", "square", "average", "gradient"];
const BETA_1 = 0.9;
const KEEP = 0.99;
const DECAYS = { none: () => 1, linear: (over) => 1 - over, cosine: (over) => (1 + Math.cos(Math.PI * over)) / 2 };

/** The rate of one update, by the part of the run that is over. */
export const rateAt = ({ rate, decay, updates }, update) => rate * DECAYS[decay](update / updates);

/** Writes tokens as one-hot rows of `width` into `into`. */
function oneHot(tokens, width, into) {
  into.fill(0);
  for (let i = 0; i < tokens.length; i++) into[i * width + tokens[i]] = 1;
  return into;
}

/** graphs: {memoryless, memoryless_read, adam_averaged}; settings as the widget has them. */
export function makeRun({ graphs, settings, generate }) {
  const { p, stickiness, n, d, m, r, batch: b, sequences } = settings;
  const v = p.length;
  const words = v + 1;
  const sizes = { b, n, words, v, d, m, r };
  const options = { kernel, generate };
  const graph = graphs.memoryless;
  const heap = new Heap();
  heap.accelerate(kernel);

  // All learnables lie in one vector, and so do Adam's averages, the parameters' own average and the gradients.
  const shapes = Object.fromEntries(graph.inputs.map(([name, shape]) => [name, shape.map((size) => sizeOf(size, sizes))]));
  const trained = graph.outputs
    .map(([name]) => name)
    .filter((name) => name.startsWith("gradient."))
    .map((name) => name.slice(9));
  const total = trained.reduce((sum, name) => sum + count(shapes[name]), 0);
  const vectors = Object.fromEntries(VECTORS.map((name) => [name, heap.allocate([total])]));
  const cut = ({ offset }, prefix = "") =>
    Object.fromEntries(
      trained.map((name) => {
        const view = { offset, shape: shapes[name], strides: rowMajor(shapes[name]) };
        offset += count(shapes[name]);
        return [prefix + name, view];
      }),
    );
  const data = Object.fromEntries(["tokens", "targets", "scale"].map((name) => [name, heap.allocate(shapes[name])]));
  const gradients = cut(vectors.gradient, "gradient.");
  const step = plan(heap, graph, { ...data, ...cut(vectors.parameters) }, gradients, {
    ...options,
    outputs: ["loss", ...Object.keys(gradients)],
  });
  const numbers = Object.fromEntries(
    ["rate", "beta_1", "beta_2", "mean_share", "square_share", "weight"].map((name) => [name, heap.allocate([])]),
  );
  const { gradient, ...moved } = vectors;
  const adam = plan(heap, graphs.adam_averaged, { ...vectors, ...numbers }, moved, options);
  const tell = (name, number) => heap.write(numbers[name], [number]);

  // The start.
  const random = new Generator(settings.seed);
  const start = cut(vectors.parameters);
  for (const name of trained) {
    const shape = shapes[name];
    const reach = Math.sqrt(6 / (shape[0] + shape[1]));
    const draw =
      name === "E" || name === "P"
        ? () => 0.01 * random.normal()
        : shape.length === 2
          ? () => reach * (2 * random.uniform() - 1)
          : () => (name.startsWith("gamma") ? 1 : 0);
    heap.write(start[name], Float32Array.from({ length: count(shape) }, draw));
  }
  const scale = (settings.scale === "m" ? m : d) ** -0.5;
  heap.write(data.scale, [scale]);

  // The data.
  const draw = sampler(p, stickiness);
  const own = sequences === null ? null : draw(random, sequences, n + 1);
  const tokens = new Uint8Array(b * n);
  const targets = new Uint8Array(b);
  const an_epoch = own ? Math.floor(sequences / b) : Infinity;
  let update = 0;
  let order = null;
  function next() {
    const place = own ? update % an_epoch : 0;
    if (own && place === 0) {
      const keys = Float64Array.from({ length: sequences }, () => random.uniform());
      order = Uint32Array.from({ length: sequences }, (_, i) => i).sort((i, j) => keys[i] - keys[j] || i - j);
    }
    const fresh = own ?? draw(random, b, n + 1);
    for (let i = 0; i < b; i++) {
      const at = (own ? order[place * b + i] : i) * (n + 1);
      tokens.set(fresh.subarray(at, at + n), i * n);
      targets[i] = fresh[at + n];
    }
  }
  // The share of the newest parameters in the average; without one asked for, 0.99 is kept, so that it can be switched on.
  function weight() {
    if (settings.average === "tail") return 1 / Math.max(1, update - Math.floor(settings.updates / 2) + 1);
    const keep = settings.average ?? KEEP;
    return (1 - keep) / (1 - keep ** (update + 1));
  }

  const inputs = probes(p, stickiness, n);
  const rows = PROBES + PROBES_EACH * v;
  const P = transitions(p, stickiness);
  let many = null;
  let one = null;
  const load = (reader, vector) => {
    let at = 0;
    const values = heap.read(vectors[vector]);
    for (const name of trained) {
      const size = count(shapes[name]);
      reader.set(name, values.subarray(at, at + size));
      at += size;
    }
  };
  const reader = (which, size, wanted, sequence) => {
    const read = evaluator(which, { ...sizes, b: size }, { ...options, outputs: wanted });
    read.set("scale", [scale]);
    read.set("tokens", oneHot(sequence, words, new Float32Array(size * n * words)));
    return read;
  };

  return {
    parameterCount: total,
    probe: inputs.subarray(0, n),
    get updates() {
      return update;
    },
    parameters: () => trained.map((name) => [name, heap.read(cut(vectors.parameters)[name])]),
    set: (name, values) => heap.write(cut(vectors.parameters)[name], values),
    /** How many different targets the run has been shown. */
    targets: () => Math.min(update * b, sequences ?? Infinity),
    /** One update of Adam on the next batch; the loss before it. */
    step(rate) {
      next();
      oneHot(tokens, words, heap.read(data.tokens));
      oneHot(targets, v, heap.read(data.targets));
      step.run();
      tell("rate", rateAt({ ...settings, rate }, update));
      tell("weight", weight());
      update += 1;
      tell("beta_1", BETA_1);
      tell("beta_2", settings.beta_2);
      tell("mean_share", 1 - BETA_1 ** update);
      tell("square_share", 1 - settings.beta_2 ** update);
      adam.run();
      return heap.read(step.outputs.loss)[0];
    },
    /** The predictions at the probes, q [rows][v], of the parameters or of their average. */
    predict(averaged = false) {
      many ??= reader(graph, rows, ["logits"], inputs);
      load(many, averaged && update > 0 ? "average" : "parameters");
      many.run();
      const logits = many.get("logits");
      return Array.from({ length: rows }, (_, i) => softmax(logits.subarray(i * v, (i + 1) * v)));
    },
    measure(averaged) {
      return summary(this.predict(averaged), p, P, stickiness !== null);
    },
    /** Of the first probe: A [n * n], and the mean length of the rows of X and of Y. */
    look() {
      one ??= reader(graphs.memoryless_read, 1, ["A", "X", "Y"], inputs.subarray(0, n));
      load(one, "parameters");
      one.run();
      return { A: one.get("A").slice(), X: meanLength(one.get("X"), d), Y: meanLength(one.get("Y"), d) };
    },
  };
}

/**
 * What predictions q at the probes amount to. q, low, high [v]: mean and range over the mixed ones; after [v][v]: the mean after
 * each last token; loss: the exact loss at the probes, each last token with its share, in nats; error: max|p - q|, of a chain max|P - after|.
 */
export function summary(predictions, p, P, chain) {
  const mean = (list) => p.map((_, j) => list.reduce((sum, q) => sum + q[j], 0) / list.length);
  const mixed = predictions.slice(0, PROBES);
  const ending = p.map((_, k) => predictions.slice(PROBES + k * PROBES_EACH, PROBES + (k + 1) * PROBES_EACH));
  const q = mean(mixed);
  const after = ending.map(mean);
  const off = (a, b) => Math.max(...a.map((share, i) => Math.abs(share - b[i])));
  const wrong = chain ? p.flatMap((share, k) => (share > 0 ? [off(P[k], after[k])] : [])) : [off(p, q)];
  const loss = p.reduce(
    (sum, share, k) => sum + (share * ending[k].reduce((all, q) => all + crossEntropy(P[k], q), 0)) / PROBES_EACH,
    0,
  );
  return {
    q,
    after,
    loss,
    error: Math.max(...wrong),
    low: p.map((_, j) => Math.min(...mixed.map((q) => q[j]))),
    high: p.map((_, j) => Math.max(...mixed.map((q) => q[j]))),
  };
}

function softmax(logits) {
  const top = Math.max(...logits);
  const raised = Array.from(logits, (logit) => Math.exp(logit - top));
  const sum = raised.reduce((a, b) => a + b);
  return raised.map((x) => x / sum);
}

function meanLength(rows, d) {
  let sum = 0;
  for (let at = 0; at < rows.length; at += d) sum += Math.hypot(...rows.subarray(at, at + d));
  return (sum * d) / rows.length;
}
