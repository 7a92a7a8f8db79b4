// The dials, each shown only where it changes something.

import { button, desk } from "../drawing/desk.js";
import { h, number } from "../drawing/ui.js";
import { digits } from "../drawing/scale.js";
import { TAKES } from "./address.js";

/** The names of the dials that act on what is drawn, for these settings. */
export function acting({ cell, activation, weights, view }) {
  const plain = cell === "rnn";
  const straight = plain && activation === "identity";
  const states = view === "states";
  // A straight line has the derivative 1 wherever it is, and ReLU's derivative does not change when all it reads grows
  // by one factor.
  const inputs = !(states && plain && ["identity", "relu"].includes(activation));
  // A product of orthogonal matrices is orthogonal: its norm is the scale's power for every draw and every width.
  const chance = !(states && straight && weights === "orthogonal");
  const shown = { activation: plain, bias: !plain, inputs, r: chance, seed: chance, threshold: !states };
  return ["cell", "view", "weights", "scale", "length", ...Object.keys(shown).filter((name) => shown[name])];
}

const GATE = { gru: "update-gate bias", lstm: "forget-gate bias" };

export function controls({ get, change, reset }) {
  const board = desk({ get, change, takes: TAKES });
  const { dial, pick } = board;
  const gate = h("span");
  const view = pick("view", "What is shown", {
    states: "gradient by the states",
    clipping: "gradient by the weights, clipped",
  });
  const el = h(
    "div",
    { class: "gfl-controls" },
    h(
      "div",
      { class: "gfl-choices" },
      pick("cell", "Cell", { rnn: "RNN", gru: "GRU", lstm: "LSTM" }),
      pick("activation", "Activation", { tanh: "tanh", relu: "ReLU", sigmoid: "sigmoid", identity: "identity" }),
      pick("weights", "Random weights", { orthogonal: "orthogonal", gaussian: "Gaussian" }),
    ),
    h(
      "div",
      { class: "gfl-dials" },
      dial("scale", ["scale of ", h("i", {}, "W", h("sub", {}, "s"))], 0.05),
      dial("bias", gate, 0.25),
      dial("inputs", "input strength", 0.1, { format: (x) => number(x, 1) }),
      dial("threshold", "clip at length", 0.1, {
        format: (x) => digits(x, 2),
        scale: "log",
        oninput: (x) => change({ threshold: Number(x.toPrecision(3)) }),
      }),
      dial("length", ["length ", h("i", {}, "T")], 1, { format: String }),
      dial("r", ["width ", h("i", {}, "r")], 1, { format: String }),
      dial("seed", "draw", 1, { format: String }),
    ),
    h("div", { class: "gfl-tools" }, button("reset", reset)),
  );

  function draw(state) {
    const shown = acting(state);
    board.draw(state);
    for (const [name, part] of Object.entries(board.parts)) part.el.hidden = !shown.includes(name);
    gate.textContent = GATE[state.cell] ?? "";
  }
  return { el, view, draw };
}
