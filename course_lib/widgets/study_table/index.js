// StudyTable: rows.js decides what is shown; strip.js draws a row; shell/comparison.js is the widget round them.

import declared from "./settings.json" with { type: "json" };
import { FILTERS, below, fieldOf, shown, words } from "./rows.js";
import { axis, picture } from "./strip.js";
import { comparison } from "../shell/comparison.js";
import { codecsOf } from "../shell/settings.js";
import { h, number } from "../drawing/ui.js";

const COLUMNS = [
  // [sort key, heading, spoken heading, class]
  ["v", "v", "vocabulary v", ""],
  ["n", "n", "length n", ""],
  ["d", "d", "width d", ""],
  ["m", "m", "attention width m", ""],
  ["r", "r", "feed-forward width r", "sty-wide"],
  ["learnables", "learnables", "learnables", "sty-wide"],
  ["published", "R’s err", "published error, percentage points", ""],
  ["ours", "ours", "our median error, percentage points", "sty-wide"],
  ["place", "below", "our models below the published error", ""],
];
const PICTURES = 6; // the column of the pictures
const half = (count) => (Number.isInteger(count) ? String(count) : number(count, 1));

function of({ rows, readings }) {
  const values = (name) => [0, ...new Set(rows.map((row) => row[name]).sort((a, b) => a - b))];
  const most = Math.max(...rows.flatMap((row) => [row.published, ...Object.values(row.ours).flat()]));
  const columns = COLUMNS.map(([key, label, spoken, kind]) => ({ key, label, spoken, kind }));
  const pictures = h("span", { class: "course-hidden" }, "published error over our models, percentage points");
  columns.splice(PICTURES, 0, { label: pictures, kind: "sty-strips", more: [axis(most)] });
  const cell = (content, kind = "") => h("td", { class: kind }, content);
  const option = (takes) => ({ kind: "option", takes });

  function line(row, reading) {
    const ours = row.ours[reading];
    return h(
      "tr",
      {},
      ...["v", "n", "d", "m"].map((name) => cell(row[name])),
      cell(row.r, "sty-wide"),
      cell(row.learnables, "sty-wide"),
      cell(picture(row, reading, most), "sty-strips"),
      cell(number(row.published), "sty-main"),
      cell(number(fieldOf("ours", row, reading)), "sty-wide"),
      h("td", {}, half(below(ours, row.published)), h("span", { class: "sty-of" }, ` of ${ours.length}`)),
    );
  }
  return {
    codecs: codecsOf({
      ...declared,
      ...Object.fromEntries(FILTERS.map((name) => [name, { ...declared[name], ...option(values(name)) }])),
      reading: { ...declared.reading, ...option(readings.map(([key]) => key)) },
    }),
    filters: [
      ...FILTERS.map((name) => ({
        name,
        title: h("i", {}, name),
        legend: `Show ${name}`,
        options: values(name).map((x) => [x, x || "all"]),
      })),
      { name: "reading", title: "run", legend: "Updates in all", options: readings },
    ],
    key: [
      h("span", { class: "cmp-theirs" }, "◆ published"),
      h("span", {}, h("i", { class: "sty-key-dot" }), "our models"),
      h("span", {}, h("i", { class: "sty-key-band" }), "middle half, median"),
      h("span", {}, "err in percentage points, on a root scale"),
    ],
    table: { columns, label: "The configurations: scroll with the arrow keys", kind: "sty-table" },
    shown: (state) => shown(rows, state),
    words: (list, state) => words(rows, list, state),
    rows: (list, { reading }) => list.map((row) => line(row, reading)),
  };
}

export default comparison({
  names: Object.keys(declared),
  blob: "study",
  kind: "sty",
  label: "The published study and ours",
  of,
});
