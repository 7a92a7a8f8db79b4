// What the reader may set. A control that would change nothing is hidden: centring of entries that have the mean 0.

import { choice, h, slider, toggle } from "../drawing/ui.js";
import { SIZES } from "./address.js";
import { MOMENTS, VALUES } from "./ensemble.js";

const ENTRIES = { gaussian: "N(0, 1)", uniform: "U(0, 1)", centred: "U(−1, 1)" };
const FORMS = { symmetric: "symmetric", general: "not symmetric", product: "W Wᵀ" };
const DIVISORS = { none: "not scaled", root: "÷ √n", full: "÷ n" };
const options = (names) => Object.entries(names).map(([value, label]) => ({ value, label }));

/** get(): the settings; change(part); reset(). */
export function controls({ get, change, reset }) {
  const pick = (legend, name, names) =>
    choice({ legend, value: "", options: options(names), oninput: (value) => change({ [name]: value }) });
  const named = (text, part) => h("div", { class: "spc-named" }, h("span", { "aria-hidden": "true" }, text), part.el);
  const entries = pick("Entries", "entries", ENTRIES);
  const form = pick("Matrix", "form", FORMS);
  const divisor = pick("Scaling", "divisor", DIVISORS);
  const values = pick("Values", "values", Object.fromEntries(VALUES.map((name) => [name, name])));
  const n = slider({
    label: ["size ", h("i", {}, "n")],
    min: SIZES[0],
    max: SIZES[1],
    step: 10,
    value: SIZES[0],
    format: String,
    oninput: (value) => change({ n: value }),
  });
  const centre = toggle({ label: "subtract the mean of the entries", value: false, oninput: (on) => change({ centre: on }) });
  const seed = h("input", {
    type: "number",
    min: 0,
    max: 9999,
    step: 1,
    onchange() {
      const value = Number(seed.value);
      if (seed.value !== "" && Number.isInteger(value) && value >= 0 && value <= 9999) change({ seed: value });
      else seed.value = get().seed;
    },
  });
  const button = (text, onclick) => h("button", { type: "button", class: "course-button", onclick }, text);
  const el = h(
    "div",
    { class: "spc-controls" },
    named("entries, normal or uniform", entries),
    named("matrix", form),
    named("scaling", divisor),
    named("values", values),
    h(
      "div",
      { class: "spc-row" },
      n.el,
      h("label", { class: "spc-seed" }, h("span", {}, "seed"), seed),
      button("another matrix", () => change({ seed: (get().seed + 1) % 10000 })),
      button("reset", reset),
    ),
    centre.el,
  );
  function draw(state) {
    entries.set(state.entries);
    form.set(state.form);
    divisor.set(state.divisor);
    values.set(state.values);
    n.set(state.n);
    centre.set(state.centre);
    centre.el.hidden = MOMENTS[state.entries][0] === 0;
    if (document.activeElement !== seed) seed.value = state.seed;
  }
  return { el, draw };
}
