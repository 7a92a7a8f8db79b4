// Tokens in depth's pure parts for tests/widgets/test_tokens_in_depth.py.

import { later, run, sizes, speed } from "../../course_lib/widgets/tokens_in_depth/flow.js";
import { told } from "../../course_lib/widgets/tokens_in_depth/words.js";
import { answers, finish, pieces } from "./answers.mjs";

await answers({
  /** The last layer of a run, in two parts where `first` says how far the first one goes. */
  run(state, first = null) {
    const known = first === null ? null : finish(run({ ...state, layers: first }));
    const { layers } = finish(run(state, known));
    const last = layers[state.layers];
    return { ...last, sizes: sizes(last.group), told: told(state, last), counts: layers.map(({ count }) => count) };
  },
  pieces: (state) => pieces(run(state)),
  later,
  speed,
});
