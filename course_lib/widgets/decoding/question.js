// Which sentence is translated: one that the reader types, or one of the examples.

import { typed } from "../drawing/typed.js";
import { h } from "../drawing/ui.js";

/** wordsOf(text) → tokens; ask(text): the reader wants this sentence. */
export function question({ examples, wordsOf, ask }) {
  const { field, problem, fault } = typed("input", { type: "text", maxlength: 200 });
  const choose = () => {
    if (menu.value) ask(menu.value);
  };
  const menu = h(
    "select",
    { class: "course-field", onchange: choose },
    h("option", { value: "" }, "choose …"),
    ...examples.map((text) => h("option", {}, text)),
  );
  const submit = (event) => {
    event.preventDefault();
    const text = field.value.trim();
    const { length } = wordsOf(text);
    if (length) ask(text);
    fault(length ? "" : "Type a sentence first.");
  };
  const el = h(
    "form",
    { class: "dec-ask", onsubmit: submit },
    h("label", {}, h("span", {}, "English sentence"), field),
    h("button", { class: "course-button" }, "Translate"),
    h("label", {}, h("span", {}, "or one of these"), menu),
    problem,
  );
  let shown = null;
  /** source: {text, unknown: its words that the model has never seen}. */
  function draw({ text, unknown }) {
    if (text === shown) return;
    shown = text;
    field.value = text;
    menu.value = examples.includes(text) ? text : "";
    fault("");
    if (!unknown.length) return;
    const list = [...new Set(unknown)].map((word) => `“${word}”`).join(", ");
    problem.textContent =
      `The model has never seen ${list}: it reads ⟨unk⟩ in ` +
      `${unknown.length === 1 ? "its place" : "their places"}.`;
  }
  return { el, draw };
}
