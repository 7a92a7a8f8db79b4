// Names that the model has said, each with what it is: a town that exists, one that does not, or no name at all.

import { h, setAttr, setText } from "../drawing/ui.js";

/** The list of real names, front coded: before each rest, the number of letters that it shares with the name before. */
export function unfold(text) {
  const names = new Set();
  let before = "";
  for (const [, shared, rest] of text.matchAll(/(\d+)(\D*)/g)) {
    before = before.slice(0, Number(shared)) + rest;
    names.add(before);
  }
  return names;
}

export const KINDS = { invented: "invented", real: "exists", cut: "not finished", unchecked: "…" };

export function nameList() {
  const list = h("ol", { class: "dec-names" });
  const note = h("p", { class: "course-soft" });
  const el = h("div", { hidden: true }, list, note);
  /** names: [{name, kind}]; note: how they were drawn. */
  function draw({ names, words }) {
    el.hidden = !names.length;
    const key = JSON.stringify(names);
    if (list.dataset.key !== key) {
      list.dataset.key = key;
      list.replaceChildren(
        ...names.map(({ name, kind }) =>
          h("li", { class: `dec-${kind}` }, h("span", {}, name), h("span", { class: "dec-kind" }, KINDS[kind])),
        ),
      );
    }
    setText(note, words);
    setAttr(el, "data-count", names.length);
  }
  return { el, draw };
}
