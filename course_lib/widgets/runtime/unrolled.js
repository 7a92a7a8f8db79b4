// A recurrent translator in training as one graph: copies of its steps (course_lib/graphs/translators.py), joined
// forwards over time and back.
//
// A step's graph goes forwards, and back, from after.<output> to gradient.<input>. A copy of it makes a node when a
// result that needs it is asked for: what goes forwards while it is built forwards, the rest on the way back, from the
// numbers that are there. Nothing is computed twice.

import { isReference } from "./planner.js";

/** The graph under construction: a value is an input ("$2") or a node ({at}). */
function composition() {
  const inputs = [];
  const nodes = [];
  const node = (...parts) => ({ at: nodes.push(parts) - 1 });
  function input(name, shape) {
    const known = inputs.findIndex(([each]) => each === name);
    return `$${known < 0 ? inputs.push([name, shape]) - 1 : known}`;
  }
  const sum = (values) => values.reduce((all, value) => node("add", all, value));
  /** A copy of a step. bind({input: value}); get(output) makes what it needs. */
  function copy(step) {
    const bound = {};
    const made = new Map();
    function value(arg, at) {
      if (Array.isArray(arg)) return arg.map((each) => value(each, at));
      if (!isReference(arg)) return arg;
      const number = Number(arg.slice(1));
      if (arg[0] === "^") return result(at - number);
      return bound[step.inputs[number][0]] ?? fail(`a step of '${step.name}' needs '${step.inputs[number][0]}'`);
    }
    function result(at) {
      if (!made.has(at)) {
        const [operator, ...args] = step.nodes[at];
        made.set(at, node(operator, ...args.map((arg) => value(arg, at))));
      }
      return made.get(at);
    }
    return {
      bind: (more) => Object.assign(bound, more),
      get: (name) => value(step.outputs.find(([each]) => each === name)[1], step.nodes.length),
    };
  }
  function finish(name, results) {
    const written = (value, at) => {
      if (Array.isArray(value)) return value.map((each) => written(each, at));
      return value !== null && typeof value === "object" ? `^${at - value.at}` : value;
    };
    return {
      format: 1,
      name,
      sizes: [...new Set(inputs.flatMap(([, shape]) => shape).filter((size) => typeof size === "string"))],
      inputs,
      nodes: nodes.map((parts, at) => written(parts, at)),
      outputs: Object.entries(results).map(([output, value]) => [output, written(value, nodes.length)]),
    };
  }
  return { input, node, sum, copy, finish };
}

/**
 * steps: {encode, begin, decode}, the graphs; n: letters. The graph's inputs: source [s, b, source_vocab], read and
 * target [n, b, vocab], one-hot, and the model's parameters; s = n. Its outputs: loss, the mean over the letters;
 * logits [n, b, vocab]; with attention weights.0
 * [n, b, s]; gradient.<parameter>.
 */
export function unrolled({ encode, begin, decode }, n) {
  const { input, node, sum, copy, finish } = composition();
  const inputsOf = (step) => step.inputs.map(([name]) => name);
  const attentive = inputsOf(decode).includes("H");
  const parts = inputsOf(encode).includes("c") ? ["s", "c"] : ["s"];
  const zeros = node("full", ["b", "r"], 0);
  const source = input("source", ["s", "b", "source_vocab"]);
  const read = input("read", ["n", "b", "vocab"]);
  const target = input("target", ["n", "b", "vocab"]);
  const times = Array.from({ length: n }, (_, t) => t);
  const backwards = times.toReversed();
  const stacked = (values, axis) =>
    node("cat", values.map((value) => node("unsqueeze", value, axis)), axis); // biome-ignore format: one idea

  // The parameters, by the model's names, and the gradients that each is given.
  const learned = {};
  const given = ["token", "target", "s", "c", "C", "H", "keys"];
  const owned = (step, scope) =>
    inputsOf(step)
      .filter((name) => !given.includes(name) && !name.startsWith("after."))
      .map((name) => [name, name.startsWith("E_") ? name : scope + name]);
  function weights(step, scope) {
    const shape = (name) => step.inputs.find(([each]) => each === name)[1];
    return Object.fromEntries(owned(step, scope).map(([name, whole]) => [name, input(whole, shape(name))]));
  }
  function learn(made, step, scope) {
    for (const [name, whole] of owned(step, scope)) {
      learned[whole] ??= [];
      learned[whole].push(made.get(`gradient.${name}`));
    }
  }
  const [inEncoder, inDecoder] = ["encoder.forwards.", "decoder."];

  // Forwards.
  const own = {
    encode: weights(encode, inEncoder),
    begin: weights(begin, inDecoder),
    decode: weights(decode, inDecoder),
  };
  const stateOf = (made) => Object.fromEntries(parts.map((part) => [part, made.get(part)]));
  let state = { s: zeros, c: zeros };
  const reading = times.map((t) => {
    const made = copy(encode);
    made.bind({ ...own.encode, ...state, token: node("select", source, 0, t) });
    state = stateOf(made);
    return made;
  });
  const H = attentive ? stacked(reading.map((made) => made.get("s")), 1) : null; // biome-ignore format: one idea
  const C = state.s;
  const first = copy(begin);
  first.bind({ ...own.begin, C, H });
  state = { s: first.get("s"), c: zeros };
  const context = attentive ? { H, keys: first.get("keys") } : { C };
  const writing = times.map((t) => {
    const made = copy(decode);
    const letters = { token: node("select", read, 0, t), target: node("select", target, 0, t) };
    made.bind({ ...own.decode, ...state, ...context, ...letters });
    state = stateOf(made);
    return made;
  });
  const all = (name) => writing.map((made) => made.get(name));
  const results = { loss: node("div", sum(all("loss")), n), logits: stacked(all("logits"), 0) };
  if (attentive) results["weights.0"] = stacked(all("weights"), 0);

  // Back.
  const share = node("full", [], 1 / n); // of a letter's loss in the whole
  let after = { "after.s": zeros, "after.c": zeros };
  const before = (made) => Object.fromEntries(parts.map((part) => [`after.${part}`, made.get(`gradient.${part}`)]));
  for (const t of backwards) {
    writing[t].bind({ ...after, "after.loss": share });
    after = before(writing[t]);
    learn(writing[t], decode, inDecoder);
  }
  const total = (name) => sum(writing.map((made) => made.get(`gradient.${name}`)));
  first.bind({ "after.s": after["after.s"], ...(attentive ? { "after.keys": total("keys") } : {}) });
  learn(first, begin, inDecoder);
  const byC = sum([first.get("gradient.C"), ...(attentive ? [] : [total("C")])]);
  const byH = attentive ? sum([total("H"), first.get("gradient.H")]) : null;
  after = { "after.s": byC, "after.c": zeros };
  for (const t of backwards) {
    if (attentive) after["after.s"] = sum([after["after.s"], node("select", byH, 1, t)]);
    reading[t].bind(after);
    learn(reading[t], encode, inEncoder);
    if (t > 0) after = before(reading[t]);
  }
  for (const [name, gradients] of Object.entries(learned)) results[`gradient.${name}`] = sum(gradients);
  return finish(`translator of ${n} letters`, results);
}

function fail(words) {
  throw Error(words);
}
