// The traced step of a PyTorch cell (course_lib/graphs/gradients.py: open_step) along the letters. The loop over time
// is here.

import { evaluator } from "../runtime/graph.js";

/** kind → the gates, by number as the parameters have them. */
export const GATES = { rnn: {}, gru: { reset: 0, update: 1 }, lstm: { input: 0, forget: 1, output: 3 } };
const CERTAIN = 30; // what a sigmoid is given for 0 and 1: in float32 it is these numbers

const logit = (p) => Math.max(-CERTAIN, Math.min(CERTAIN, Math.log(p) - Math.log(1 - p)));

/** The parameters with the reader's hand on them: W_s of the rnn, and gates that read nothing but a bias. */
function handled({ kind, task, weight, by_hand, ...state }, weights) {
  const set = structuredClone(weights[task][kind]);
  if (kind === "rnn") set.W_s = [[weight]];
  for (const [name, at] of by_hand ? Object.entries(GATES[kind]) : []) {
    for (const row of [...set.W_x, ...set.W_s]) row[at] = 0;
    set.b[at] = logit(state[name]);
  }
  return set;
}

/**
 * graphs: kind → graph; data: {letters, weights}. Gives run(state): for each letter the numbers by name, with `before`,
 * the state before.
 */
export function machine(graphs, { letters, weights }) {
  const plans = {};
  return function run(state) {
    const { kind, text } = state;
    plans[kind] ??= evaluator(graphs[kind], { b: 1, d: 2, r: 1 });
    const plan = plans[kind];
    const names = graphs[kind].outputs.map(([name]) => name);
    const carried = ["s", "c"].filter((name) => names.includes(name));
    for (const [name, numbers] of Object.entries(handled(state, weights)))
      plan.set(name, Float32Array.from(numbers.flat()));
    let before = Object.fromEntries(carried.map((name) => [name, 0]));
    return [...text].map((letter) => {
      plan.set("x", Float32Array.from(letters[letter]));
      for (const name of carried) plan.set(name, Float32Array.of(before[name]));
      plan.run();
      const step = { letter, before, ...Object.fromEntries(names.map((name) => [name, plan.get(name)[0]])) };
      before = Object.fromEntries(carried.map((name) => [name, step[name]]));
      return step;
    });
  };
}
