// The pure parts of the widget on gradients, for tests/widgets/test_gradient_flow.py: reads {graphs, questions} from standard input, a
// question is a name and its arguments, and answers them.

import { readFileSync } from "node:fs";
import { rangeOf } from "../../course_lib/widgets/gradient_flow/chart.js";
import { acting } from "../../course_lib/widgets/gradient_flow/controls.js";
import { compute, drawn, kindOf, machine } from "../../course_lib/widgets/gradient_flow/flow.js";
import { orthogonal, spectralNorm } from "../../course_lib/widgets/gradient_flow/matrices.js";
import { words } from "../../course_lib/widgets/gradient_flow/words.js";

const { graphs, questions } = JSON.parse(readFileSync(0, "utf8"));
const list = (logs) => logs && Array.from(logs, (x) => (Number.isFinite(x) ? x : String(x)));
const flow = (state) => {
  const { norms, memory, parts, total, bound } = compute(state, machine(graphs[kindOf(state)], state.r));
  return { norms: list(norms), memory: list(memory), parts: list(parts), total: list([total])[0], bound: list(bound) };
};
const answer = {
  flow,
  acting,
  spectralNorm,
  drawn: (state) => {
    const { W, v, reads } = drawn(state);
    return { W: [...W], v: [...v], reads: reads.map((row) => [...row]) };
  },
  orthogonal: (A, r) => [...orthogonal(A, r)],
  words: (state) => words({ ...state, ...compute(state, machine(graphs[kindOf(state)], state.r)) }),
  rangeOf: (values) => rangeOf(values.map(Number)),
};
process.stdout.write(JSON.stringify(questions.map(([name, ...rest]) => answer[name](...rest))));
