// The settings of model and training. change({name: value}) tells what the reader turned.

import { desk } from "../drawing/desk.js";
import { grid, group, picked, rateDial } from "../drawing/training.js";
import { choice, h, setText, slider } from "../drawing/ui.js";
import { TAKES } from "./address.js";
import { menu } from "./menu.js";

const SHAPES = [
  ["worked example", 8, 4, 4, 16],
  ["smallest published", 16, 8, 4, 16],
  ["published, n = 32", 32, 16, 8, 32],
  ["published, n = 64", 64, 32, 16, 64],
  ["published, n = 128", 128, 32, 16, 64],
  ["largest published (slow)", 128, 128, 128, 512],
];
const SET = 8000; // sequences that a run owns
const KEEPS = 0.99;

/** One of a few: {value: label}. */
function pick(legend, labels, oninput) {
  const options = Object.entries(labels).map(([value, label]) => ({ value, label }));
  const { el, set } = choice({ legend, options, value: "", oninput });
  return { el: picked(legend, el), set };
}
/** What a mean keeps, 1 - share on a log scale: 0.9, 0.99, 0.999 are equally far apart. */
function memory(label, oninput) {
  const share = (x) => Number((1 - 1 / x).toFixed(4));
  const part = slider({
    label,
    min: 2,
    max: 1e4,
    step: 0.1,
    scale: "log",
    value: 2,
    format: (x) => String(share(x)),
    oninput: (x) => oninput(share(x)),
  });
  return { el: part.el, set: (kept) => part.set(1 / (1 - kept)) };
}

/** get(): the settings. */
export function otherControls({ get, change, open }) {
  const { kept, dial, pick: choose, seed, draw: show } = desk({ get, change, takes: TAKES });
  const give = (name) => (value) => change({ [name]: value });
  const whole = (name, label, more = {}) => dial(name, label, more.step ?? 1, { format: String, ...more });
  const option = (name, label, labels) => picked(label, choose(name, label, labels));
  const shape = menu("shape", SHAPES, {
    fits: ([, ...sizes]) => ["n", "d", "m", "r"].every((name, k) => get()[name] === sizes[k]),
    choose: ([, n, d, m, r]) => change({ n, d, m, r }),
  });
  const kind = () => (typeof get().average === "number" ? "running" : (get().average ?? "none"));
  const average = pick("average of the weights", { none: "none", tail: "last half", running: "running" }, (x) =>
    change({ average: { none: null, tail: "tail", running: KEEPS }[x] }),
  );
  const keep = memory("the average keeps", give("average"));
  const fresh = pick("training data", { own: "a set, in epochs", fresh: "always new" }, (x) =>
    change({ sequences: x === "own" ? SET : null }),
  );
  const count = h("span", { class: "trn-soft" });
  const set = h("p", { class: "trn-soft" });
  const sizes = grid(
    shape.el,
    whole("n", "tokens n"),
    whole("d", "width d"),
    whole("m", "attention m"),
    whole("r", "feed-forward r"),
    option("scale", "scores divided by", { m: "√m", d: "√d" }),
  );
  const steps = grid(
    kept("rate", rateDial("learning rate", TAKES.rate, give("rate"))),
    kept("beta_2", memory("Adam's β₂", give("beta_2"))),
    whole("batch", "batch b"),
    whole("updates", "updates", { min: 100, max: 6000, step: 100 }),
    option("decay", "decay of the rate", { none: "none", linear: "linear", cosine: "cosine" }),
    average.el,
    keep.el,
    fresh.el,
    seed(),
  );
  function draw(frame) {
    const now = get();
    show(now);
    shape.draw();
    average.set(kind());
    keep.el.hidden = kind() !== "running";
    if (kind() === "running") keep.set(now.average);
    fresh.set(now.sequences === null ? "fresh" : "own");
    const owns =
      `The run owns ${now.sequences?.toLocaleString("en")} sequences and goes through them in a new ` +
      `order each time.`;
    setText(set, now.sequences === null ? "Every sequence is seen once." : owns);
    setText(count, frame ? `${frame.parameters.toLocaleString("en")} learnables` : "");
  }
  return { els: [group("Model", { open, note: count }, sizes), group("Training", { open }, steps, set)], draw };
}
