// The shipped models' runner for tests/widgets/test_inference_graphs.py. Reads {models: {name: {data, graph}}, cases: [{model, tokens, wanted,
// options}]} from standard input, writes one {results: {name: {shape, numbers}}} or {error} a case.

import { readFileSync } from "node:fs";
import { makeModel } from "../../course_lib/widgets/runtime/shipped.js";

const { models, cases } = JSON.parse(readFileSync(0, "utf8"));
const made = Object.fromEntries(Object.entries(models).map(([name, { data, graph }]) => [name, makeModel(data, graph)]));

process.stdout.write(
  JSON.stringify(
    cases.map(({ model, tokens, wanted, options }) => {
      try {
        const { run, results } = made[model];
        const answer = run(tokens, wanted ?? results, options);
        return {
          results: Object.fromEntries(
            Object.entries(answer).map(([name, { shape, numbers }]) => [name, { shape, numbers: Array.from(numbers) }]),
          ),
        };
      } catch (problem) {
        return { error: problem.message };
      }
    }),
  ),
);
