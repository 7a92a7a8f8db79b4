// What the reader sets: the cell, what it was built for, the letters, and the gates by hand.

import { abreast, button, desk, named } from "../drawing/desk.js";
import { typed } from "../drawing/typed.js";
import { h } from "../drawing/ui.js";
import { readable, TAKES } from "./address.js";
import { GATES } from "./run.js";

const LABELS = {
  forget: "forget gate f",
  input: "input gate i",
  output: "output gate o",
  reset: "reset gate κ",
  update: "update gate z",
};
const [, MOST] = TAKES.text;

export function controls({ get, change, reset }) {
  const board = desk({ get, change, takes: TAKES });
  const feed = (letter) => change({ text: (get().text + letter).slice(0, MOST), moment: null });
  const { field, problem, fault } = typed("input", {
    type: "text",
    maxlength: MOST,
    "aria-label": "Letters to be read",
    oninput() {
      const text = readable(field.value);
      fault(text === field.value ? "" : "The cell reads a, b and - only.");
      change({ text, moment: null });
    },
    onchange() {
      field.value = get().text;
      fault("");
    },
  });
  const feeds = ["a", "b", "-"].map((letter) =>
    button(`feed ${letter}`, () => feed(letter), letter === "a" ? " course-main" : ""),
  );
  const back = button("take one back", () => change({ text: get().text.slice(0, -1), moment: null }));
  const choices = abreast(
    named("Cell", board.pick("kind", "Cell", { rnn: "RNN", gru: "GRU", lstm: "LSTM" })),
    named("Built to", board.pick("task", "What its weights were set for", { count: "count", keep: "keep" })),
  );
  const hand = board.flag("by_hand", "set the gates by hand");
  const weight = board.dial("weight", ["weight ", h("i", {}, "W", h("sub", {}, "s"))], 0.05);
  const gates = Object.entries(LABELS).map(([name, label]) => [name, board.dial(name, label, 0.05)]);
  const top = h(
    "div",
    { class: "fed-top" },
    choices,
    h("div", { class: "course-buttons" }, ...feeds, back),
    named("Letters", field),
    problem,
  );
  const dials = abreast(weight, ...gates.map(([, el]) => el));
  const el = h(
    "div",
    { class: "course-dials" },
    hand,
    dials,
    h("div", { class: "course-buttons" }, button("reset", reset)),
  );

  function draw(state) {
    const { kind, text, by_hand } = state;
    board.draw(state);
    if (document.activeElement !== field) field.value = text;
    for (const each of feeds) each.disabled = text.length >= MOST;
    back.disabled = !text;
    hand.hidden = kind === "rnn";
    weight.hidden = kind !== "rnn";
    for (const [name, each] of gates) each.hidden = !(by_hand && name in GATES[kind]);
  }
  /** The settings that mean something now. */
  const acting = ({ kind, by_hand }) => [
    ...["kind", "task", "text", "moment"],
    ...(kind === "rnn" ? ["weight"] : ["by_hand", ...(by_hand ? Object.keys(GATES[kind]) : [])]),
  ];
  return { top, el, draw, acting };
}
