// The hypotheses of one step as a table: what goes on, what is finished, what was dropped, each with the sum of its log-probabilities
// and the score that orders finished ones. A row's button chooses the hypothesis.

import { h, number, setAttr, setText } from "../ui.js";

const MARKS = { open: "goes on", ended: "finished", out: "dropped", greedy: "greedy only" };

export function ranking({ choose }) {
  const caption = h("caption", {}), body = h("tbody", {});
  const heads = ["", "hypothesis", "log p", "length", "score"].map((text, i) => h("th", { scope: "col", class: i > 1 ? "dec-right" : "" }, text));
  const el = h("table", { class: "dec-ranking" }, caption, h("thead", {}, h("tr", {}, ...heads)), body);
  const lines = [];
  const line = (i) => {
    const button = h("button", { type: "button", onclick: () => choose(i) }), mark = h("td", { class: "dec-mark" });
    const numbers = Array.from({ length: 3 }, () => h("td", { class: "dec-right" })), tag = h("span", { class: "dec-tag" }, "greedy");
    button.addEventListener("keydown", (event) => {
      const to = i + ({ ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0);
      if (to === i || to < 0 || to >= body.children.length) return;
      event.preventDefault();
      lines[to].button.focus();
      choose(to);
    });
    return { el: h("tr", {}, mark, h("td", {}, button, tag), ...numbers), button, mark, numbers, tag };
  };
  /** rows: [{state, text, newest, logProb, length, score, greedy}]; chosen: the row's number, or -1. */
  function draw({ title, rows, chosen }) {
    setText(caption, title);
    while (lines.length < rows.length) lines.push(line(lines.length));
    if (body.children.length !== rows.length) body.replaceChildren(...lines.slice(0, rows.length).map((entry) => entry.el));
    rows.forEach((row, i) => {
      const entry = lines[i], key = `${row.text}|${row.newest}`;
      setAttr(entry.el, "class", `dec-${row.state}${i === chosen ? " dec-here" : ""}`);
      setText(entry.mark, MARKS[row.state]);
      if (entry.button.dataset.key !== key) {
        entry.button.dataset.key = key;
        entry.button.replaceChildren(row.text, row.newest && row.text ? " " : "", ...(row.newest ? [h("b", {}, row.newest)] : []));
      }
      setAttr(entry.button, "aria-pressed", i === chosen);
      entry.tag.hidden = !row.greedy;
      [number(row.logProb), String(row.length), number(row.score)].forEach((text, k) => setText(entry.numbers[k], text));
      setAttr(entry.el, "data-score", row.score.toFixed(4));
      setAttr(entry.el, "data-logprob", row.logProb.toFixed(4));
    });
  }
  return { el, draw };
}
