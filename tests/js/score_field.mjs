// The scores of one query over the plane, and the words, for tests/widgets/test_score_field.py.

import { readFileSync } from "node:fs";
import { KEYS, LINE, machine } from "../../course_lib/widgets/score_field/field.js";
import { words } from "../../course_lib/widgets/score_field/words.js";

const { graph, sets, states } = JSON.parse(readFileSync(0, "utf8"));
const run = machine(graph, sets);
const found = states.map((state) => ({ ...run(state) }));
process.stdout.write(
  JSON.stringify({ keys: KEYS, line: LINE, found, words: states.map((state, i) => words({ ...state, ...found[i] })) }),
);
