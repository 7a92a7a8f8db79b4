// The root of a widget: one element for all of them, so that keys and layout can be changed in one place.

import { h, isDark } from "../drawing/ui.js";

const ours = ({ ctrlKey, metaKey, altKey }) => !ctrlKey && !metaKey && !altKey;

// Notebook 7 looks at a key before it reaches the widget (JupyterLab afterwards), and passes over elements marked so.
globalThis.addEventListener?.(
  "keydown",
  (event) => {
    if (event.target.closest?.("[data-course-theme]"))
      event.target.toggleAttribute("data-lm-suppress-shortcuts", ours(event));
  },
  true,
);

/**
 * Makes the widget's group in `el`, emptied before: `name` is its class, `label` what a screen reader calls it. It has
 * the theme's colours before anything is drawn. A key pressed in it is not the application's: in JupyterLab `x` would
 * cut its cell. With a modifier it is.
 */
export function rootOf(el, name, label, more = {}) {
  const keep = (event) => {
    if (ours(event)) event.stopPropagation();
  };
  const root = h("div", { class: `course-ui ${name}`, role: "group", "aria-label": label, onkeydown: keep, ...more });
  el.replaceChildren(root);
  root.dataset.courseTheme = isDark(root) ? "dark" : "light";
  return root;
}
