// What the reader may set: sizes by sliders that go from one customary size to the next, and the kinds of layer.

import { nearest } from "../model_sizes/controls.js";
import { thousands } from "../model_sizes/words.js";
import { choice, h, setAttr, slider, svg } from "../drawing/ui.js";
import { fitting } from "./address.js";
import { DASHES } from "./chart.js";
import { KINDS } from "./stack.js";

const doubled = (from, to, ...heads) => {
  const list = [];
  for (let x = from; x <= to; x *= 2) list.push(...heads.map((head) => x * head).filter((y) => y <= to));
  return list.sort((a, b) => a - b);
};
export const STOPS = {
  n: doubled(16, 2 ** 20, 1, 1.5),
  d: [...doubled(64, 16_384, 1, 1.5)],
  h: [1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128],
  layers: [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128],
  radius: doubled(1, 4096, 1),
  k: [3, 5, 7, 9, 15, 31, 65],
};
const LABELS = {
  n: ["tokens ", "n"],
  d: ["width ", "d"],
  h: ["heads ", "h"],
  layers: ["layers"],
  radius: ["window radius"],
  k: ["convolution over ", "k", " tokens"],
};
const ONLY = { radius: "window", k: "convolution" }; // hidden where they would change nothing

/** get(): the settings; change(part); reset(). */
export function controls({ get, change, reset }) {
  const stops = (name) => (name === "h" ? STOPS.h.filter((x) => get().d % x === 0) : STOPS[name]);
  const pick = { d: (d) => ({ d, h: fitting(get().h, d) }) };
  const dials = Object.fromEntries(
    Object.entries(LABELS).map(([name, label]) => {
      const format = (i) => {
        const now = get()[name];
        const list = stops(name);
        return thousands(i === nearest(list, now) ? now : list[Math.min(i, list.length - 1)]);
      };
      return [
        name,
        slider({
          label: label.map((part) => (part.length === 1 ? h("i", {}, part) : part)),
          min: 0,
          max: STOPS[name].length - 1,
          step: 1,
          value: 0,
          format,
          oninput: (i) => {
            const list = stops(name);
            const value = list[Math.min(i, list.length - 1)];
            change(pick[name]?.(value) ?? { [name]: value });
          },
        }),
      ];
    }),
  );
  const kinds = Object.fromEntries(
    Object.entries(KINDS).map(([kind, { name }]) => {
      const input = h("input", {
        type: "checkbox",
        onchange() {
          const others = get().kinds.filter((each) => each !== kind);
          if (!input.checked && !others.length)
            input.checked = true; // one must stay
          else change({ kinds: Object.keys(KINDS).filter((each) => (each === kind ? input.checked : others.includes(each))) });
        },
      });
      const swatch = svg(
        "svg",
        { width: 26, height: 10, "aria-hidden": "true" },
        svg("path", { class: `wal-line wal-${kind}`, d: "M1,5H25", "stroke-dasharray": DASHES[kind].join(" ") }),
      );
      return [kind, { input, el: h("label", { class: "wal-kind" }, input, swatch, h("span", {}, name)) }];
    }),
  );
  const pair = (legend, name, options) =>
    choice({
      legend,
      value: "",
      options: options.map(([value, label]) => ({ value, label })),
      oninput: (value) => change({ [name]: value }),
    });
  const work = pair("Work", "work", [
    ["training", "a training step"],
    ["forward", "forward"],
  ]);
  const chart = pair("Chart", "chart", [
    ["bytes", "bytes kept"],
    ["flops", "FLOPs"],
  ]);
  const reached = slider({
    label: "P100 reaches",
    min: 1,
    max: 100,
    step: 1,
    value: 27,
    format: (x) => `${x} % of its peak`,
    oninput: (x) => change({ reached: Math.round(x) }),
  });
  const named = (text, part) => h("div", { class: "wal-named" }, h("span", { "aria-hidden": "true" }, text), part.el);
  const el = h(
    "div",
    { class: "wal-controls" },
    h(
      "fieldset",
      { class: "wal-kinds" },
      h("legend", { class: "course-hidden" }, "Kinds of layer"),
      ...Object.values(kinds).map((kind) => kind.el),
    ),
    h("div", { class: "wal-dials" }, ...Object.values(dials).map((dial) => dial.el), reached.el),
    h(
      "div",
      { class: "wal-choices" },
      named("work", work),
      named("chart", chart),
      h("button", { type: "button", class: "course-button", onclick: reset }, "reset"),
    ),
  );
  function draw(state) {
    for (const [name, dial] of Object.entries(dials)) {
      const list = stops(name);
      setAttr(dial.input, "max", list.length - 1);
      dial.set(nearest(list, state[name]));
      setAttr(dial.input, "style", `--part: ${nearest(list, state[name]) / Math.max(1, list.length - 1)}`);
      if (ONLY[name]) dial.el.hidden = !state.kinds.includes(ONLY[name]);
    }
    for (const [kind, { input }] of Object.entries(kinds)) input.checked = state.kinds.includes(kind);
    work.set(state.work);
    chart.set(state.chart);
    reached.set(state.reached);
  }
  return { el, draw };
}
