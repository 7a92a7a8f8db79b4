// The dials in two groups, and the task. Each shows what the widget's model holds and asks for a change; it keeps nothing itself.

import { grid, group, picked, rateDial, seedField } from "../drawing/training.js";
import { choice, h, number, setText, slider, toggle } from "../drawing/ui.js";
import { TAKES } from "./address.js";

const ABOUT = {
  reverse: "Six letters, then the same letters backwards.",
  copy: "Six letters, then the same letters again.",
  sort: "Six letters, then the same letters in order.",
  recall:
    "Four pairs of letter and digit, then letters alone: each asks for the digit of its first pair. Takes two layers, learned positions and some 300 to 500 steps.",
  numbers: "English number words into German: “fifty four” becomes “vier und fünfzig”, so tens and ones cross.",
};
const ONE_LAYER = " One layer is stuck: a digit does not know whose it is.";

/** names: the dials shown. get(): the settings; change({name: value}); open: are the groups unfolded? */
export function dials({ names, get, change, open }) {
  const give = (name, read) => (value) => change({ [name]: read(value) });
  const whole = (label, name, step) => {
    const [min, max] = TAKES[name];
    const format = (x) => number(x, 0);
    return slider({ label, min, max, step, value: min, format, oninput: give(name, Math.round) });
  };
  const options = (name, read = String) => {
    const each = TAKES[name].map(String);
    const made = choice({
      legend: name === "task" ? "Task" : name,
      options: each.map((value) => ({ value, label: value })),
      value: each[0],
      oninput: give(name, read),
    });
    return { ...made, set: (value) => made.set(String(value)) };
  };
  const pick = (name, read) => {
    const { el, set } = options(name, read);
    return { el: picked(name, el), set };
  };
  const flip = (label, name) => toggle({ label, value: false, oninput: give(name, Boolean) });
  const make = {
    task: () => options("task"),
    d: () => whole("width d", "d", 2),
    m: () => whole("width per head m", "m", 1),
    h: () => whole("heads", "h", 1),
    layers: () => pick("layers", Number),
    positions: () => pick("positions"),
    norm: () => pick("norm"),
    residual: () => flip("residual", "residual"),
    causal: () => flip("causal mask", "causal"),
    scaled: () => flip("scale 1/√m", "scaled"),
    rate: () => rateDial("learning rate", TAKES.rate, give("rate", Number)),
    seed: () => seedField(TAKES.seed, give("seed", Number)),
  };
  const parts = Object.fromEntries(names.map((name) => [name, make[name]()]));
  const shown = (list) => list.filter((name) => name in parts).map((name) => parts[name].el);

  const about = h("p", { class: "aex-about" });
  const count = h("span", { class: "trn-soft" });
  const model = shown(["d", "m", "h", "layers", "positions", "norm", "residual", "causal", "scaled"]);
  const training = shown(["rate", "seed"]);
  const task = h("div", { class: "aex-task" }, ...shown(["task"]), about);
  const groups = [
    ...(model.length ? [group("Model", { open, note: count }, grid(...model))] : []),
    ...(training.length ? [group("Training", { open }, grid(...training))] : []),
  ];
  function draw(frame) {
    const now = get();
    for (const [name, part] of Object.entries(parts)) part.set(now[name]);
    setText(about, ABOUT[now.task] + (now.task === "recall" && now.layers === 1 ? ONE_LAYER : ""));
    setText(count, frame ? `${frame.parameters.toLocaleString("en")} parameters` : "");
  }
  return { task, groups, draw };
}
