// The root of a widget: one element for all of them, so that keys and layout can be changed in one place.

import { h } from "../drawing/ui.js";

/** Makes the widget's group in `el`, emptied before: `name` is its class, `label` what a screen reader calls it. */
export function rootOf(el, name, label, more = {}) {
  const root = h("div", { class: `course-ui ${name}`, role: "group", "aria-label": label, ...more });
  el.replaceChildren(root);
  return root;
}
