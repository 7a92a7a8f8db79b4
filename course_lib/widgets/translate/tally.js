// How many errors each model made at each setting of the dial, as far as the reader has turned it.

import { h, setAttr, setText } from "../drawing/ui.js";
import declared from "./settings.json" with { type: "json" };
import { NAMES } from "./words.js";

const MOST = declared.clauses.takes[1];

/** note(example, clauses, {name: errors}) keeps a result; draw({ example, clauses }) shows those of one sentence. */
export function tally() {
  const seen = new Map();
  const head = [];
  const cells = {};
  const row = (first, make) => h("tr", {}, first, ...Array.from({ length: MOST }, (_, i) => make(i + 1)));
  const top = row(h("th", { scope: "col" }, "clauses"), (n) => {
    const cell = h("th", { scope: "col" }, String(n));
    head.push(cell);
    return cell;
  });
  const rows = Object.keys(NAMES).map((name) => {
    cells[name] = [];
    return row(h("th", { scope: "row" }, `errors of ${NAMES[name]}`), () => {
      const cell = h("td", {});
      cells[name].push(cell);
      return cell;
    });
  });
  const caption = "Errors at each length that you have tried";
  const el = h(
    "table",
    { class: "tra-tally" },
    h("caption", {}, caption),
    h("thead", {}, top),
    h("tbody", {}, ...rows),
  );
  const key = (example, clauses) => `${example}|${clauses}`;
  function draw({ example, clauses }) {
    for (let n = 1; n <= MOST; n++) {
      const errors = seen.get(key(example, n));
      head[n - 1].classList.toggle("tra-here", n === clauses);
      for (const [name, list] of Object.entries(cells)) {
        setText(list[n - 1], errors ? String(errors[name]) : "–");
        setAttr(list[n - 1], "class", errors?.[name] ? "tra-wrong" : "");
      }
    }
  }
  return { el, note: (example, clauses, errors) => seen.set(key(example, clauses), errors), draw };
}
