// The page's counts for tests/widgets/test_model_sizes.py: from standard input the published rows and a list of sizes.
import { readFileSync } from "node:fs";
import { unit } from "../../course_lib/widgets/model_sizes/block.js";
import { nearest, stops } from "../../course_lib/widgets/model_sizes/controls.js";
import { agreeing, count, learnables, rowOf, shares, untrained } from "../../course_lib/widgets/model_sizes/count.js";
import { place, verdict, words } from "../../course_lib/widgets/model_sizes/words.js";

const { rows, cases, room } = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(
  JSON.stringify({
    agreeing: agreeing(rows),
    places: rows.map((_, i) => place(i)),
    stops: Object.fromEntries(["v", "n", "d", "m", "r"].map((name) => [name, stops(name)])),
    nearest: [
      [1, 0],
      [9, 8],
      [10, 8],
      [600, 31],
      [10000, 31],
    ].map(([x]) => stops("n")[nearest(stops("n"), x)]),
    cases: cases.map((sizes) => {
      const list = learnables(sizes);
      return {
        shapes: Object.fromEntries(
          list.map(({ key, rows: down, columns, vector }) => [key, vector ? [columns] : [down, columns]]),
        ),
        count: count(sizes),
        row: rowOf(sizes, rows),
        words: words(sizes),
        verdict: verdict(sizes, rows),
        shares: shares(sizes).map(({ key, count: mine, share }) => [key, mine, share]),
        untrained: Object.fromEntries(list.map((each) => [each.key, untrained(each)])),
        unit: unit(list, room),
        widest: Math.max(...list.map((each) => each.columns)),
        tallest: Math.max(...list.map((each) => each.rows)),
      };
    }),
  }),
);
