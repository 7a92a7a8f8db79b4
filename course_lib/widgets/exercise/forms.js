// The fields into which an answer goes, one form a kind of exercise. A formula's is in formula_field.js.

import { chosen, indices, LETTERS, marks, shown } from "./check.js";
import { h } from "../drawing/ui.js";

const indexed = (text) => indices(text).map(([kind, part]) => (kind === "sub" ? h("sub", {}, part) : part));

/** A text with marks as nodes. Nothing typed or stored is ever parsed as HTML. */
export const rich = (text) =>
  marks(text).flatMap(([kind, part]) =>
    kind === "text"
      ? indexed(part)
      : kind === "code"
        ? [h("code", { class: "course-code" }, part)]
        : [h(kind, {}, ...indexed(part))],
  );

/** One of `options`, each behind its letter or number. */
export function listed(spec, options, marked) {
  const name = `course-${Math.random().toString(36).slice(2)}`; // radio groups are joined by name over the whole page
  const inputs = options.map(({ text }) => h("input", { type: "radio", name, value: text }));
  const label = (option, i) =>
    h(
      "label",
      { class: "course-option" },
      inputs[i],
      h("span", { class: "course-letter" }, marked[i]),
      h("span", {}, ...rich(option.text)),
    );
  const el = h("fieldset", {}, h("legend", { class: "course-hidden" }, "Choose one"), ...options.map(label));
  return {
    el,
    inputs,
    get: () => inputs.find((input) => input.checked)?.value ?? "",
    set: (given) => {
      const option = chosen(spec, given);
      inputs.forEach((input, i) => {
        input.checked = options[i] === option;
      });
    },
  };
}

/**
 * Each answer form is {el, inputs, get, set}; `set` ignores what does not fit, for an exercise may have changed since.
 */
export const forms = {
  choice: (spec) => listed(spec, shown(spec), LETTERS),
  value(spec) {
    const input = field();
    const unit = spec.unit ? [h("span", { class: "course-unit" }, spec.unit)] : [];
    const el = h("label", { class: "course-number" }, h("span", {}, "Your answer"), input, ...unit);
    return {
      el,
      inputs: [input],
      get: () => input.value,
      set: (given) => put(input, given),
    };
  },
  function(spec) {
    const cases = spec.cases.map(({ call, shape, expected }) => {
      const place = (k) =>
        shape.length === 2 ? `row ${Math.floor(k / shape[1]) + 1}, column ${(k % shape[1]) + 1}` : `number ${k + 1}`;
      const fields = expected.map((_, k) =>
        field({ "aria-label": expected.length > 1 ? `${call}, ${place(k)}` : `${call} =` }),
      );
      const columns = Math.min(shape.at(-1) ?? 1, 6);
      const grid = h("span", { class: "course-grid", style: `--columns: ${columns}` }, ...fields);
      // on a narrow screen both go to the next line
      const given = h("span", { class: "course-given" }, h("span", { "aria-hidden": "true" }, "="), grid);
      return { fields, el: h("div", { class: "course-case" }, h("code", { class: "course-code" }, call), given) };
    });
    return {
      el: h("div", { class: "course-cases" }, ...cases.map((one) => one.el)),
      inputs: cases.flatMap((one) => one.fields),
      get: () => cases.map((one) => one.fields.map((input) => input.value)),
      set: (given) =>
        cases.forEach((one, i) =>
          one.fields.forEach((input, k) => {
            put(input, Array.isArray(given?.[i]) ? given[i][k] : "");
          }),
        ),
    };
  },
};
/** Shows what was given, as far as it is a text. */
export const put = (input, given) => {
  input.value = typeof given === "string" ? given : "";
};
// Type text, not number: the reader may write 1/4 or 2,5, and a phone's number pad has no minus.
export const field = (more = {}) =>
  h("input", {
    type: "text",
    class: "course-field",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    size: 8,
    ...more,
  });
