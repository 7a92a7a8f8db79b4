// The way through what is computed, as a slider over its places.

import { h, setAttr, setAttrs, setText } from "./ui.js";

/**
 * draw({at, last, shown, spoken, disabled}): the place, the last one, and its name beside the slider and for screen
 * readers.
 */
export function track(label, go) {
  const input = h("input", { type: "range", min: 0, max: 1, step: 1, oninput: () => go(Number(input.value)) });
  const output = h("output", { "aria-hidden": "true" });
  function draw({ at, last, shown, spoken, disabled }) {
    setAttr(input, "max", last);
    if (Number(input.value) !== at) input.value = at;
    input.disabled = disabled;
    setAttrs(input, { style: `--part: ${last ? at / last : 0}`, "aria-valuetext": spoken });
    setText(output, shown);
  }
  return {
    el: h("label", { class: "course-slider" }, h("span", { class: "course-label" }, label), output, input),
    draw,
  };
}
