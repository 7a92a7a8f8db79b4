// The shipped models in the page: what course_lib/shipped.py loads for Python, run by graph.js. `run` gives any
// intermediate result by the names in course_lib/graphs/inference.py; what is not asked for is not computed.

import { loadData } from "./data.js";
import { evaluator } from "./graph.js";
import { KERNEL } from "./kernel.js";
import { halves } from "./half.js";

const GRAPHS = { english_french: "read_translator", towns: "read_towns" };
const KEPT = 6; // plans that are kept, one for each size and list of results: a plan holds all parameters
export const [PAD, START, END, UNKNOWN] = [0, 1, 2, 3];

/**
 * P[p, 2i] = sin(p ω_i), P[p, 2i+1] = cos(p ω_i), ω_i = 10000^(-2i/d): the twin of course_lib.transformer.sinusoidal,
 * [n, d] flat.
 */
export function sinusoidal(n, d) {
  const table = new Float32Array(n * d);
  for (let p = 0; p < n; p++) {
    for (let i = 0; i < d; i += 2) {
      const angle = p * 10000 ** (-i / d);
      table[p * d + i] = Math.sin(angle);
      table[p * d + i + 1] = Math.cos(angle);
    }
  }
  return table;
}

/** Ones at the tokens' places of [rows, n, vocab], zeros elsewhere. rows: lists of n token numbers each. */
function oneHot(rows, vocab) {
  const n = rows[0].length;
  const into = new Float32Array(rows.length * n * vocab);
  rows.forEach((row, b) =>
    row.forEach((token, i) => {
      if (!(Number.isInteger(token) && token >= 0 && token < vocab))
        throw Error(`a token must be a whole number from 0 to ${vocab - 1}, got ${token}`);
      into[(b * n + i) * vocab + token] = 1;
    }),
  );
  return into;
}
const causal = (n) => Float32Array.from({ length: n * n }, (_, at) => Number(at % n <= Math.floor(at / n)));
const asRows = (tokens) => (Array.isArray(tokens[0]) ? tokens : [tokens]);
const padded = (row, n) => [...row, ...Array(n - row.length).fill(PAD)];

/**
 * The shipped model `name`, "english_french" or "towns", of a widget that was given `shipped_data.blobs(name)`. Gives
 * { config, parameters: {name: {shape, numbers}}, run } and the tokens: source and target, or vocabulary (lists of
 * words; a word's place is its number).
 */
export async function openModel(widgetModel, name) {
  const [data, graph] = await Promise.all([loadData(widgetModel, name), loadData(widgetModel, GRAPHS[name])]);
  return makeModel(data, graph);
}

/** The same from data and graph at hand. */
export function makeModel(data, graph) {
  const { config, parameters: packed, ...rest } = data;
  const parameters = Object.fromEntries(
    Object.entries(packed).map(([key, { shape, numbers }]) => [key, { shape, numbers: halves(numbers) }]),
  );
  const kernel = Uint8Array.from(atob(KERNEL), (letter) => letter.charCodeAt(0));
  const plans = new Map();
  const translates = graph.inputs.some(([input]) => input === "source");

  function planned(sizes, wanted, generate) {
    const key = JSON.stringify([sizes, wanted, generate]);
    let plan = plans.get(key);
    plans.delete(key); // the latest goes to the end
    if (!plan) {
      plan = evaluator(graph, sizes, { kernel, outputs: wanted, generate });
      for (const [parameter, { numbers }] of Object.entries(parameters)) plan.set(parameter, numbers);
      plan.set("root", [config.root_d === false ? 1 : Math.sqrt(config.d)]);
      plan.set("scale", [1 / Math.sqrt(config.m)]);
    }
    plans.set(key, plan);
    if (plans.size > KEPT) plans.delete(plans.keys().next().value);
    return plan;
  }

  /**
   * Read tokens and give the results named in `wanted`: {name: {shape, numbers}}, numbers row by row, yours to keep.
   * The translator takes {source, target}, the towns {tokens}; each a list of numbers or b lists of equal length. One
   * source for b targets is repeated. `room`: plan for so many target tokens at least, so that a growing sentence needs
   * one plan, made to run fast (planning 0.2 s); what stands behind the tokens cannot be seen by them, but the results
   * then have `room` rows.
   */
  function run({ source, target, tokens }, wanted, { room = 0 } = {}) {
    let rows = asRows(target ?? tokens);
    const { d, m, h, r } = config;
    const b = rows.length;
    const n = Math.max(room, rows[0].length);
    rows = rows.map((row) => padded(row, n));
    const vocab = translates ? data.target.length : data.vocabulary.length;
    const sizes = { b, n, vocab, d, m, h, r };
    const inputs = {
      positions: sinusoidal(n, d),
      mask: causal(n),
      [translates ? "target" : "tokens"]: oneHot(rows, vocab),
    };
    if (translates) {
      let sources = asRows(source);
      if (sources.length === 1) sources = rows.map(() => sources[0]);
      const s = Math.max(...sources.map((row) => row.length));
      Object.assign(sizes, { s, source_vocab: data.source.length });
      inputs.source_mask = sources.flatMap((row) =>
        padded(
          row.map(() => 1),
          s,
        ),
      );
      inputs.source = oneHot(
        sources.map((row) => padded(row, s)),
        data.source.length,
      );
      inputs.source_positions = sinusoidal(s, d);
    }
    const plan = planned(sizes, wanted, room ? undefined : false);
    for (const [input, numbers] of Object.entries(inputs)) plan.set(input, numbers);
    plan.run();
    return Object.fromEntries(
      wanted.map((result) => [result, { shape: plan.shape(result), numbers: plan.get(result).slice() }]),
    );
  }
  return { ...rest, config, parameters, run, results: graph.outputs.map(([result]) => result) };
}
