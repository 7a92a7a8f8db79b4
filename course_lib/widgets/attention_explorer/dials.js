// The dials in two groups, and the task. Each shows what the widget's model holds and asks for a change; it keeps
// nothing itself.

import { desk } from "../drawing/desk.js";
import { grid, group, picked, rateDial } from "../drawing/training.js";
import { choice, h, setText } from "../drawing/ui.js";
import { TAKES } from "./address.js";

const ABOUT = {
  reverse: "Six letters, then the same letters backwards.",
  copy: "Six letters, then the same letters again.",
  sort: "Six letters, then the same letters in order.",
  recall: "Four pairs of letter and digit, then four letters alone: each asks for the digit of its first pair.",
  numbers: "English number words into German: “fifty four” becomes “vier und fünfzig”, so tens and ones cross.",
  text:
    "Letters as in the words of Italian town names, drawn one by one: each depends on the two before it. Nobody " +
    "can be sure of the next.",
};
const SHORT = { sinusoidal: "sines", alibi: "ALiBi" }; // so that a choice has one line
// steps after which one may say why one layer does not get there: before, it is the reader's question
const TRIED = 400;
const ONE_LAYER = " One layer is stuck: a digit does not know whose it is.";

/** names: the dials shown. get(): the settings; change({name: value}); open: are the groups unfolded? */
export function dials({ names, get, change, open }) {
  const { kept, dial, flag, seed, draw: show } = desk({ get, change, takes: TAKES });
  const whole = (name, label, step = 1) => dial(name, label, step, { format: String });
  function pick(name, { legend = name, read = String } = {}) {
    const options = TAKES[name].map((value) => ({ value: String(value), label: SHORT[value] ?? String(value) }));
    const made = choice({ legend, options, value: "", oninput: (value) => change({ [name]: read(value) }) });
    return kept(name, made, (state) => String(state[name]));
  }
  const make = {
    task: () => pick("task", { legend: "Task" }),
    d: () => whole("d", "width d", 2),
    m: () => whole("m", "width per head m"),
    h: () => whole("h", "heads"),
    share: () => whole("share", "heads per key"),
    layers: () => picked("layers", pick("layers", { read: Number })),
    positions: () => picked("positions", pick("positions")),
    norm: () => picked("norm", pick("norm")),
    residual: () => flag("residual", "residual"),
    causal: () => flag("causal", "causal mask"),
    scaled: () => flag("scaled", "scale 1/√m"),
    rate: () =>
      kept(
        "rate",
        rateDial("learning rate", TAKES.rate, (rate) => change({ rate })),
      ),
    seed,
  };
  const shown = (...list) => list.filter((name) => names.includes(name)).map((name) => make[name]());

  const about = h("p", { class: "aex-about" });
  const count = h("span", { class: "trn-soft" });
  const task = h("div", { class: "aex-task" }, ...shown("task"), about);
  const model = shown("d", "m", "h", "layers", "positions", "norm", "residual", "causal", "scaled", "share");
  const training = shown("rate", "seed");
  const groups = [
    ...(model.length ? [group("Model", { open, note: count }, grid(...model))] : []),
    ...(training.length ? [group("Training", { open }, grid(...training))] : []),
  ];
  function draw(frame) {
    const now = get();
    show(now);
    const stuck = now.task === "recall" && now.layers === 1 && frame?.step >= TRIED;
    setText(about, ABOUT[now.task] + (stuck ? ONE_LAYER : ""));
    setText(count, frame ? `${frame.parameters.toLocaleString("en")} parameters` : "");
  }
  return { task, groups, draw };
}
