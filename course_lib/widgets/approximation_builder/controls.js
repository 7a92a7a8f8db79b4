// What the reader may set: the correction shown, the function, ε, the squashing function and the rule.

import { desk } from "../drawing/desk.js";
import { button, h, number, setText } from "../drawing/ui.js";
import { RANGES } from "./address.js";
import { TARGETS } from "./targets.js";

const RULES = { proof: "the proof’s: factor ¾", balanced: "wider gap: factor ⅘" };
const SIGMAS = Object.fromEntries(RANGES.sigma.map((name) => [name, name]));

/** get(): the settings; change(part); acts: {play, step(by), finish, reset}. */
export function controls({ get, change, acts }) {
  // what makes another network starts anew
  const begin = (part) => change({ ...part, corrections: 0 });
  const board = desk({ get, change: begin, takes: RANGES });
  const play = button("Play", acts.play, "course-main course-play");
  const back = button("‹ Back", () => acts.step(-1));
  const forward = button("Correct ›", () => acts.step(1));
  const shown = h("output", { class: "app-shown", "aria-hidden": "true" });
  const select = h(
    "select",
    { onchange: () => begin({ target: select.value }) },
    ...Object.entries(TARGETS).map(([value, { name }]) => h("option", { value }, name)),
  );
  const eps = board.dial("eps", ["tolerance ", h("i", {}, "ε")], 0.01, {
    format: (x) => number(x, 3),
    scale: "log",
    oninput: (value) => change({ eps: Number(value.toFixed(3)) }),
  });
  const group = (title, el) => h("div", { class: "app-group" }, h("span", {}, title), el);
  const transport = h("div", { class: "app-transport" }, play, back, forward, shown, button("Reset", acts.reset));
  const dials = h(
    "div",
    { class: "app-dials" },
    h("label", { class: "app-group" }, h("span", {}, "the function"), select),
    eps,
    group("squashing function σ", board.pick("sigma", "Squashing function", SIGMAS)),
    group("U⁺ and U⁻, and how much is corrected", board.pick("rule", "Rule of the correction", RULES)),
  );

  function draw(state, at, { playing, most, busy }) {
    board.draw(state);
    select.value = state.target;
    setText(shown, `correction ${at}${busy ? " …" : ""}`);
    back.disabled = at === 0;
    forward.disabled = at >= most;
    play.disabled = !playing && at >= most;
    setText(play, playing ? "Pause" : "Play");
  }
  return { transport, dials, draw };
}
