// The dials in three groups. Each part shows what the widget's model holds and asks for a change; it keeps nothing itself.

import { choice, h, number, setText, slider, toggle } from "../drawing/ui.js";
import { short } from "./words.js";

export const TASKS = ["reverse", "copy", "sort", "recall", "numbers"];
const ABOUT = {
  reverse: "Six letters, then the same letters backwards.",
  copy: "Six letters, then the same letters again.",
  sort: "Six letters, then the same letters in order.",
  recall:
    "Four pairs of letter and digit, then letters alone: each asks for the digit of its first pair. Takes two layers, learned positions and some 300 to 500 steps.",
  numbers: "English number words into German: “fifty four” becomes “vier und fünfzig”, so tens and ones cross.",
};
const ONE_LAYER = " One layer is stuck: a digit does not know whose it is.";
const LABELS = { d: "width d", m: "width per head m", h: "heads", layers: "layers", rate: "learning rate", seed: "seed" };
const named = (values) => values.map((value) => ({ value: String(value), label: String(value) }));

/** names: the dials shown. get(name), change({name: value}); open: are the groups unfolded? */
export function dials({ names, get, change, open }) {
  const parts = new Map();
  const part = (name, made) => {
    if (names.includes(name)) parts.set(name, made());
  };
  const whole = (name, min, max, step) =>
    part(name, () =>
      slider({
        label: LABELS[name],
        min,
        max,
        step,
        value: get(name),
        format: (x) => number(x, 0),
        oninput: (x) => change({ [name]: Math.round(x) }),
      }),
    );
  const pick = (name, legend, values, from = String) =>
    part(name, () => {
      const made = choice({
        legend,
        options: named(values),
        value: String(get(name)),
        oninput: (value) => change({ [name]: from(value) }),
      });
      return {
        ...made,
        el: h("div", { class: "aex-pick" }, h("span", { "aria-hidden": "true" }, legend), made.el),
        set: (value) => made.set(String(value)),
      };
    });
  const flip = (name, label) => part(name, () => toggle({ label, value: get(name), oninput: (on) => change({ [name]: on }) }));

  part("task", () => choice({ legend: "Task", options: named(TASKS), value: get("task"), oninput: (task) => change({ task }) }));
  whole("d", 4, 64, 2);
  whole("m", 1, 32, 1);
  whole("h", 1, 8, 1);
  pick("layers", "layers", [1, 2], Number);
  pick("positions", "positions", ["none", "sinusoidal", "learned"]);
  pick("norm", "norm", ["pre", "post", "none"]);
  flip("residual", "residual");
  flip("causal", "causal mask");
  flip("scaled", "scale 1/√m");
  part("rate", () =>
    slider({
      label: LABELS.rate,
      min: 1e-5,
      max: 1,
      step: 0.1,
      value: get("rate"),
      format: short,
      scale: "log",
      oninput: (rate) => change({ rate: Number(rate.toPrecision(3)) }),
    }),
  );
  part("seed", () => {
    const input = h("input", { type: "number", min: 0, max: 9999, step: 1, inputmode: "numeric" });
    input.addEventListener("change", () => {
      const seed = Number(input.value);
      if (Number.isInteger(seed) && seed >= 0 && seed <= 9999 && input.value !== "") change({ seed });
      else input.value = get("seed");
    });
    return {
      el: h("label", { class: "aex-seed" }, h("span", {}, LABELS.seed), input),
      set: (seed) => {
        if (Number(input.value) !== seed) input.value = seed;
      },
    };
  });

  const about = h("p", { class: "aex-about" });
  const count = h("span", { class: "aex-count" });
  const group = (title, inner, list, note = "") => {
    const shown = list.filter((name) => parts.has(name));
    if (!shown.length) return null;
    const box = h(
      "details",
      { class: `aex-group aex-${inner}`, open },
      h("summary", {}, title, " ", note),
      h("div", { class: "aex-grid" }, ...shown.map((name) => parts.get(name).el)),
    );
    return box;
  };
  const task = h("div", { class: "aex-task" }, ...(parts.has("task") ? [parts.get("task").el] : []), about);
  const model = group("Model", "model", ["d", "m", "h", "layers", "positions", "norm", "residual", "causal", "scaled"], count);
  const training = group("Training", "training", ["rate", "seed"]);
  function draw(frame) {
    for (const [name, { set }] of parts) set(get(name));
    setText(about, ABOUT[get("task")] + (get("task") === "recall" && get("layers") === 1 ? ONE_LAYER : ""));
    setText(count, frame ? `${frame.parameters.toLocaleString("en")} parameters` : "");
  }
  return { task, groups: [model, training].filter(Boolean), draw };
}
