// What the reader may change of P: its kind, and its sizes with sliders.

import { choice, h, number } from "../drawing/ui.js";
import { dialsOf } from "../shell/dials.js";
import declared from "./settings.json" with { type: "json" };

/** names: the settings that have a dial. */
export function dials(names, change) {
  const dial = dialsOf(declared, change);
  const parts = {
    kind: choice({
      legend: "Kind of positions",
      value: "sinusoidal",
      oninput: (kind) => change({ kind }),
      options: [
        { value: "sinusoidal", label: "sinusoids" },
        { value: "binary", label: "binary counting" },
      ],
    }),
    n: dial("n", ["tokens ", h("i", {}, "n")]),
    d: dial("d", ["width ", h("i", {}, "d")]),
    base: dial("base", "base", {
      step: 0.1,
      scale: "log",
      format: (x) => number(x, x >= 100 ? 0 : 1),
      oninput: (base) => change({ base: Number(base.toPrecision(3)) }),
    }),
  };
  const el = h("div", { class: "pos-dials" }, ...names.map((name) => parts[name].el));
  const draw = (state) => {
    for (const name of names) parts[name].set(state[name]);
    parts.base.el.hidden = state.kind === "binary"; // counting has its base already: two
  };
  return { el, draw };
}
