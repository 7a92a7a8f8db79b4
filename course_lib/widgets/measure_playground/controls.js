// What the reader may set: the layers to pass, the tokens, the layer's matrices and numbers, the blur, the drawn tokens.

import { headsEditor } from "../drawing/heads.js";
import { choice, clamp, h, number, setText, slider, toggle } from "../drawing/ui.js";
import { HEADS, RANGES, TOKENS } from "./address.js";
import { LAYER_NAMES, LAYERS, layerOf, MEASURE_NAMES, MEASURES, measureOf } from "./presets.js";

const OWN = "own";
function menu(label, names, pick) {
  const select = h(
    "select",
    {
      onchange: () => {
        if (names.includes(select.value)) pick(select.value);
      },
    },
    ...names.map((name) => h("option", { value: name }, name)),
    h("option", { value: OWN, disabled: true }, "own"),
  );
  return {
    el: h("label", { class: "mea-menu" }, h("span", {}, label), select),
    set(name) {
      select.value = name ?? OWN;
    },
  };
}

/** get(): the settings; change(part); acts: {play, reset, add, remove, split, weigh, go, chosen}. */
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

  const play = button("Play", acts.play, " mea-play");
  const layers = dial("layers passed", "layers", 1, String);
  const start = menu("start from", MEASURE_NAMES, (name) => {
    change({ tokens: MEASURES[name] });
  });
  const layer = menu("layer", LAYER_NAMES, (name) => {
    const { heads, scale, step } = LAYERS[name];
    change({ heads, scale, step });
  });

  const about = h("p", { class: "mea-chosen" });
  const weight = slider({
    label: "its weight",
    min: RANGES.weight[0],
    max: RANGES.weight[1],
    step: 0.05,
    value: 1,
    format: (x) => String(Number(x.toPrecision(3))),
    scale: "log",
    oninput: (value) => acts.weigh(acts.chosen(), clamp(Number(value.toPrecision(3)), ...RANGES.weight)),
  });
  const before = button("‹ previous", () => acts.go(-1));
  const next = button("next ›", () => acts.go(1));
  const add = button("Add a token", () => acts.add(null));
  const split = button("Split in two", acts.split);
  const remove = button("Remove", () => acts.remove(acts.chosen(), false));

  const step = dial(["step ", h("i", {}, "ε")], "step", 0.01, number);
  const scale = dial(["scale ", h("i", {}, "s")], "scale", 0.01, number);
  const editor = headsEditor({ get, change, range: RANGES.entry, most: HEADS });
  const pushed = choice({
    legend: "What the later layers look at",
    value: "1",
    options: [
      { value: "1", label: "⋄ measure pushed forward" },
      { value: "0", label: "∘ measure of the start" },
    ],
    oninput: (value) => change({ pushed: value === "1" }),
  });
  const blur = dial(["blur ", h("i", {}, "σ")], "blur", 0.05, number);
  const compare = toggle({ label: "compare with tokens drawn from it", value: false, oninput: (on) => change({ compare: on }) });
  const n = slider({
    label: ["tokens drawn, ", h("i", {}, "n")],
    min: RANGES.n[0],
    max: RANGES.n[1],
    step: 0.1,
    value: 100,
    scale: "log",
    format: (x) => String(Math.round(x)),
    oninput: (value) => change({ n: Math.round(value) }),
  });
  const another = button("another sample", () => change({ seed: (get().seed + 1) % (RANGES.seed[1] + 1) }));
  const drawn = h("div", { class: "mea-row" }, n.el, another);

  const group = (title, ...children) => h("section", { class: "mea-group" }, h("h4", {}, title), ...children);
  const transport = h("div", { class: "mea-transport" }, play, layers.el, button("Reset", acts.reset));
  const dials = h(
    "div",
    { class: "mea-dials" },
    group(
      "The tokens",
      h("div", { class: "mea-row" }, start.el, weight.el),
      about,
      h("div", { class: "mea-buttons" }, before, next, add, split, remove),
    ),
    group("The measure", h("div", { class: "mea-row" }, blur.el), compare.el, drawn),
    group(
      "The layer",
      h("div", { class: "mea-row" }, layer.el, step.el, scale.el),
      editor.count,
      editor.list,
      h("p", { class: "mea-label" }, "Every layer after the first looks at the"),
      pushed.el,
    ),
  );

  function draw(state, playing, words) {
    layers.set(state.layers);
    start.set(measureOf(state));
    layer.set(layerOf(state));
    weight.set(state.tokens[acts.chosen()][2]);
    setText(about, words);
    before.disabled = next.disabled = remove.disabled = state.tokens.length === 1;
    add.disabled = split.disabled = state.tokens.length >= TOKENS;
    split.disabled ||= state.tokens[acts.chosen()][2] / 2 < RANGES.weight[0];
    step.set(state.step);
    scale.set(state.scale);
    editor.draw(state.heads);
    pushed.set(state.pushed ? "1" : "0");
    blur.set(state.blur);
    compare.set(state.compare);
    drawn.hidden = !state.compare;
    n.set(state.n);
    setText(play, playing ? "Pause" : "Play");
  }
  return { transport, dials, draw };
}
