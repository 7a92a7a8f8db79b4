// The hypotheses of one step as a list: what goes on, what has ended, what was dropped, each with the score that orders them and how
// it comes about. A row's button chooses the hypothesis.

import { h, number, setAttr, setText } from "../drawing/ui.js";

const MARKS = { open: "goes on", ended: "finished", out: "dropped", greedy: "not in the beam" };

export function ranking({ choose }) {
  const title = h("p", { class: "dec-soft", "aria-hidden": "true" });
  const list = h("ol", { class: "dec-ranking" });
  const el = h("div", { class: "dec-ranked" }, title, list);
  const lines = [];
  const line = (i) => {
    const button = h("button", { type: "button", onclick: () => choose(i) });
    const mark = h("span", { class: "dec-mark" });
    const tag = h("span", { class: "dec-tag" }, "greedy");
    const score = h("b", {});
    const power = h("sup", {});
    const sum = h("span", {});
    button.addEventListener("keydown", (event) => {
      const to = i + ({ ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0);
      if (to === i || to < 0 || to >= list.children.length) return;
      event.preventDefault();
      lines[to].button.focus();
      choose(to);
    });
    return {
      el: h("li", {}, button, h("span", { class: "dec-how" }, mark, h("span", {}, "score ", score, " = ", sum, power), tag)),
      button,
      mark,
      tag,
      score,
      sum,
      power,
    };
  };
  /** rows: [{state, text, newest, logProb, length, score, greedy}]; chosen: the row's number, or -1; power: of the length in the score. */
  function draw({ words, rows, chosen, power, lanes }) {
    setText(title, words);
    setAttr(list, "aria-label", words);
    setAttr(el, "style", `--rows:${lanes}`);
    while (lines.length < rows.length) lines.push(line(lines.length));
    if (list.children.length !== rows.length) list.replaceChildren(...lines.slice(0, rows.length).map((entry) => entry.el));
    rows.forEach((row, i) => {
      const entry = lines[i];
      const key = `${row.text}|${row.newest}`;
      setAttr(entry.el, "class", `dec-${row.state}`);
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
      setAttr(entry.el, "data-score", row.score.toFixed(4));
      setAttr(entry.el, "data-logprob", row.logProb.toFixed(4));
    });
  }
  return { el, draw };
}
