// One run: the exported training step with this run's sizes, start values, data and average. Twin of
// tests/shared/source_run.py, number for number.

import { evaluator } from "../runtime/graph.js";
import { KERNEL } from "../runtime/kernel.js";
import { oneHot, probabilities } from "../runtime/tokens.js";
import { trainer } from "../runtime/training.js";
import { Generator } from "../runtime/random.js";
import { PROBES, PROBES_EACH, crossEntropy, probes, sampler, transitions } from "./source.js";

const kernel = Uint8Array.from(atob(KERNEL), (letter) => letter.charCodeAt(0));
const KEEP = 0.99;
const LAW_INPUTS = 16;
const DECAYS = { none: () => 1, linear: (over) => 1 - over, cosine: (over) => (1 + Math.cos(Math.PI * over)) / 2 };

/** The rate of one update, by the part of the run that is over. */
export const rateAt = ({ rate, decay, updates }, update) => rate * DECAYS[decay](update / updates);

/** graphs: {memoryless, memoryless_read, adam_averaged}; settings as the widget has them. */
export function makeRun({ graphs, settings, generate }) {
  const { p, stickiness, n, d, m, r, batch: b, sequences } = settings;
  const v = p.length;
  const words = v + 1;
  const sizes = { b, n, words, v, d, m, r };
  const options = { kernel, generate };
  const model = trainer(graphs.memoryless, graphs.adam_averaged, sizes, options);

  // The start.
  const random = new Generator(settings.seed);
  for (const name of model.trained) {
    const shape = model.shape(name);
    const reach = Math.sqrt(6 / (shape[0] + shape[1]));
    const draw =
      name === "E" || name === "P"
        ? () => 0.01 * random.normal()
        : shape.length === 2
          ? () => reach * (2 * random.uniform() - 1)
          : () => (name.startsWith("gamma") ? 1 : 0);
    model.set(name, Float32Array.from(model.get(name), draw));
  }
  const scale = [(settings.scale === "m" ? m : d) ** -0.5];
  model.set("scale", scale);

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
  // The share of the newest parameters in the average; without one asked for, 0.99 is kept, so that it can be switched
  // on.
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
  let pulled = null;
  const load = (reader, vector) => {
    for (const [name, values] of model.parameters(vector)) reader.set(name, values);
  };
  const reader = (which, size, wanted, sequence) => {
    const read = evaluator(which, { ...sizes, b: size }, { ...options, outputs: wanted });
    read.set("scale", scale);
    read.set("tokens", oneHot(sequence, words));
    return read;
  };

  return {
    parameterCount: model.parameterCount,
    probe: inputs.subarray(0, n),
    get updates() {
      return update;
    },
    parameters: model.parameters,
    /** How many different targets the run has been shown. */
    targets: () => Math.min(update * b, sequences ?? Infinity),
    /** One update of Adam on the next batch; the loss before it. */
    step(rate) {
      next();
      oneHot(tokens, words, model.get("tokens"));
      oneHot(targets, v, model.get("targets"));
      const loss = model.step(rateAt({ ...settings, rate }, update), { beta_2: settings.beta_2, weight: weight() });
      update += 1;
      return loss;
    },
    /** The predictions at the probes, q [rows][v], of the parameters or of their average. */
    predict(averaged = false) {
      many ??= reader(graphs.memoryless, rows, ["logits"], inputs);
      load(many, averaged && update > 0 ? "average" : "parameters");
      many.run();
      const shares = probabilities(many.get("logits"), v);
      return Array.from({ length: rows }, (_, i) => Array.from(shares.subarray(i * v, (i + 1) * v)));
    },
    measure(averaged) {
      return summary(this.predict(averaged), p, P, stickiness !== null);
    },
    /**
     * The excess that the law of the walk predicts at this rate, in nats: rate/(4√b) · Σ s_k, with s_k the standard
     * deviation under p of learnable k's slopes, of the mean logits over 16 probes. The gradient for inputs that are
     * all followed by token i is that slope for token i, turned round, plus what is the same for every i: so v
     * gradients tell every s_k. Twin: `law` of studies/annealing.py.
     */
    law(rate) {
      const names = model.trained.map((name) => `gradient.${name}`);
      pulled ??= reader(graphs.memoryless, LAW_INPUTS, names, inputs.subarray(0, LAW_INPUTS * n));
      load(pulled, "parameters");
      const means = names.map((_, k) => new Float64Array(model.get(model.trained[k]).length));
      const squares = means.map((sums) => new Float64Array(sums.length));
      p.forEach((share, i) => {
        pulled.set("targets", oneHot(new Uint8Array(LAW_INPUTS).fill(i), v));
        pulled.run();
        names.forEach((name, k) => {
          pulled.get(name).forEach((slope, at) => {
            means[k][at] += share * slope;
            squares[k][at] += share * slope * slope;
          });
        });
      });
      let sum = 0;
      means.forEach((sums, k) => {
        for (let at = 0; at < sums.length; at++) sum += Math.sqrt(Math.max(0, squares[k][at] - sums[at] ** 2));
      });
      return (rateAt({ ...settings, rate }, update) * sum) / (4 * Math.sqrt(b));
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
 * What predictions q at the probes amount to. q, low, high [v]: mean and range over the mixed ones; after [v][v]: the
 * mean after each last token; loss: the exact loss at the probes, each last token with its share, in nats; error: max|p
 * - q|, of a chain max|P - after|.
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

function meanLength(rows, d) {
  let sum = 0;
  for (let at = 0; at < rows.length; at += d) sum += Math.hypot(...rows.subarray(at, at + d));
  return (sum * d) / rows.length;
}
