// What the widget sees and says, for tests/widgets/test_residual_stream.py: reads {rows, cases: [settings with `row`]}. Each case is asked twice, of
// the stored provider and of one that gives its answers later and has nothing but the four questions and the facts of a provider.

import { readFileSync } from "node:fs";
import { cellOf, look } from "../../course_lib/widgets/residual_stream/looks.js";
import { stored } from "../../course_lib/widgets/residual_stream/provider.js";

const QUESTIONS = ["lens", "contributions", "erase", "patch"];

/** Answers by promises, each after a while of its own; counts what it is asked. */
function live(provider, asked) {
  const slow =
    (name) =>
    async (...given) => {
      asked[name] = (asked[name] ?? 0) + 1;
      await new Promise((done) => setTimeout(done, asked[name] % 3));
      return provider[name](...given);
    };
  return { ...provider, ...Object.fromEntries(QUESTIONS.map((name) => [name, slow(name)])) };
}

const { rows, cases } = JSON.parse(readFileSync(0, "utf8"));
const answers = [];
for (const state of cases) {
  const provider = stored(rows[state.row]);
  const asked = {};
  const [seen, later] = await Promise.all([look(provider, state), look(live(provider, asked), state)]);
  answers.push({
    ...seen,
    same: JSON.stringify(seen) === JSON.stringify(later),
    asked: Object.keys(asked),
    cell: cellOf(provider, state),
  });
}
process.stdout.write(JSON.stringify(answers));
