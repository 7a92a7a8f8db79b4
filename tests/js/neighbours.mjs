// The nearest words of a table and what is said of them, for tests/widgets/test_neighbours.py.

import { readFileSync } from "node:fs";
import { fault, found, opened } from "../../course_lib/widgets/neighbours/near.js";
import { told } from "../../course_lib/widgets/neighbours/words.js";

const { table, states, typed } = JSON.parse(readFileSync(0, "utf8"));
const open = opened(table);
const answers = states.map((state) => {
  const seen = found(open, state);
  return { ...seen, told: told(state, seen) };
});
process.stdout.write(JSON.stringify({ answers, faults: typed.map((text) => fault(open, text)) }));
