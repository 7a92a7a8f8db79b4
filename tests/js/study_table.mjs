// The study table's computations for tests/widgets/test_study_table.py: from standard input the rows and a list of settings.
import { readFileSync } from "node:fs";
import { across, below, fieldOf, quantile, shown, ticks, words } from "../../course_lib/widgets/study_table/rows.js";

const { rows, settings, most } = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(
  JSON.stringify({
    shown: settings.map((each) => {
      const list = shown(rows, each);
      return { indices: list.map((row) => rows.indexOf(row)), words: words(rows, list, each) };
    }),
    below: rows.map((row) =>
      Object.fromEntries(Object.entries(row.ours).map(([key, ours]) => [key, below(ours, row.published)])),
    ),
    medians: rows.map((row) => Object.fromEntries(Object.keys(row.ours).map((key) => [key, fieldOf("ours", row, key)]))),
    quartiles: rows.map((row) =>
      Object.fromEntries(Object.entries(row.ours).map(([key, ours]) => [key, [quantile(ours, 0.25), quantile(ours, 0.75)]])),
    ),
    ticks: most.map(ticks),
    across: most.map((top) => across(top / 4, top)),
  }),
);
