// Descent's pure parts for tests/library/test_descent.py.

import { OPTIMISERS } from "../../course_lib/widgets/descent/optimisers.js";
import { run, SAMPLES } from "../../course_lib/widgets/descent/run.js";
import { grid, SURFACES } from "../../course_lib/widgets/descent/surfaces.js";
import { NAMES, told } from "../../course_lib/widgets/descent/words.js";
import { answers } from "./answers.mjs";

await answers({
  run,
  grid,
  told: (state) => told(state, run(state)),
  constants: () => ({
    SAMPLES,
    names: Object.keys(NAMES),
    surfaces: Object.keys(SURFACES),
    starts: Object.values(SURFACES).map(({ start }) => start),
  }),
  steps(name, theta, gradients, rate) {
    // the rule on given gradients
    const rule = OPTIMISERS[name];
    const path = [];
    let state = rule.start(theta);
    for (const gradient of gradients) {
      [theta, state] = rule.step(theta, gradient, state, rate);
      path.push(theta);
    }
    return path;
  },
});
