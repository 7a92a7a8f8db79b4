// What the reader may set. A control that would change nothing is hidden: centring of entries that have the mean 0.

import { button, desk, named } from "../drawing/desk.js";
import { h } from "../drawing/ui.js";
import { TAKES } from "./address.js";
import { MOMENTS } from "./ensemble.js";

const ENTRIES = { gaussian: "N(0, 1)", uniform: "U(0, 1)", centred: "U(−1, 1)" };
const FORMS = { symmetric: "symmetric", general: "not symmetric", product: "W Wᵀ" };
const DIVISORS = { none: "not scaled", root: "÷ √n", full: "÷ n" };
const VALUES = Object.fromEntries(TAKES.values.map((name) => [name, name]));

/** get(): the settings; change(part); reset(). */
export function controls({ get, change, reset }) {
  const board = desk({ get, change, takes: TAKES });
  const size = board.dial("n", ["size ", h("i", {}, "n")], 10, { format: String });
  const centre = board.flag("centre", "subtract the mean of the entries");
  const el = h(
    "div",
    { class: "spc-controls" },
    named("entries, normal or uniform", board.pick("entries", "Entries", ENTRIES)),
    named("matrix", board.pick("form", "Matrix", FORMS)),
    named("scaling", board.pick("divisor", "Scaling", DIVISORS)),
    named("values", board.pick("values", "Values", VALUES)),
    h("div", { class: "spc-row" }, size, board.seed(), board.another("another matrix"), button("reset", reset)),
    centre,
  );
  function draw(state) {
    board.draw(state);
    centre.hidden = MOMENTS[state.entries][0] === 0;
  }
  return { el, draw };
}
