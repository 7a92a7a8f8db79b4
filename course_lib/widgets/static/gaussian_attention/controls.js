// What the reader may set: the layers to pass, the cloud, the heads' matrices, and the layer's numbers.

import { choice, h, number, setText, slider, toggle } from "../ui.js";
import { HEADS, RANGES } from "./address.js";
import { IDENTITY } from "./maps.js";

export const PRESETS = {
  identity: IDENTITY, "minus identity": [[-1, 0], [0, -1]], "quarter turn": [[0, 1], [-1, 0]], "first coordinate": [[1, 0], [0, 0]], zero: [[0, 0], [0, 0]],
};
const OWN = "own numbers";
const same = (A, B) => A.every((row, i) => row.every((a, j) => a === B[i][j]));
export const presetOf = (A) => Object.keys(PRESETS).find((name) => same(PRESETS[name], A)) ?? OWN;
const ADDED = [IDENTITY, [[0, 0.5], [-0.5, 0]]]; // a head that is asked for anew

/** One 2 × 2 matrix: a menu of presets and its four numbers. give(matrix). */
function matrix(names, spoken, read, give) {
  const menu = h("select", { "aria-label": `${spoken}: preset`, onchange: () => { if (menu.value in PRESETS) give(PRESETS[menu.value]); } },
    ...Object.keys(PRESETS).map((name) => h("option", { value: name }, name)), h("option", { value: OWN, disabled: true }, OWN));
  const fields = [[0, 0], [0, 1], [1, 0], [1, 1]].map(([i, j]) => {
    const field = h("input", { type: "number", min: RANGES.entry[0], max: RANGES.entry[1], step: 0.1, "aria-label": `${spoken}: row ${i + 1}, column ${j + 1}`,
      oninput() {
        const value = Number(field.value);
        if (field.value !== "" && value >= RANGES.entry[0] && value <= RANGES.entry[1]) give(read().map((row, a) => row.map((old, b) => (a === i && b === j ? value : old))));
      },
      onchange: () => set(read(), true) });
    return { field, i, j };
  });
  function set(A, forced = false) {
    menu.value = presetOf(A);
    for (const { field, i, j } of fields) if (forced || document.activeElement !== field) field.value = Number(A[i][j].toFixed(4));
  }
  return { el: h("div", { class: "gau-matrix" }, h("span", { class: "gau-name" }, ...names), menu, h("div", { class: "gau-entries" }, ...fields.map(({ field }) => field))), set };
}

const sub = (letter, below) => [h("i", {}, letter), h("sub", {}, below)];

/** get(): the settings; change(part); acts: {play, reset}. */
export function controls({ get, change, acts }) {
  const button = (text, onclick, more = "") => h("button", { type: "button", class: `course-button${more}`, onclick }, text);
  const dial = (label, name, step, format, more = {}) => slider({ label, min: RANGES[name][0], max: RANGES[name][1], step, value: RANGES[name][0], format, oninput: (value) => change({ [name]: value }), ...more });
  const part = (label, name, range, k, step = 0.05) => slider({ label, min: range[0], max: range[1], step, value: range[0], format: number,
    oninput: (value) => change({ [name]: get()[name].map((old, i) => (i === k ? value : old)) }) });

  const play = button("Play", acts.play, " gau-play");
  const layers = dial("layers passed", "layers", 1, String);
  const mean = [part(["mean, ", h("i", {}, "x")], "mean", RANGES.x, 0), part(["mean, ", h("i", {}, "y")], "mean", RANGES.x, 1)];
  const spread = [part("first axis", "spread", RANGES.spread, 0), part("second axis", "spread", RANGES.spread, 1)];
  const angle = dial("turned by", "angle", 1, (value) => `${number(value, 0)}°`);
  const step = dial(["step ", h("i", {}, "ε")], "step", 0.01, number), scale = dial(["scale ", h("i", {}, "s"), " of the scores"], "scale", 0.01, number);
  const n = dial(["particles ", h("i", {}, "n")], "n", 10, String);
  const seed = h("input", { type: "number", min: 0, max: 9999, step: 1, onchange() {
    const value = Number(seed.value);
    if (seed.value !== "" && Number.isInteger(value) && value >= 0 && value <= 9999) change({ seed: value });
    else seed.value = get().seed;
  } });
  const another = button("another sample", () => change({ seed: (get().seed + 1) % 10000 }));
  const matched = toggle({ label: "sample with exactly this mean and covariance", value: false, oninput: (on) => change({ matched: on }) });

  const count = choice({ legend: "Number of heads", value: "1", options: Array.from({ length: HEADS }, (_, i) => ({ value: String(i + 1), label: i ? `${i + 1} heads` : "1 head" })),
    oninput(value) {
      const now = get().heads;
      change({ heads: Array.from({ length: Number(value) }, (_, k) => now[k] ?? ADDED) });
    } });
  const rows = Array.from({ length: HEADS }, (_, k) => {
    const read = (which) => () => get().heads[k]?.[which] ?? IDENTITY;
    const give = (which) => (A) => change({ heads: get().heads.map((head, i) => (i === k ? head.map((old, w) => (w === which ? A : old)) : head)) });
    const S = matrix([...sub("W", "Q"), " ", ...sub("W", "K"), h("sup", {}, "T")], `Head ${k + 1}, scores, W Q times W K transposed`, read(0), give(0));
    const M = matrix([...sub("W", "V"), " ", ...sub("W", "O")], `Head ${k + 1}, values, W V times W O`, read(1), give(1));
    return { el: h("div", { class: "gau-head" }, h("b", {}, `head ${k + 1}`), S.el, M.el), S, M };
  });

  const group = (title, ...children) => h("section", { class: "gau-group" }, h("h4", {}, title), ...children);
  const transport = h("div", { class: "gau-transport" }, play, layers.el, button("Reset", acts.reset));
  const dials = h("div", { class: "gau-dials" },
    group("The starting cloud", h("div", { class: "gau-row" }, ...mean.map(({ el }) => el), ...spread.map(({ el }) => el), angle.el)),
    group("The layer", h("div", { class: "gau-row" }, step.el, scale.el), count.el, h("div", { class: "gau-heads" }, ...rows.map(({ el }) => el))),
    group("The particles", h("div", { class: "gau-row" }, n.el, h("label", { class: "gau-seed" }, h("span", {}, "seed"), seed), another), matched.el));

  function draw(state, playing) {
    layers.set(state.layers);
    state.mean.forEach((value, k) => mean[k].set(value));
    state.spread.forEach((value, k) => spread[k].set(value));
    angle.set(state.angle);
    step.set(state.step);
    scale.set(state.scale);
    n.set(state.n);
    if (document.activeElement !== seed) seed.value = state.seed;
    matched.set(state.matched);
    count.set(String(state.heads.length));
    rows.forEach(({ el, S, M }, k) => {
      el.hidden = k >= state.heads.length;
      if (el.hidden) return;
      S.set(state.heads[k][0]);
      M.set(state.heads[k][1]);
    });
    setText(play, playing ? "Pause" : "Play");
  }
  return { transport, dials, draw };
}
