// The fields in which an argument is given. Each form as those in forms.js.

import { h } from "../drawing/ui.js";
import { listed, rich } from "./forms.js";
import { orderForm } from "./order_form.js";
import { shuffled } from "./reasoning_check.js";

function control(spec) {
  const inputs = spec.options.map(({ text }) => h("input", { type: "checkbox", value: text }));
  const label = ({ text }, i) => h("label", { class: "course-option" }, inputs[i], h("span", {}, ...rich(text)));
  return {
    el: h("fieldset", {}, h("legend", {}, "Held fixed:"), ...spec.options.map(label)),
    inputs,
    get: () => inputs.filter((input) => input.checked).map((input) => input.value),
    set: (given) =>
      inputs.forEach((input) => {
        input.checked = Array.isArray(given) && given.includes(input.value);
      }),
  };
}

export const forms = {
  arrange: (spec) => orderForm(shuffled(spec)),
  false_line: (spec) =>
    listed(
      spec,
      spec.options,
      [...spec.options.keys()].map((i) => i + 1),
    ),
  control,
};
