// A menu of presets: it shows the one that fits, else "own".

import { h } from "../drawing/ui.js";

/** presets: [name, …]; fits(preset): is it set? choose(preset). */
export function menu(label, presets, { fits, choose }) {
  const onchange = () => {
    if (select.value !== "own") choose(presets[Number(select.value)]);
  };
  const select = h(
    "select",
    { "aria-label": label, onchange },
    ...presets.map(([name], i) => h("option", { value: i }, name)),
    h("option", { value: "own" }, "own"),
  );
  return {
    el: h("label", { class: "trn-pick" }, h("span", {}, label), select),
    draw() {
      const at = presets.findIndex(fits);
      select.value = at < 0 ? "own" : String(at);
    },
  };
}
