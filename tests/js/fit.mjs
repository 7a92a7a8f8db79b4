// The fit's run and words for tests/widgets/test_fit.py: see answers.mjs.

import { readFileSync } from "node:fs";
import { draw, GRID, makeRun } from "../../course_lib/widgets/fit/run.js";
import { lowest, sentence } from "../../course_lib/widgets/fit/words.js";
import { answers } from "./answers.mjs";

const stored = (name) => JSON.parse(readFileSync(new URL(`../../course_lib/widgets/graphs/${name}.json`, import.meta.url)));
const graphs = { fit: stored("fit"), adam: stored("adam") };

await answers({
  draw,
  grid: () => GRID,
  train(settings, tens) {
    const run = makeRun({ graphs, ...settings });
    for (let i = 0; i < tens; i++) run.advance();
    const { moments, losses, count } = run;
    return {
      start: moments[0].weights,
      end: moments.at(-1).weights,
      errors: moments.map(({ errors }) => errors),
      losses,
      count,
      outputs: run.outputs(tens),
    };
  },
  told: (state, errors) =>
    sentence(
      state,
      errors.map((each) => ({ errors: each })),
    ),
  lowest: (errors, kind, at) =>
    lowest(
      errors.map((each) => ({ errors: each })),
      kind,
      at,
    ),
});
