// QuadraticWall's pure parts for tests/widgets/test_quadratic_wall.py.

import { fitting } from "../../course_lib/widgets/quadratic_wall/address.js";
import { height, limits, marks, range } from "../../course_lib/widgets/quadratic_wall/chart.js";
import { STOPS } from "../../course_lib/widgets/quadratic_wall/controls.js";
import * as costs from "../../course_lib/widgets/quadratic_wall/costs.js";
import { product, session } from "../../course_lib/widgets/quadratic_wall/measure.js";
import { stack } from "../../course_lib/widgets/quadratic_wall/stack.js";
import { bytes, figures, seconds, words } from "../../course_lib/widgets/quadratic_wall/words.js";
import { answers } from "./answers.mjs";

await answers({
  cost: (name, ...sizes) => costs[name](...sizes),
  stack,
  bytes,
  seconds,
  height,
  limits,
  range,
  marks,
  fitting,
  figures,
  words: (state, rate) => words(state, figures(state, rate)),
  constants: () => ({ FLOAT: costs.FLOAT, TRAINING: costs.TRAINING, P100: costs.P100, STOPS }),
  product() {
    const made = product();
    made.run();
    return { A: made.get("A"), C: made.get("C") };
  },
  /** A clock that counts `tick` milliseconds at every look; asked twice while it measures, it measures once. */
  measure: (tick) =>
    new Promise((done) => {
      let time = 0;
      let told = 0;
      const receive = session(
        (message) => {
          told++;
          setTimeout(() => done({ ...message, answers: told }), 30);
        },
        { now: () => (time += tick) },
      );
      receive({ type: "go", on: false });
      receive({ type: "measure" });
      receive({ type: "measure" });
    }),
});
