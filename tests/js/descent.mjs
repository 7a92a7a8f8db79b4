// Descent's pure parts for tests/library/test_descent.py: reads questions from standard input, one list of arguments each, and answers them.

import { readFileSync } from "node:fs";
import { CODECS } from "../../course_lib/widgets/descent/address.js";
import { OPTIMISERS } from "../../course_lib/widgets/descent/optimisers.js";
import { run, SAMPLES, STEPS } from "../../course_lib/widgets/descent/run.js";
import { grid, REACH, SURFACES } from "../../course_lib/widgets/descent/surfaces.js";
import { NAMES, told } from "../../course_lib/widgets/descent/words.js";

const answer = {
  run,
  grid,
  told: (state) => told(state, run(state)),
  constants: () => ({
    SAMPLES,
    STEPS,
    REACH,
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
  linked: (name, text) => CODECS[name].read(text),
  written: (name, value) => CODECS[name].write(value),
};
const questions = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(questions.map(([name, ...rest]) => answer[name](...rest))));
