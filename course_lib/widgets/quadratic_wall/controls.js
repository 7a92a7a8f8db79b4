// What the reader may set: sizes by sliders that go from one customary size to the next, and the kinds of layer.

import { nearest } from "../model_sizes/controls.js";
import { thousands } from "../model_sizes/words.js";
import { button, desk, named } from "../drawing/desk.js";
import { h, setAttr, slider, svg } from "../drawing/ui.js";
import { fitting, TAKES } from "./address.js";
import { DASHES, tint } from "./chart.js";
import { KINDS } from "./stack.js";

const doubled = (from, to, ...heads) => {
  const list = [];
  for (let x = from; x <= to; x *= 2) list.push(...heads.map((head) => x * head).filter((y) => y <= to));
  return list.sort((a, b) => a - b);
};
export const STOPS = {
  n: doubled(16, 2 ** 20, 1, 1.5),
  d: doubled(64, 16_384, 1, 1.5),
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

/** A dial that goes from one customary size to the next; between two stands what Python or a link has set. */
function sizes(name, label, get, give) {
  const stops = () => (name === "h" ? STOPS.h.filter((x) => get().d % x === 0) : STOPS[name]);
  const stop = (i) => stops()[Math.min(i, stops().length - 1)];
  const part = slider({
    label: label.map((text) => (text.length === 1 ? h("i", {}, text) : text)),
    min: 0,
    max: STOPS[name].length - 1,
    step: 1,
    value: 0,
    format: (i) => thousands(i === nearest(stops(), get()[name]) ? get()[name] : stop(i)),
    oninput: (i) => give(name, stop(i)),
  });
  function set(value) {
    const at = nearest(stops(), value);
    const last = stops().length - 1;
    setAttr(part.input, "max", last);
    part.set(at);
    setAttr(part.input, "style", `--part: ${at / Math.max(1, last)}`);
  }
  return { el: part.el, set };
}

/** A box to tick for a kind of layer, with the line that it has in the chart. */
function kindBox(kind, get, change) {
  const input = h("input", {
    type: "checkbox",
    onchange() {
      const others = get().kinds.filter((each) => each !== kind);
      if (!input.checked && !others.length)
        input.checked = true; // one must stay
      else change({ kinds: TAKES.kinds.filter((each) => (each === kind ? input.checked : others.includes(each))) });
    },
  });
  const line = svg("path", {
    class: "wal-line",
    style: tint(kind),
    d: "M1,5H25",
    "stroke-dasharray": DASHES[kind].join(" "),
  });
  const swatch = svg("svg", { width: 26, height: 10, "aria-hidden": "true" }, line);
  return { kind, input, el: h("label", { class: "wal-kind" }, input, swatch, h("span", {}, KINDS[kind].name)) };
}

/** get(): the settings; change(part); reset(). */
export function controls({ get, change, reset }) {
  const board = desk({ get, change, takes: TAKES });
  const give = (name, value) => change(name === "d" ? { d: value, h: fitting(get().h, value) } : { [name]: value });
  const dials = Object.entries(LABELS).map(([name, label]) => ({ name, ...sizes(name, label, get, give) }));
  const kinds = TAKES.kinds.map((kind) => kindBox(kind, get, change));
  const el = h(
    "div",
    { class: "wal-controls" },
    h(
      "fieldset",
      { class: "wal-kinds" },
      h("legend", { class: "course-hidden" }, "Kinds of layer"),
      ...kinds.map((box) => box.el),
    ),
    h("div", { class: "wal-dials" }, ...dials.map((dial) => dial.el)),
    h(
      "div",
      { class: "wal-choices" },
      named("work", board.pick("work", "Work", { training: "a training step", forward: "forward" })),
      named("chart", board.pick("chart", "Chart", { bytes: "bytes kept", flops: "FLOPs" })),
      button("reset", reset),
    ),
  );
  function draw(state) {
    board.draw(state);
    for (const dial of dials) {
      dial.set(state[dial.name]);
      if (ONLY[dial.name]) dial.el.hidden = !state.kinds.includes(ONLY[dial.name]);
    }
    for (const { kind, input } of kinds) input.checked = state.kinds.includes(kind);
  }
  return { el, draw };
}
