// Runs page graphs for tests/library/test_graphs.py. Reads from standard input {graphs: {name: graph}, cases: [case…]}, where a case is
// {graph, sizes, inputs: {name: numbers}, outputs?, options?}; writes one {outputs: {name: numbers}} or {error} a case.
// Numbers that JSON lacks travel as the strings "NaN", "Infinity" and "-Infinity".

import { readFileSync } from "node:fs";
import { evaluator } from "../../course_lib/widgets/runtime/graph.js";
import { KERNEL } from "../../course_lib/widgets/runtime/kernel.js";

const { graphs, cases } = JSON.parse(readFileSync(0, "utf8"));
const kernel = Uint8Array.from(atob(KERNEL), (c) => c.charCodeAt(0));
const plain = (x) => (Number.isFinite(x) ? x : String(x));

function answer({ graph, sizes, inputs, options = {}, compiled, runs = 1 }) {
  const model = evaluator(graphs[graph], sizes, compiled ? { ...options, kernel } : options);
  for (const [name, numbers] of Object.entries(inputs)) model.set(name, numbers.map(Number));
  for (let i = 0; i < runs; i++) model.run();
  const names = options.outputs ?? graphs[graph].outputs.map(([name]) => name);
  return {
    outputs: Object.fromEntries(
      names.map((name) => [name, { shape: model.shape(name), numbers: Array.from(model.get(name), plain) }]),
    ),
  };
}

process.stdout.write(
  JSON.stringify(
    cases.map((test) => {
      try {
        return answer(test);
      } catch (problem) {
        return { error: problem.message };
      }
    }),
  ),
);
