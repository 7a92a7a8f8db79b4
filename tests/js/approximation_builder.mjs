// ApproximationBuilder's pure parts for tests/widgets/test_approximation_builder.py.

import { apart, begin, correct, evaluate, MOST, RULES } from "../../course_lib/widgets/approximation_builder/build.js";
import { SQUASHES } from "../../course_lib/widgets/approximation_builder/squash.js";
import { PLACES, targetOf, TARGETS } from "../../course_lib/widgets/approximation_builder/targets.js";
import { ended, told } from "../../course_lib/widgets/approximation_builder/words.js";
import { answers, finish } from "./answers.mjs";

const list = (marks) => Array.from(marks, (mark, i) => (mark ? i : -1)).filter((i) => i >= 0);
function run(settings, most) {
  const state = begin(targetOf(settings), settings.sigma, settings.rule);
  let why = null;
  while (why === null && state.done.length < most) why = finish(correct(state));
  return { state, why };
}

await answers({
  apart: (size, d, a, b) => apart({ size, d }, Uint8Array.from(a), Uint8Array.from(b)),
  build(settings, most) {
    const { state, why } = run(settings, most);
    return {
      why,
      start: state.start,
      errors: state.errors,
      corrections: state.done.map((each) => ({
        size: each.grid.size,
        before: each.before,
        after: each.after,
        factor: each.factor,
        gain: each.gain,
        sizes: each.sizes,
        positive: list(each.positive),
        negative: list(each.negative),
        H: [...each.H].slice(0, 50),
        guards: each.separator.guards.map(({ around, chosen, near, far }) => ({
          around,
          at: chosen.map((b) => [...each.grid.points.slice(b * each.grid.d, (b + 1) * each.grid.d)]),
          near,
          far,
        })),
      })),
    };
  },
  network: (settings, most, points) => {
    const { state } = run(settings, most);
    return [...finish(evaluate(state, Float64Array.from(points), state.grid.d))];
  },
  words: (settings, most, shown) => {
    const { state, why } = run(settings, most);
    return { told: told(state, shown, settings), ended: ended(why, state) };
  },
  constants: () => ({
    rules: RULES,
    most: MOST,
    places: PLACES,
    targets: Object.keys(TARGETS),
    sigmas: Object.keys(SQUASHES),
  }),
});
