// One run of the explorer: the exported training step with this run's sizes, start values and batches. Twin of
// course_lib/graphs/explorer.py, number for number.

import { evaluator } from "../runtime/graph.js";
import { KERNEL } from "../runtime/kernel.js";
import { trainer } from "../runtime/training.js";
import { Generator } from "../runtime/random.js";
import { oneHot, probabilities } from "../runtime/tokens.js";
import { isRelative, keyHeads, relative } from "./relative.js";

const BATCH = 32;
const TEST_BATCH = 64;
const TEST_SEED = 2_000_000_000;
const kernel = Uint8Array.from(atob(KERNEL), (letter) => letter.charCodeAt(0));

/** Positions 0 … n-1 as in course_lib.transformer.sinusoidal, times √(2/d): each vector has length 1. */
export function sinusoids(n, d) {
  return Float32Array.from({ length: n * d }, (_, at) => {
    const [place, k] = [Math.floor(at / d), at % d];
    const angle = place * 10_000 ** (-(k - (k % 2)) / d);
    return (k % 2 ? Math.cos(angle) : Math.sin(angle)) * Math.sqrt(2 / d);
  });
}

// The standard deviation of a parameter's first values, null where they are constants.
function deviation(name, { d, m, h }) {
  const last = name.split(".").at(-1);
  if (["gain", "bias", "b_1", "b_2"].includes(last)) return null;
  return ({ W_O: h * m, W_2: 2 * d }[last] ?? d) ** -0.5;
}

/** settings: {d, m, h, share, layers, positions, norm, residual, causal, scaled, seed}; task from makeTask. */
export function makeRun({ graph, adam, settings, task, generate }) {
  const { d, m, h, layers } = settings;
  const { n } = task;
  const vocab = task.vocabulary.length;
  const inside = isRelative(settings) ? relative(settings, n) : {};
  const sizes = { b: BATCH, n, vocab, d, m, h, r: 2 * d, g: keyHeads(settings) };
  const options = { kernel, generate };
  const model = trainer(graph, adam, sizes, { ...options, learnPositions: settings.positions === "learned" });
  const random = new Generator(settings.seed);
  for (const name of model.trained) {
    const size = model.get(name).length;
    const sd = Math.fround(deviation(name, settings));
    const draws = sd ? Float32Array.from({ length: size }, () => Math.fround(random.normal()) * sd) : null;
    model.set(name, draws ?? new Float32Array(size).fill(name.endsWith(".gain") ? 1 : 0));
  }
  if (settings.positions === "sinusoidal") model.set("positions", sinusoids(n, d));
  else if (settings.positions !== "learned") model.set("positions", new Float32Array(n * d));

  const mask = Float32Array.from({ length: n * n }, (_, at) =>
    !settings.causal || at % n <= Math.floor(at / n) ? 1 : 0,
  );
  const fixed = { mask, scale: [settings.scaled ? m ** -0.5 : 1], ...inside };
  const maps = Array.from({ length: layers }, (_, layer) => `weights.${layer}`);
  const reader = (b, outputs) => {
    const read = evaluator(graph, { ...sizes, b }, { ...options, outputs });
    for (const [name, numbers] of Object.entries(fixed)) read.set(name, numbers);
    return read;
  };
  for (const [name, numbers] of Object.entries(fixed)) model.set(name, numbers);
  const one = reader(1, ["logits", ...maps]);
  let many = null; // planned when the accuracy is first asked for
  const tests = task.batch(new Generator(TEST_SEED), TEST_BATCH);
  const asked = [...tests.targets.keys()].filter((i) => tests.targets[i] >= 0);

  // The present parameters for a reader; heads in `off`, [[layer, head]…], add nothing to the tokens.
  function load(read, off) {
    for (const name of model.trained) {
      const gone = off.filter(([layer]) => name === `encoder.blocks.${layer}.attention.W_O`);
      const values = gone.length ? model.get(name).slice() : model.get(name);
      for (const [, head] of gone) values.fill(0, head * m * d, (head + 1) * m * d);
      read.set(name, values);
    }
  }
  const best = (logits, i) => {
    let top = 0;
    for (let k = 1; k < vocab; k++) if (logits[i * vocab + k] > logits[i * vocab + top]) top = k;
    return top;
  };

  return {
    parameterCount: model.parameterCount,
    parameters: model.parameters,
    /** One step of Adam on a new batch; the loss before it. */
    step(rate) {
      const batch = task.batch(random, BATCH);
      for (const name of ["tokens", "targets"]) oneHot(batch[name], vocab, model.get(name));
      return model.step(rate);
    },
    /** Share of right answers on the fixed test batch, with the right answers before each in sight. */
    accuracy(off = []) {
      many ??= reader(TEST_BATCH, ["logits"]);
      load(many, off);
      many.set("tokens", oneHot(tests.tokens, vocab));
      many.run();
      const logits = many.get("logits");
      return asked.filter((i) => best(logits, i) === tests.targets[i]).length / asked.length;
    },
    /**
     * One question: its maps [layer] of [h, n, n], probabilities [n, vocab], and the answers when it must go on alone.
     */
    look(draws, off = []) {
      const spelled = task.spell(draws);
      const begin = spelled.targets.findIndex((target) => target >= 0);
      load(one, off);
      const run = (row) => {
        one.set("tokens", oneHot(row, vocab));
        one.run();
      };
      const own = spelled.tokens.map((token, i) => (task.fed && i > begin ? -1 : token));
      const alone = [];
      for (let i = begin; i < n; i++) {
        if (task.fed || i === begin) run(own);
        alone.push(best(one.get("logits"), i));
        if (task.fed && i + 1 < n) own[i + 1] = alone.at(-1);
      }
      run(spelled.tokens);
      return {
        ...spelled,
        begin,
        alone,
        probabilities: probabilities(one.get("logits"), vocab),
        weights: maps.map((name) => one.get(name).slice()),
      };
    },
    snapshot: () => ({ ...model.snapshot(), random: random.state }),
    restore(moment) {
      model.restore(moment);
      random.state = moment.random;
    },
    testQuestion: () => {
      const generator = new Generator(TEST_SEED);
      return task.bounds.map((bound) => generator.below(bound));
    },
  };
}
