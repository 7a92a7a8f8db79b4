// Recorded distributions at a temperature, for tests/widgets/test_sampling_bars.py: reads {rows, cases: [{text, temperature, seed}]}.

import { readFileSync } from "node:fs";
import { draws, tempered, told } from "../../course_lib/widgets/sampling_bars/tempered.js";

const { rows, cases } = JSON.parse(readFileSync(0, "utf8"));
const answers = cases.map(({ text, temperature, seed }) => {
  const found = tempered(rows[text], temperature);
  const drawn = draws(found.shares, seed);
  return { ...found, drawn, told: told({ temperature, row: rows[text] }, found, drawn) };
});
process.stdout.write(JSON.stringify(answers));
