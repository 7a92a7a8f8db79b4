// What the reader may set. A control that would change nothing in the chosen setting is hidden: batch and seed of
// gradient descent on all samples, turn and tilt of the map.

import { looking, row } from "../surface/looking.js";
import { digits } from "../drawing/scale.js";
import { desk } from "../drawing/desk.js";
import { typed } from "../drawing/typed.js";
import { readNumber } from "../exercise/typed_number.js";
import { button, h, number, setText, slider } from "../drawing/ui.js";
import { TAKES } from "./address.js";
import { SAMPLES } from "./run.js";
import { SURFACES } from "./surfaces.js";
import { NAMES, noisy } from "./words.js";

// Customary rates, near which each rule does something sensible here; chosen anew when the reader changes the rule.
const RATES = { gd: 0.1, sgd: 0.1, momentum: 0.02, adagrad: 0.3, rmsprop: 0.02, adadelta: 5, adam: 0.1 };
const BATCHES = TAKES.batch;
const short = (x) => Number(x.toPrecision(3));
const field = (name, input) => h("label", { class: "dsc-field" }, h("span", {}, name), input);
const labels = Object.fromEntries(TAKES.surface.map((name) => [name, name]));

/** change(part), get(): the settings; acts: {play, step, back, reset}. */
export function controls({ change, get, acts }) {
  // a surface comes with its own start
  const choose = (part) => change(part.surface ? { ...part, start: SURFACES[part.surface].start } : part);
  const board = desk({ get, change: choose, takes: TAKES });
  const surface = board.pick("surface", "Loss surface", labels);
  const { view, turning } = looking(board);
  const rule = h(
    "select",
    {
      onchange() {
        const now = rule.value;
        const rate = RATES[now] === RATES[get().optimiser] ? {} : { rate: RATES[now] };
        change({ optimiser: now, ...rate });
      },
    },
    ...Object.entries(NAMES).map(([value, name]) => h("option", { value }, name)),
  );
  const rate = board.dial("rate", "learning rate", 0.05, {
    scale: "log",
    format: digits,
    oninput: (value) => change({ rate: short(value) }),
  });
  const written = typed("input", { type: "text", inputmode: "decimal", "aria-label": "learning rate, typed" });
  written.field.addEventListener("change", () => {
    const { value, problem } = readNumber(written.field.value);
    const [low, high] = TAKES.rate;
    const fits = value >= low && value <= high;
    const wanted = `The rate is a number from ${low} to ${high}.`;
    written.fault(fits ? "" : problem ? `${problem} ${wanted}` : wanted);
    if (fits) change({ rate: short(value) });
  });
  const writing = h(
    "div",
    { class: "dsc-rate" },
    h("label", { class: "dsc-field" }, h("span", {}, "or type it"), written.field),
    written.problem,
  );
  const decay = board.dial("decay", "decay of the rate", 0.005, {
    format: (value) => (value ? `÷ (1 + ${digits(value)} t)` : "none"),
  });
  const batch = slider({
    label: "samples a step",
    min: 0,
    max: BATCHES.length - 1,
    step: 1,
    value: 0,
    oninput: (i) => change({ batch: BATCHES[i] }),
    format: (i) => (BATCHES[i] === SAMPLES ? "all 64: no noise" : `${BATCHES[i]} of ${SAMPLES}`),
  });
  const seeded = board.seed("seed of the noise", "dsc-field");
  const place = (i, name) => board.entry("start", i, `start, ${name}`, 0.1, { format: (value) => number(value, 1) });
  const play = button("Play", acts.play, "course-main dsc-play");
  const step = button("One step", acts.step);
  const steps = board.dial("step", "steps taken", 1, { format: (value) => number(value, 0) });

  const top = h("div", { class: "dsc-top" }, surface, view);
  const back = button("Back to the start", acts.back);
  const panel = (...rows) => h("div", { class: "srf-controls" }, ...rows);
  const transport = panel(row(play, step, back, button("Reset", acts.reset)), row(steps));
  const starts = row(place(0, "x"), place(1, "y"));
  const dials = panel(row(field("optimiser", rule), seeded), row(rate, writing), row(decay, batch.el), starts, turning);

  let shown = null; // the rate that the field was given last
  function draw(state, { playing, ended }) {
    board.draw(state);
    rule.value = state.optimiser;
    if (
      state.rate !== shown &&
      (document.activeElement !== written.field || readNumber(written.field.value).value !== state.rate)
    ) {
      written.field.value = String(state.rate);
      written.fault("");
    }
    shown = state.rate;
    batch.set(BATCHES.indexOf(state.batch));
    batch.el.hidden = state.optimiser === "gd";
    seeded.hidden = !noisy(state);
    setText(play, playing ? "Pause" : "Play");
    play.disabled = step.disabled = ended;
  }
  return { top, transport, dials, draw };
}
