// The settings of model and training. change({name: value}) tells what the reader turned.

import { grid, group, picked, rateDial, seedField } from "../drawing/training.js";
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
  const give = (name) => (value) => change({ [name]: value });
  const whole = (name, label, [min, max] = TAKES[name], step = 1) =>
    slider({ label, min, max, step, value: min, format: String, oninput: give(name) });
  const option = (name, label, labels) => pick(label, labels, give(name));
  const shape = menu("shape", SHAPES, {
    fits: ([, ...sizes]) => ["n", "d", "m", "r"].every((name, k) => get()[name] === sizes[k]),
    choose: ([, n, d, m, r]) => change({ n, d, m, r }),
  });
  const sizes = {
    n: whole("n", "tokens n"),
    d: whole("d", "width d"),
    m: whole("m", "attention m"),
    r: whole("r", "feed-forward r"),
    scale: option("scale", "scores divided by", { m: "√m", d: "√d" }),
  };
  const steps = {
    rate: rateDial("learning rate", TAKES.rate, give("rate")),
    beta_2: memory("Adam's β₂", give("beta_2")),
    batch: whole("batch", "batch b"),
    updates: whole("updates", "updates", [100, 6000], 100),
    decay: option("decay", "decay of the rate", { none: "none", linear: "linear", cosine: "cosine" }),
  };
  const kind = () => (typeof get().average === "number" ? "running" : (get().average ?? "none"));
  const average = pick("average of the weights", { none: "none", tail: "last half", running: "running" }, (x) =>
    change({ average: { none: null, tail: "tail", running: KEEPS }[x] }),
  );
  const keep = memory("the average keeps", give("average"));
  const fresh = pick("training data", { own: "a set, in epochs", fresh: "always new" }, (x) =>
    change({ sequences: x === "own" ? SET : null }),
  );
  const seed = seedField(TAKES.seed, give("seed"));
  const count = h("span", { class: "trn-soft" });
  const set = h("p", { class: "trn-soft" });
  const els = (parts) => Object.values(parts).map(({ el }) => el);
  const model = group("Model", { open, note: count }, grid(shape.el, ...els(sizes)));
  const training = group("Training", { open }, grid(...els(steps), average.el, keep.el, fresh.el, seed.el), set);
  function draw(frame) {
    const now = get();
    for (const [name, part] of Object.entries({ ...sizes, ...steps, seed })) part.set(now[name]);
    shape.draw();
    average.set(kind());
    keep.el.hidden = kind() !== "running";
    if (kind() === "running") keep.set(now.average);
    fresh.set(now.sequences === null ? "fresh" : "own");
    const owns = `The run owns ${now.sequences?.toLocaleString("en")} sequences and goes through them in a new order each time.`;
    setText(set, now.sequences === null ? "Every sequence is seen once." : owns);
    setText(count, frame ? `${frame.parameters.toLocaleString("en")} learnables` : "");
  }
  return { els: [model, training], draw };
}
