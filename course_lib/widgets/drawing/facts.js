// A few numbers under their names, and what a picture's colours mean.

import { h, setText } from "./ui.js";

/** names: key → text. Gives {el, set(key, text), rows, names}: the rows may be hidden, the names changed. */
export function facts(texts) {
  const names = {};
  const values = {};
  const rows = {};
  for (const [key, text] of Object.entries(texts)) {
    names[key] = h("dt", {}, text);
    values[key] = h("dd");
    rows[key] = h("div", {}, names[key], values[key]);
  }
  const set = (key, text) => setText(values[key], text);
  return { el: h("dl", { class: "course-facts" }, ...Object.values(rows)), set, rows, names };
}

/** [class, text] of each sign; the class draws it. */
export const signs = (...each) =>
  h("p", { class: "course-signs" }, ...each.map(([name, text]) => h("span", { class: name }, text)));
