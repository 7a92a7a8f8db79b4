// What the study table shows, for tests/widgets/test_study_table.py.
import { codecs, shown, words } from "../../course_lib/widgets/study_table/rows.js";
import { answers } from "./answers.mjs";

await answers({
  look(study, state) {
    const found = shown(study, state);
    return { first: found.first?.cells[0] ?? null, lines: found.lines.map(({ cells }) => cells[0]), words: words(study, found) };
  },
  linked(study, name, text) {
    const codec = codecs(study)[name];
    const value = codec.read(text);
    return value && [value, codec.write(value)];
  },
});
