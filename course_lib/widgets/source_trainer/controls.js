// The settings: the source, the model, the training. change({name: value}) tells what the reader turned.

import { choice, h, number, setText, slider, toggle } from "../drawing/ui.js";
import { leastSticky } from "./source.js";
import { move, whole } from "./shares.js";

const halves = (...parts) => parts.map((part) => part / 32);
const PUBLISHED = { 2: [0.75, 0.25], 4: [0.5, 0.25, 0.125, 0.125], 8: halves(8, 8, 4, 4, 4, 2, 1, 1) };
const uniform = (v) => whole(Array(v).fill(1 / v));
const certain = (v) => whole([0.97, ...Array(v - 1).fill(0.03 / (v - 1))]);
const SOURCES = [
  ["published, 2 tokens", () => PUBLISHED[2]],
  ["published, 4 tokens", () => PUBLISHED[4]],
  ["published, 8 tokens", () => PUBLISHED[8]],
  ["all alike", uniform],
  ["nearly certain", certain],
];
const SHAPES = [
  ["worked example", 8, 4, 4, 16],
  ["smallest published", 16, 8, 4, 16],
  ["published, n = 32", 32, 16, 8, 32],
  ["published, n = 64", 64, 32, 16, 64],
  ["published, n = 128", 128, 32, 16, 64],
  ["largest published (slow)", 128, 128, 128, 512],
];
const SET = 8000;
export const percent = (share) => `${number(100 * share, share < 0.1 ? 2 : 1)} %`;
const short = (x) => String(Number(x.toPrecision(2)));
const same = (a, b) => a.every((x, i) => Math.abs(x - b[i]) < 5e-6) && a.length === b.length;

/** A menu of presets: shows the one that fits, else "own". */
function menu(label, presets, { fits, choose }) {
  const select = h(
    "select",
    {
      "aria-label": label,
      onchange: () => {
        if (select.value !== "own") choose(Number(select.value));
      },
    },
    ...presets.map(([name], i) => h("option", { value: i }, name)),
    h("option", { value: "own" }, "own"),
  );
  return {
    el: h("label", { class: "stn-pick" }, h("span", {}, label), select),
    draw() {
      const at = presets.findIndex((_, i) => fits(i));
      select.value = at < 0 ? "own" : String(at);
    },
  };
}

function pick(label, options, { value, oninput }) {
  const part = choice({ legend: label, options: options.map(([value, text]) => ({ value, label: text })), value, oninput });
  return { el: h("div", { class: "stn-pick" }, h("span", { "aria-hidden": "true" }, label), part.el), set: part.set };
}

/** The source's own controls: how many tokens, their shares, and the chain. */
export function sourceControls({ get, change }) {
  const give = (p) =>
    change({ p, ...(get("stickiness") === null ? {} : { stickiness: Math.max(get("stickiness"), leastSticky(p)) }) });
  const preset = menu("source", SOURCES, {
    fits: (i) => same(SOURCES[i][1](get("p").length), get("p")),
    choose: (i) => give(SOURCES[i][1](get("p").length)),
  });
  const count = slider({
    label: "tokens v",
    min: 2,
    max: 8,
    step: 1,
    value: get("p").length,
    format: String,
    oninput: (v) => {
      if (v !== get("p").length) give(PUBLISHED[v] ?? uniform(v));
    },
  });
  const shares = h("div", {
    class: "stn-grid stn-shares",
    role: "group",
    "aria-label": "The source's probabilities, with the sum 1",
  });
  const chain = toggle({
    label: "Markov chain",
    value: false,
    oninput: (on) => change({ stickiness: on ? Math.max(0.5, leastSticky(get("p"))) : null }),
  });
  const sticky = slider({
    label: "stickiness",
    min: -1,
    max: 0.99,
    step: 0.01,
    value: 0,
    oninput: (s) => change({ stickiness: Math.max(s, leastSticky(get("p"))) }),
  });
  const about = h("p", { class: "stn-soft" });
  let sliders = [];
  function draw() {
    const p = get("p");
    const s = get("stickiness");
    if (sliders.length !== p.length) {
      sliders = p.map((share, i) =>
        slider({
          label: `p of token ${i}`,
          min: 0,
          max: 1,
          step: 0.005,
          value: share,
          format: percent,
          oninput: (x) => {
            if (i < get("p").length) give(move(get("p"), i, x)); // else the token is gone, and its slider goes with the next frame
          },
        }),
      );
      shares.replaceChildren(...sliders.map((each) => each.el));
    }
    sliders.forEach((each, i) => each.set(p[i]));
    count.set(p.length);
    preset.draw();
    chain.set(s !== null);
    sticky.el.hidden = s === null;
    if (s !== null) sticky.set(s);
    setText(
      about,
      s === null
        ? "Tokens are drawn one by one, without regard to each other: nothing in a sequence helps to predict the next."
        : s < 0
          ? `The last token comes again less often than p says; at ${number(leastSticky(p))} some pair never occurs. Each token's share is still p; only its order has a memory.`
          : "The stickiness is the probability that the last token comes again; otherwise one is drawn from p. Each token's share is still p; only its order has a memory.",
    );
  }
  const el = h(
    "details",
    { class: "stn-group", open: true },
    h("summary", {}, "Source"),
    h("div", { class: "stn-grid" }, preset.el, count.el, h("div", {}, chain.el), sticky.el),
    shares,
    about,
  );
  return { el, draw };
}

