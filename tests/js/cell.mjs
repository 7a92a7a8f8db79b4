// The recurrent cell of the widget along some letters, and its words, for tests/widgets/test_cell.py.

import { readFileSync } from "node:fs";
import { readable } from "../../course_lib/widgets/cell/address.js";
import { machine } from "../../course_lib/widgets/cell/run.js";
import { words } from "../../course_lib/widgets/cell/words.js";

const { graphs, data, states, texts } = JSON.parse(readFileSync(0, "utf8"));
const run = machine(graphs, data);
process.stdout.write(
  JSON.stringify({
    steps: states.map(run),
    words: states.map((state) => {
      const steps = run(state);
      return words({ ...state, steps, at: steps.length, reads: 0 });
    }),
    texts: texts.map(readable),
  }),
);
