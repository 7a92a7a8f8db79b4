// The recurrent translators in the page: what course_lib/recurrent computes, a graph a step
// (course_lib/graphs/recurrent.py says what each takes and gives). Here are the loops over time, and nothing else.

import { loadData } from "./data.js";
import { evaluator } from "./graph.js";
import { KERNEL } from "./kernel.js";
import { halves } from "./half.js";

const FIXED = ["read_recurrent_token", "read_rnnencdec_start", "read_rnnencdec_step"];
const GRAPHS = {
  rnnencdec: FIXED,
  numbers: FIXED,
  rnnsearch: ["read_recurrent_token", "read_rnnsearch_start", "read_rnnsearch_step"],
};
// The rows of these matrices act on vectors side by side; a graph takes them apart.
const PARTS = { "decoder.cell.W_x": ["y", "C"], "decoder.W_r": ["s", "C", "y"] };
const ROOM = 16; // sources of up to 16, 32, … tokens share a plan
const KEPT = 3; // plans for that many lengths

/** The shipped model `name`, a key of GRAPHS, of a widget that was given `shipped_data.blobs(name)`. */
export async function openRecurrent(widgetModel, name) {
  const [data, ...graphs] = await Promise.all([name, ...GRAPHS[name]].map((each) => loadData(widgetModel, each)));
  return makeRecurrent(data, graphs);
}

/** name → numbers, matrices in PARTS cut into their rows: "decoder.cell.W_x.y", … */
function unpacked(parameters, rows) {
  const weights = {};
  for (const [name, { shape, numbers }] of Object.entries(parameters)) {
    const all = halves(numbers);
    weights[name] = all;
    let from = 0;
    for (const part of PARTS[name] ?? []) {
      const to = from + rows[part] * shape[1];
      weights[`${name}.${part}`] = all.subarray(from, to);
      from = to;
    }
  }
  return weights;
}

/**
 * The same from data and graphs at hand. Gives { source, target: lists of words, width: numbers in a context vector,
 * attentive, encode(ids) → {H: [s, r] flat, C, length}, start(encoded) → state, step(token, state) → {logits,
 * probabilities, state} }. A state has s and C, and with attention the scores and weights [s] of the last step; it is
 * never changed. weights: name → the parameter's numbers, flat, sizes: d, m and the French vocabulary's.
 */
export function makeRecurrent(data, [tokenGraph, startGraph, stepGraph]) {
  const { parameters, source, target } = data;
  const [vocab, d] = parameters.E_target.shape;
  const r = parameters["decoder.W_0"].shape[0];
  const weights = unpacked(parameters, { d, y: d, C: r, s: r });
  const kernel = Uint8Array.from(atob(KERNEL), (letter) => letter.charCodeAt(0));
  const attentive = stepGraph.inputs.some(([name]) => name === "H");
  const m = parameters["decoder.score.W_q"]?.shape[1];
  const directions = ["forwards", "backwards"].filter((each) => `encoder.${each}.W_x` in weights);
  const width = r / directions.length;

  function plan(graph, sizes, scope) {
    const made = evaluator(graph, { b: 1, d, ...sizes }, { kernel });
    for (const [name] of graph.inputs) {
      const numbers = weights[scope + name] ?? weights[name];
      if (numbers) made.set(name, numbers);
    }
    return (inputs) => {
      for (const [name, numbers] of Object.entries(inputs)) made.set(name, numbers);
      made.run();
      return (name) => made.get(name).slice();
    };
  }
  const plans = new Map();
  function decoder(room) {
    const known = plans.get(room) ?? {
      start: plan(startGraph, { r, m, s: room }, "decoder."),
      step: plan(stepGraph, { r, m, vocab, s: room }, "decoder."),
    };
    plans.delete(room); // the latest goes to the end
    plans.set(room, known);
    if (plans.size > KEPT) plans.delete(plans.keys().next().value);
    return known;
  }
  let readers = null;

  const oneHot = (token, size) => {
    if (!(Number.isInteger(token) && token >= 0 && token < size))
      throw Error(`a token must be a whole number from 0 to ${size - 1}, got ${token}`);
    const row = new Float32Array(size);
    row[token] = 1;
    return row;
  };

  function encode(ids) {
    if (!ids.length) throw Error("a sentence must have one token or more, got none");
    readers ??= directions.map((each) =>
      plan(tokenGraph, { r: width, source_vocab: source.length }, `encoder.${each}.`),
    );
    const H = new Float32Array(ids.length * r);
    const C = new Float32Array(r);
    readers.forEach((read, k) => {
      let state = new Float32Array(width);
      for (let i = 0; i < ids.length; i++) {
        const j = k ? ids.length - 1 - i : i; // backwards from the last token
        state = read({ token: oneHot(ids[j], source.length), state })("state");
        H.set(state, j * r + k * width);
      }
      C.set(state, k * width);
    });
    return { H, C, length: ids.length };
  }

  function start({ H, C, length }) {
    if (!attentive) return { s: decoder(1).start({ C })("s"), C };
    const room = ROOM * Math.ceil(length / ROOM);
    const padded = new Float32Array(room * r);
    const mask = new Float32Array(room).fill(1, 0, length);
    padded.set(H);
    const got = decoder(room).start({ H: padded, C });
    return { s: got("s"), C, weights: new Float32Array(length), H: padded, keys: got("keys"), mask, room, length };
  }

  function step(token, state) {
    const { s, C, H, keys, mask, room, length } = state;
    const word = oneHot(token, vocab);
    const got = attentive
      ? decoder(room).step({ token: word, s, H, keys, mask })
      : decoder(1).step({ token: word, s, C });
    const seen = attentive
      ? { C: got("C"), weights: got("weights").slice(0, length), scores: got("scores").slice(0, length) }
      : {};
    return { logits: got("logits"), probabilities: got("probabilities"), state: { ...state, s: got("s"), ...seen } };
  }
  return { source, target, width: r, sizes: { d, m, vocab }, weights, attentive, encode, start, step };
}
