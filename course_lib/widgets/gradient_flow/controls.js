// The dials, each shown only where it changes something.

import { choice, h, number, slider } from "../drawing/ui.js";
import { digits } from "../surface/scale.js";

/** The names of the dials that act on what is drawn, for these settings. */
export function acting({ cell, activation, weights, view }) {
  const plain = cell === "rnn";
  const straight = plain && activation === "identity";
  const states = view === "states";
  // A straight line has the derivative 1 wherever it is, and ReLU's derivative does not change when all it reads grows by one factor.
  const inputs = !(states && plain && ["identity", "relu"].includes(activation));
  // A product of orthogonal matrices is orthogonal: its norm is the scale's power for every draw and every width.
  const chance = !(states && straight && weights === "orthogonal");
  return [
    "cell",
    "view",
    "weights",
    "scale",
    "length",
    ...(plain ? ["activation"] : ["bias"]),
    ...(inputs ? ["inputs"] : []),
    ...(chance ? ["r", "seed"] : []),
    ...(states ? [] : ["threshold"]),
  ];
}

const GATE = { gru: "update-gate bias", lstm: "forget-gate bias" };

export function controls({ change, reset }) {
  const pick = (name, legend, options) =>
    choice({
      legend,
      value: options[0][0],
      oninput: (value) => change({ [name]: value }),
      options: options.map(([value, label]) => ({ value, label })),
    });
  const dial = (name, label, min, max, step, format, more = {}) =>
    slider({ label, min, max, step, value: min, format, oninput: (value) => change({ [name]: value }), ...more });
  const gate = h("span");
  const parts = {
    view: pick("view", "What is shown", [
      ["states", "gradient by the states"],
      ["clipping", "gradient by the weights, clipped"],
    ]),
    cell: pick("cell", "Cell", [
      ["rnn", "RNN"],
      ["gru", "GRU"],
      ["lstm", "LSTM"],
    ]),
    activation: pick("activation", "Activation", [
      ["tanh", "tanh"],
      ["relu", "ReLU"],
      ["sigmoid", "sigmoid"],
      ["identity", "identity"],
    ]),
    weights: pick("weights", "Random weights", [
      ["orthogonal", "orthogonal"],
      ["gaussian", "Gaussian"],
    ]),
    scale: dial("scale", ["scale of ", h("i", {}, "W", h("sub", {}, "s"))], 0.1, 2, 0.05, (x) => number(x)),
    bias: dial("bias", gate, -2, 4, 0.25, (x) => number(x)),
    inputs: dial("inputs", "input strength", 0.1, 3, 0.1, (x) => number(x, 1)),
    threshold: dial("threshold", "clip at length", 0.001, 1000, 0.1, (x) => digits(x, 2), {
      scale: "log",
      oninput: (x) => change({ threshold: Number(x.toPrecision(3)) }),
    }),
    r: dial("r", ["width ", h("i", {}, "r")], 2, 32, 1, String),
    length: dial("length", ["length ", h("i", {}, "T")], 3, 60, 1, String),
    seed: dial("seed", "draw", 0, 99, 1, String),
  };
  const el = h(
    "div",
    { class: "gfl-controls" },
    h("div", { class: "gfl-choices" }, parts.cell.el, parts.activation.el, parts.weights.el),
    h(
      "div",
      { class: "gfl-dials" },
      ...["scale", "bias", "inputs", "threshold", "length", "r", "seed"].map((name) => parts[name].el),
    ),
    h("div", { class: "gfl-tools" }, h("button", { type: "button", class: "course-button", onclick: reset }, "reset")),
  );

  function draw(state) {
    const shown = acting(state);
    for (const [name, part] of Object.entries(parts)) {
      part.set(state[name]);
      part.el.hidden = !shown.includes(name);
    }
    gate.textContent = GATE[state.cell] ?? "";
  }
  return { el, view: parts.view.el, draw };
}
