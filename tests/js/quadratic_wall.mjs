// QuadraticWall's pure parts for tests/widgets/test_quadratic_wall.py: reads questions from standard input, one list of arguments each, and answers them.
import { readFileSync } from "node:fs";
import { CODECS, fitting, RANGES, WORDS } from "../../course_lib/widgets/quadratic_wall/address.js";
import { height, limits, marks, range } from "../../course_lib/widgets/quadratic_wall/chart.js";
import { STOPS } from "../../course_lib/widgets/quadratic_wall/controls.js";
import * as costs from "../../course_lib/widgets/quadratic_wall/costs.js";
import { product, session, SIZE } from "../../course_lib/widgets/quadratic_wall/measure.js";
import { KINDS, longest, stack, stride, weights } from "../../course_lib/widgets/quadratic_wall/stack.js";
import { bytes, figures, PAGE, REFERENCE, seconds, words } from "../../course_lib/widgets/quadratic_wall/words.js";

const answer = {
  cost: (name, ...sizes) => costs[name](...sizes),
  stack,
  weights,
  longest,
  stride,
  bytes,
  seconds,
  height,
  limits,
  range,
  marks,
  fitting,
  figures,
  words: (state, rate, measured) => words(state, figures(state, rate), measured),
  constants: () => ({
    FLOAT: costs.FLOAT,
    TRAINING: costs.TRAINING,
    P100: costs.P100,
    PAGE,
    REFERENCE,
    SIZE,
    RANGES,
    WORDS,
    KINDS: Object.keys(KINDS),
    STOPS,
  }),
  written: (name, value) => CODECS[name].write(value),
  linked: (name, text) => CODECS[name].read(text),
  product() {
    const made = product();
    made.run();
    return { A: Array.from(made.get("A")), C: Array.from(made.get("C")) };
  },
  /** A clock that counts `tick` milliseconds at every look; asked twice while it measures, it measures once. */
  measure: (tick) =>
    new Promise((done) => {
      let time = 0;
      let answers = 0;
      const receive = session(
        (message) => {
          answers++;
          setTimeout(() => done({ ...message, answers }), 30);
        },
        { now: () => (time += tick) },
      );
      receive({ type: "go", on: false });
      receive({ type: "measure" });
      receive({ type: "measure" });
    }),
};
const questions = JSON.parse(readFileSync(0, "utf8"));
const answers = [];
for (const [name, ...rest] of questions) answers.push((await answer[name](...rest)) ?? null);
process.stdout.write(JSON.stringify(answers));
