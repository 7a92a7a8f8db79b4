// What the reader may set: the layers to pass, the cloud, the heads' matrices, and the layer's numbers.

import { headsEditor } from "../drawing/heads.js";
import { h, number, setText, slider, toggle } from "../drawing/ui.js";
import { HEADS, RANGES } from "./address.js";

/** get(): the settings; change(part); acts: {play, reset}. */
export function controls({ get, change, acts }) {
  const button = (text, onclick, more = "") => h("button", { type: "button", class: `course-button${more}`, onclick }, text);
  const dial = (label, name, step, format, more = {}) =>
    slider({
      label,
      min: RANGES[name][0],
      max: RANGES[name][1],
      step,
      value: RANGES[name][0],
      format,
      oninput: (value) => change({ [name]: value }),
      ...more,
    });
  const part = (label, name, range, k, step = 0.05) =>
    slider({
      label,
      min: range[0],
      max: range[1],
      step,
      value: range[0],
      format: number,
      oninput: (value) => change({ [name]: get()[name].map((old, i) => (i === k ? value : old)) }),
    });

  const play = button("Play", acts.play, " gau-play");
  const layers = dial("layers passed", "layers", 1, String);
  const mean = [part(["mean, ", h("i", {}, "x")], "mean", RANGES.x, 0), part(["mean, ", h("i", {}, "y")], "mean", RANGES.x, 1)];
  const spread = [part("first axis", "spread", RANGES.spread, 0), part("second axis", "spread", RANGES.spread, 1)];
  const angle = dial("turned by", "angle", 1, (value) => `${number(value, 0)}°`);
  const step = dial(["step ", h("i", {}, "ε")], "step", 0.01, number);
  const scale = dial(["scale ", h("i", {}, "s")], "scale", 0.01, number);
  const n = dial(["particles ", h("i", {}, "n")], "n", 10, String);
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
  const another = button("another sample", () => change({ seed: (get().seed + 1) % 10000 }));
  const matched = toggle({
    label: "sample with exactly this mean and covariance",
    value: false,
    oninput: (on) => change({ matched: on }),
  });

  const editor = headsEditor({ get, change, range: RANGES.entry, most: HEADS });

  const group = (title, ...children) => h("section", { class: "gau-group" }, h("h4", {}, title), ...children);
  const transport = h("div", { class: "gau-transport" }, play, layers.el, button("Reset", acts.reset));
  const dials = h(
    "div",
    { class: "gau-dials" },
    group(
      "The starting cloud",
      h("div", { class: "gau-row" }, ...mean.map(({ el }) => el), ...spread.map(({ el }) => el), angle.el),
    ),
    group("The layer", h("div", { class: "gau-row" }, step.el, scale.el), editor.count, editor.list),
    group(
      "The particles",
      h("div", { class: "gau-row" }, n.el, h("label", { class: "gau-seed" }, h("span", {}, "seed"), seed), another),
      matched.el,
    ),
  );

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
    editor.draw(state.heads);
    setText(play, playing ? "Pause" : "Play");
  }
  return { transport, dials, draw };
}