/** Model and training. */
export function otherControls({ get, change, open }) {
  const parts = new Map();
  const put = (name, part) => {
    parts.set(name, part);
    return part.el;
  };
  const size = (name, label, low, high) =>
    put(
      name,
      slider({ label, min: low, max: high, step: 1, value: get(name), format: String, oninput: (x) => change({ [name]: x }) }),
    );
  const shape = menu("shape", SHAPES, {
    fits: (i) => ["n", "d", "m", "r"].every((name, k) => get(name) === SHAPES[i][k + 1]),
    choose: (i) => {
      const [, n, d, m, r] = SHAPES[i];
      change({ n, d, m, r });
    },
  });
  const count = h("span", { class: "stn-soft" });
  const option = (name, label, options) =>
    put(name, pick(label, options, { value: get(name), oninput: (x) => change({ [name]: x }) }));
  const model = h(
    "details",
    { class: "stn-group", open },
    h("summary", {}, "Model ", count),
    h(
      "div",
      { class: "stn-grid" },
      shape.el,
      size("n", "tokens n", 1, 128),
      size("d", "width d", 2, 128),
      size("m", "attention m", 1, 128),
      size("r", "feed-forward r", 1, 512),
      option("scale", "scores divided by", [
        ["m", "√m"],
        ["d", "√d"],
      ]),
    ),
  );

  const log = (name, label, low, high, format) =>
    put(
      name,
      slider({
        label,
        min: low,
        max: high,
        step: 0.1,
        scale: "log",
        value: get(name),
        format,
        oninput: (x) => change({ [name]: Number(x.toPrecision(3)) }),
      }),
    );
  const tens = (name, label, step) =>
    put(
      name,
      slider({
        label,
        min: step,
        max: { updates: 6000, batch: 64 }[name],
        step,
        value: get(name),
        format: String,
        oninput: (x) => change({ [name]: Math.round(x) }),
      }),
    );
  const memory = (label, value, oninput) => {
    // 1 - share on a log scale: 0.9, 0.99, 0.999 are equally far apart
    const part = slider({
      label,
      min: 2,
      max: 1e4,
      step: 0.1,
      scale: "log",
      value: 1 / (1 - value),
      format: (x) => String(Number((1 - 1 / x).toFixed(4))),
      oninput: (x) => oninput(Number((1 - 1 / x).toFixed(4))),
    });
    return { el: part.el, set: (share) => part.set(1 / (1 - share)) };
  };
  const keep = memory("the average keeps", 0.99, (share) => change({ average: share }));
  const kinds = [
    ["none", "none"],
    ["tail", "last half"],
    ["running", "running"],
  ];
  const kind = () => (typeof get("average") === "number" ? "running" : (get("average") ?? "none"));
  const average = pick("average of the weights", kinds, {
    value: kind(),
    oninput: (x) => change({ average: { none: null, tail: "tail", running: 0.99 }[x] }),
  });
  const fresh = pick(
    "training data",
    [
      ["own", "a set, in epochs"],
      ["fresh", "always new"],
    ],
    { value: "own", oninput: (x) => change({ sequences: x === "own" ? SET : null }) },
  );
  const input = h("input", { type: "number", min: 0, max: 9999, step: 1, inputmode: "numeric" });
  input.addEventListener("change", () => {
    const seed = Number(input.value);
    if (Number.isInteger(seed) && seed >= 0 && seed <= 9999 && input.value !== "") change({ seed });
    else input.value = get("seed");
  });
  const seed = h("label", { class: "stn-seed" }, h("span", {}, "seed"), input);
  const set = h("p", { class: "stn-soft" });
  const training = h(
    "details",
    { class: "stn-group", open },
    h("summary", {}, "Training"),
    h(
      "div",
      { class: "stn-grid" },
      log("rate", "learning rate", 1e-5, 1, short),
      put(
        "beta_2",
        memory("Adam's β₂", get("beta_2"), (beta_2) => change({ beta_2 })),
      ),
      tens("batch", "batch b", 1),
      tens("updates", "updates", 100),
      option("decay", "decay of the rate", [
        ["none", "none"],
        ["linear", "linear"],
        ["cosine", "cosine"],
      ]),
      average.el,
      keep.el,
      fresh.el,
      seed,
    ),
    set,
  );
  function draw(frame) {
    for (const [name, part] of parts) part.set(get(name));
    shape.draw();
    average.set(kind());
    keep.el.hidden = kind() !== "running";
    if (kind() === "running") keep.set(get("average"));
    fresh.set(get("sequences") === null ? "fresh" : "own");
    setText(
      set,
      get("sequences") === null
        ? "Every sequence is seen once."
        : `The run owns ${get("sequences").toLocaleString("en")} sequences and goes through them in a new order each time.`,
    );
    if (Number(input.value) !== get("seed") || input.value === "") input.value = get("seed");
    setText(count, frame ? `${frame.parameters.toLocaleString("en")} learnables` : "");
  }
  return { els: [model, training], draw };
}
