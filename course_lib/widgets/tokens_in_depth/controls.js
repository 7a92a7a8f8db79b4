// What the reader may set. A control that would change nothing is hidden: heads of one look, the side from which a
// circle is seen.

import { abreast, desk, group, named } from "../drawing/desk.js";
import { h, number } from "../drawing/ui.js";
import { TAKES } from "./address.js";

const VALUES = { identity: "I", minus: "−I", one: "random", fresh: "fresh" };
const LOOKS = { plain: "Q = K = I", random: "random" };
const DIMENSIONS = Object.fromEntries(TAKES.d.map((d) => [d, String(d)]));

/** get(): the settings; change(part); acts: {play, reset}. */
export function controls({ get, change, acts }) {
  const board = desk({
    get,
    change: (part) => change("d" in part ? { ...part, d: Number(part.d) } : part),
    takes: TAKES,
  });
  const transport = board.transport(acts);
  const turn = board.dial("turn", "seen from", 5, { format: (value) => `${number(value, 0)}°` });
  const heads = board.dial("heads", "heads", 1, { format: String });
  const dials = h(
    "div",
    { class: "course-dials" },
    group(
      "The layer",
      board.dial("beta", ["scale ", h("i", {}, "β")], 0.5, { format: (value) => number(value, 1) }),
      board.dial("step", ["step ", h("i", {}, "ε")], 0.02),
      named("values V", board.pick("value", "Values V", VALUES)),
      named("scores", board.pick("look", "Scores", LOOKS)),
      heads,
    ),
    group(
      "The tokens",
      named("dimensions d", board.pick("d", "Dimensions d", DIMENSIONS)),
      turn,
      board.dial("n", ["tokens ", h("i", {}, "n")], 1, { format: String }),
      abreast(board.seed(), board.another("another draw")),
    ),
  );
  function draw(state, playing) {
    board.draw({ ...state, d: String(state.d), playing });
    heads.hidden = state.look === "plain";
    turn.hidden = state.d !== 3;
  }
  return { transport, dials, draw };
}
