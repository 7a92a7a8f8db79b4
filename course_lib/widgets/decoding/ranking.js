// The hypotheses of one step as a list: what goes on, what has ended, what was dropped, each with the score that orders
// them and how it comes about. A row's button chooses the hypothesis.

import { h, number, setAttr, setAttrs, setText } from "../drawing/ui.js";
import { rowButton } from "../drawing/rows.js";

const MARKS = { open: "goes on", ended: "finished", out: "dropped", greedy: "not in the beam" };

export function ranking({ choose }) {
  const title = h("p", { class: "course-soft", "aria-hidden": "true" });
  const list = h("ol", { class: "dec-ranking" });
  const el = h("div", { class: "dec-ranked" }, title, list);
  const lines = [];
  const line = (i) => {
    const button = rowButton(list, i, choose);
    const mark = h("span", { class: "dec-mark" });
    const tag = h("span", { class: "dec-tag" }, "greedy");
    const score = h("b", {});
    const power = h("sup", {});
    const sum = h("span", {});
    return {
      el: h(
        "li",
        {},
        button,
        h("span", { class: "dec-how" }, mark, h("span", {}, "score ", score, " = ", sum, power), tag),
      ),
      button,
      mark,
      tag,
      score,
      sum,
      power,
    };
  };
  /**
   * rows: [{state, text, newest, logProb, length, score, greedy}]; chosen: the row's number, or -1; power: of the
   * length in the score.
   */
  function draw({ words, rows, chosen, power, lanes }) {
    setText(title, words);
    setAttr(list, "aria-label", words);
    setAttr(el, "style", `--rows:${lanes}`);
    while (lines.length < rows.length) lines.push(line(lines.length));
    if (list.children.length !== rows.length)
      list.replaceChildren(...lines.slice(0, rows.length).map((entry) => entry.el));
    rows.forEach((row, i) => {
      const entry = lines[i];
      const key = `${row.text}|${row.newest}`;
      setText(entry.mark, MARKS[row.state]);
      if (entry.button.dataset.key !== key) {
        entry.button.dataset.key = key;
        entry.button.replaceChildren(
          row.text,
          row.newest && row.text ? " " : "",
          ...(row.newest ? [h("b", {}, row.newest)] : []),
        );
      }
      setAttr(entry.button, "aria-pressed", i === chosen);
      entry.tag.hidden = !row.greedy;
      setText(entry.score, number(row.score));
      setText(entry.sum, `${number(row.logProb)} / ${row.length}`);
      setText(entry.power, number(power, 1));
      const data = { "data-score": row.score.toFixed(4), "data-logprob": row.logProb.toFixed(4) };
      setAttrs(entry.el, { class: `dec-${row.state}`, ...data });
    });
  }
  return { el, draw };
}
