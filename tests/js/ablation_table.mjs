// The ablation table's computations for tests/widgets/test_ablation_table.py.
import { codecs } from "../../course_lib/widgets/ablation_table/index.js";
import * as rows from "../../course_lib/widgets/ablation_table/rows.js";
import { chance, COLUMNS, size } from "../../course_lib/widgets/ablation_table/table.js";
import { answers } from "./answers.mjs";

const { facts, MEASURES, scale, shown, signed, tally, ticks, told, VERDICTS, words } = rows;

await answers({
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
  constants: () => [Object.keys(MEASURES), ["all", ...Object.keys(VERDICTS)], ["printed", ...COLUMNS.map(([key]) => key)]],
});
