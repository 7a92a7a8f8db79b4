// One model: what it has said, which words of it are wrong, and the context vector it was told.

import { h, setAttr, setText } from "../drawing/ui.js";
import { strip } from "./strip.js";
import { NAMES } from "./words.js";

const TITLES = {
  rnnencdec: ["one vector for the whole sentence", "The context C:"],
  rnnsearch: ["looks back at every step", "The context at this step:"],
};
// Words as a reader writes them: no space behind an elision, none before a mark.
const apart = (before, word) => (before === undefined || before.endsWith("'") || /^[.,]$/.test(word) ? "" : " ");

export function panel(name) {
  const [what, title] = TITLES[name];
  const text = h("p", { class: "tra-text", lang: "fr" });
  const count = h("p", { class: "tra-count" });
  const context = strip(title);
  const el = h(
    "section",
    { class: "tra-panel", "aria-label": NAMES[name] },
    h("p", { class: "tra-title" }, h("b", {}, NAMES[name]), " ", h("span", { class: "course-soft" }, what)),
    text,
    count,
    context.el,
  );
  let spans = [];
  let drawn = null;

  const mark = (missing, after = "") =>
    missing
      ? h(
          "span",
          { class: "tra-gap", title: `${missing} missing` },
          "‸",
          h("span", { class: "course-hidden" }, ` (${missing} missing)${after}`),
        )
      : null;
  function begin(words, marks) {
    const parts = [];
    spans = words.map((word, i) => {
      const wrong = marks?.wrong[i];
      const gap = mark(marks?.missing[i], " ");
      const told = wrong ? [h("span", { class: "course-hidden" }, " (wrong)")] : [];
      const node = h("span", { class: wrong ? "tra-word tra-wrong" : "tra-word" }, word, ...told);
      parts.push(apart(words[i - 1], word), gap ?? "", node);
      return { node, gap };
    });
    const behind = mark(marks?.missing[words.length]);
    if (behind) spans.push({ node: behind, gap: null });
    text.replaceChildren(...parts, ...(behind ? [" ", behind] : []));
  }
  /**
   * words: all that the model will have said, without ⟨end⟩; marks: of compare.js, or null; at: so many are said; over:
   * all, and the end; counts: how many are wrong, in words; state: "good", "bad" or "unknown"; numbers: the context,
   * with its `label` and `note` in words.
   */
  function draw({ key, words, marks, at, over, counts, state, numbers, label, note }) {
    if (key !== drawn) {
      drawn = key;
      begin(words, marks);
    }
    spans.forEach(({ node, gap }, i) => {
      const said = i < words.length ? i < at : over;
      for (const each of [node, gap]) if (each) each.classList.toggle("tra-later", !said);
      node.classList.toggle("tra-now", said && i === at - 1 && !over);
    });
    setText(count, counts);
    setAttr(count, "class", `tra-count tra-${state}`);
    context.draw({ numbers, words: label, note });
  }
  return { el, draw };
}
