// What the reader may set: the correction shown, the function, ε, the squashing function and the rule.

import { choice, h, number, setText, slider } from "../drawing/ui.js";
import { RANGES } from "./address.js";
import { TARGETS } from "./targets.js";

/** change(part); acts: {play, step(by), finish, reset}. */
export function controls({ change, acts }) {
  const button = (text, onclick, more = "") => h("button", { type: "button", class: `course-button${more}`, onclick }, text);
  const play = button("Play", acts.play, " app-play");
  const back = button("‹ Back", () => acts.step(-1));
  const forward = button("Correct ›", () => acts.step(1));
  const shown = h("output", { class: "app-shown", "aria-hidden": "true" });
  const select = h(
    "select",
    { onchange: () => change({ target: select.value, corrections: 0 }) },
    ...Object.entries(TARGETS).map(([value, { name }]) => h("option", { value }, name)),
  );
  const eps = slider({
    label: ["tolerance ", h("i", {}, "ε")],
    min: RANGES.eps[0],
    max: RANGES.eps[1],
    step: 0.01,
    value: 0.1,
    format: (x) => number(x, 3),
    scale: "log",
    oninput: (value) => change({ eps: Number(value.toFixed(3)) }),
  });
  const sigma = choice({
    legend: "Squashing function",
    value: "logistic",
    options: [
      { value: "logistic", label: "logistic" },
      { value: "arctan", label: "arctan" },
      { value: "clip", label: "clip" },
    ],
    oninput: (value) => change({ sigma: value, corrections: 0 }),
  });
  const rule = choice({
    legend: "Rule of the correction",
    value: "proof",
    options: [
      { value: "proof", label: "the proof’s: factor ¾" },
      { value: "balanced", label: "wider gap: factor ⅘" },
    ],
    oninput: (value) => change({ rule: value, corrections: 0 }),
  });
  const group = (title, el) => h("div", { class: "app-group" }, h("span", {}, title), el);
  const transport = h("div", { class: "app-transport" }, play, back, forward, shown, button("Reset", acts.reset));
  const dials = h(
    "div",
    { class: "app-dials" },
    h("label", { class: "app-menu" }, h("span", {}, "the function"), select),
    eps.el,
    group("squashing function σ", sigma.el),
    group("U⁺ and U⁻, and how much is corrected", rule.el),
  );

  function draw(state, at, { playing, most, busy }) {
    select.value = state.target;
    eps.set(state.eps);
    sigma.set(state.sigma);
    rule.set(state.rule);
    setText(shown, `correction ${at}${busy ? " …" : ""}`);
    back.disabled = at === 0;
    forward.disabled = at >= most;
    play.disabled = !playing && at >= most;
    setText(play, playing ? "Pause" : "Play");
  }
  return { transport, dials, draw };
}
