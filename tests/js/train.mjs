// Trains the exported models for tests/widgets/test_graphs_training.py. Reads {cases: [{graph, sizes, inputs, steps, rate, compiled, generate}]} from standard
// input; writes for each {forward: {name: numbers}, losses, parameters: {name: numbers}}.

import { readFileSync } from "node:fs";
import { trainer } from "../../course_lib/widgets/runtime/training.js";
import { KERNEL } from "../../course_lib/widgets/runtime/kernel.js";

const graphs = new URL("../../course_lib/widgets/graphs/", import.meta.url);
const stored = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, graphs)));
const kernel = Uint8Array.from(atob(KERNEL), (c) => c.charCodeAt(0));
const adam = stored("adam");

function answer({ graph, sizes, inputs, steps, rate, compiled, generate, learnPositions }) {
  const model = trainer(stored(graph), adam, sizes, { kernel: compiled ? kernel : undefined, generate, learnPositions });
  for (const [name, numbers] of Object.entries(inputs)) model.set(name, numbers);
  model.look();
  const names = ["logits", "weights.0", ...("2" === graph[6] ? ["weights.1"] : [])];
  const forward = Object.fromEntries(names.map((name) => [name, Array.from(model.get(name))]));
  const start = model.snapshot();
  const losses = Array.from({ length: steps }, () => model.step(rate));
  const parameters = Object.fromEntries(model.trained.map((name) => [name, Array.from(model.get(name))]));
  model.restore(start); // the way back: the first loss again, to the last bit
  return { forward, losses, parameters, again: model.step(rate) };
}

const { cases } = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(cases.map(answer)));
