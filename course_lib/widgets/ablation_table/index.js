// AblationTable: rows.js decides what is shown; table.js writes the rows; shell/comparison.js is the widget round them.

import declared from "./settings.json" with { type: "json" };
import { MEASURES, shown, tally, VERDICTS, words } from "./rows.js";
import { table } from "./table.js";
import { comparison } from "../shell/comparison.js";
import { codecsOf } from "../shell/settings.js";
import { h, setAttr, setText } from "../drawing/ui.js";

export const groups = (rows) => ["all", ...new Set(rows.map((row) => row.group))];
export const codecs = (rows) => codecsOf({ ...declared, group: { ...declared.group, kind: "option", takes: groups(rows) } });

function of(study) {
  const unit = h("span");
  const { columns, lines } = table(study);
  const filter = (name, legend, options) => ({ name, title: name, legend, options });
  return {
    codecs: codecs(study.rows),
    filters: [
      filter(
        "measure",
        "Measure",
        Object.entries(MEASURES).map(([key, { name }]) => [key, name]),
      ),
      filter(
        "group",
        "Group of variants",
        groups(study.rows).map((name) => [name, name]),
      ),
      filter("verdict", "Verdict", [["all", "all"], ...Object.entries(VERDICTS)]),
    ],
    key: [
      h("span", { class: "cmp-theirs" }, "◆ published"),
      h("span", {}, h("i", { class: "abl-key-dot" }), "our seeds, mean"),
      h("span", {}, h("i", { class: "abl-key-base" }), "the base’s seeds"),
      unit,
    ],
    table: { columns, label: "The variants: scroll with the arrow keys", kind: "abl-table course-fades course-fades-end" },
    shown: (state) => shown(study, state),
    words: (list, state) => words(study, list, state),
    rows: lines,
    back(list, { measure }, element) {
      const change = measure === "ppl" ? "per cent" : "BLEU points";
      setText(unit, `change from the base, ${change}, on a root scale: directions compare, sizes do not`);
      setAttr(element, "aria-label", `Published and our ${MEASURES[measure].name}, variant by variant`);
      return { result: { variants: list.map(({ row }) => row.variant), ...tally(list) } };
    },
  };
}

const label = "The ablation study, published and ours";
export default comparison({ names: Object.keys(declared), blob: "ablation", kind: "abl", label, of });
