// The ablation table's computations for tests/widgets/test_ablation_table.py: reads questions from standard input, one list of arguments each, and answers them.
import { readFileSync } from "node:fs";
import { codecs, COLUMNS, SORTS } from "../../course_lib/widgets/ablation_table/address.js";
import {
  facts,
  MEASURES,
  scale,
  shown,
  signed,
  tally,
  ticks,
  told,
  VERDICTS,
  words,
} from "../../course_lib/widgets/ablation_table/rows.js";
import { chance, size } from "../../course_lib/widgets/ablation_table/table.js";

const answer = {
  look(study, state) {
    const list = shown(study, state);
    return { indices: list.map(({ row }) => study.rows.indexOf(row)), words: words(study, list, state), tally: tally(list) };
  },
  facts: (study, measure) => study.rows.map((row) => facts(row, study.base, measure)),
  told(study, i, measure) {
    return told(facts(study.rows[i], study.base, measure), facts(study.base, study.base, measure), measure);
  },
  scale(values) {
    const made = scale(values);
    return { ...made, at: values.map(made.at), zero: made.at(0), ticks: ticks(made) };
  },
  signed,
  size,
  chance,
  linked: (study, name, text) => codecs(study.rows)[name].read(text),
  constants: () => ({
    measures: Object.keys(MEASURES),
    verdicts: Object.keys(VERDICTS),
    sorts: SORTS,
    columns: COLUMNS.map(([key]) => key),
  }),
};
const questions = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(questions.map(([name, ...rest]) => answer[name](...rest) ?? null)));
