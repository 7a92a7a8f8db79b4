// Where RNNsearch looks: its alignment as far as it has come, and the cell that the reader looks at, in words.

import { h, setText } from "../drawing/ui.js";
import { UNKNOWN } from "../runtime/shipped.js";
import { matrix } from "./matrix.js";
import { cellWords, order } from "./words.js";

/** changed(): the reader has moved to another cell. */
export function looks({ changed }) {
  let moment = "";
  let cell = null; // chosen by the reader, at this moment of this sentence
  const alignment = matrix({
    label: "Alignment: where RNNsearch looks. Arrow keys move from cell to cell",
    look: (where) => {
      cell = where;
      changed();
    },
  });
  const told = h("p", { class: "tra-told" });
  const caption =
    "The alignment of RNNsearch, in hundredths: each row is one step and sums to 1. RNNencdec has none, it " +
    "cannot look.";

  /** Gives {row, column} and, where the reader has chosen them, `words`. */
  function draw({ text, names, ids, found, marks }, at, target, theme) {
    const rows = found.steps.rnnsearch.slice(0, at);
    const wordOf = ({ token }) => target[token];
    if (moment !== `${at}|${text}`) cell = null;
    moment = `${at}|${text}`;
    const row = Math.max(0, cell?.row ?? rows.length - 1);
    const column = cell?.column ?? (rows.length ? order(rows[row].weights)[0] : 0);
    alignment.draw({
      key: text,
      words: names.map((name, i) => ({ text: name, unknown: ids[i] === UNKNOWN })),
      row,
      column,
      theme,
      rows: rows.map((step, i) => ({ text: wordOf(step), wrong: marks?.rnnsearch.wrong[i] })),
      weights: rows.map(({ weights }) => weights),
    });
    setText(
      told,
      rows.length
        ? cellWords({ at: row + 1, word: wordOf(rows[row]), weights: rows[row].weights, names, column })
        : "No row yet: RNNsearch looks when it says its first word.",
    );
    return { row, column, words: cell && told.textContent };
  }
  return { parts: [h("p", { class: "course-soft" }, caption), alignment.el, told], draw };
}
