// The pure parts of the widget on gradients, for tests/widgets/test_gradient_flow.py: reads {graphs, questions}.

import { rangeOf } from "../../course_lib/widgets/gradient_flow/chart.js";
import { acting } from "../../course_lib/widgets/gradient_flow/controls.js";
import { compute, kindOf, machine } from "../../course_lib/widgets/gradient_flow/flow.js";
import { orthogonal, spectralNorm } from "../../course_lib/widgets/gradient_flow/matrices.js";
import { words } from "../../course_lib/widgets/gradient_flow/words.js";
import { answers, asked } from "./answers.mjs";

const { graphs, questions } = asked();
const list = (logs) => logs && Array.from(logs, (x) => (Number.isFinite(x) ? x : String(x)));
const computed = (state) => compute(state, machine(graphs[kindOf(state)], state.r));

await answers(
  {
    flow(state) {
      const { norms, memory, parts, total, bound } = computed(state);
      return { norms: list(norms), memory: list(memory), parts: list(parts), total: list([total])[0], bound: list(bound) };
    },
    acting,
    spectralNorm,
    orthogonal,
    words: (state) => words({ ...state, ...computed(state) }),
    rangeOf: (values) => rangeOf(values.map(Number)),
  },
  questions,
);
