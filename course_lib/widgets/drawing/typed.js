// A field for a text that the reader types, and what is wrong with the text.

import { h, setAttr, setText } from "./ui.js";

/**
 * tag: `input` or `textarea`. Gives {field, problem, fault}: two elements, and a function that says what is wrong, ""
 * where nothing is.
 */
export function typed(tag, more = {}) {
  const field = h(tag, {
    class: "course-field",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    ...more,
  });
  const problem = h("p", { class: "course-problem", role: "status" });
  const fault = (words) => {
    setText(problem, words);
    setAttr(field, "aria-invalid", words !== "");
  };
  return { field, problem, fault };
}
