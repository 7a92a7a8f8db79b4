// What the reader may set. A control that would change nothing in the chosen setting is hidden: batch and seed of gradient
// descent on all samples, turn and tilt of the map.

import { digits } from "../surface/scale.js";
import { choice, h, number, setText, slider } from "../drawing/ui.js";
import { SAMPLES, STEPS } from "./run.js";
import { REACH, SURFACES } from "./surfaces.js";
import { NAMES, noisy } from "./words.js";

// Customary rates, near which each rule does something sensible here; chosen anew when the reader changes the rule.
const RATES = { gd: 0.1, sgd: 0.1, momentum: 0.02, adagrad: 0.3, rmsprop: 0.02, adadelta: 5, adam: 0.1 };
const BATCHES = [1, 2, 4, 8, 16, 32, SAMPLES];
const short = (x) => Number(x.toPrecision(3));

/** change(part), get(name): the settings; acts: {play, step, back, reset}. */
export function controls({ change, get, acts }) {
  const button = (text, onclick, more = "") => h("button", { type: "button", class: `course-button${more}`, onclick }, text);
  const row = (...parts) => h("div", { class: "srf-row" }, ...parts);
  const angle = (label, name, min, max) =>
    slider({
      label,
      min,
      max,
      step: 5,
      value: min,
      format: (value) => `${number(value, 0)}°`,
      oninput: (value) => change({ [name]: value }),
    });

  const surface = choice({
    legend: "Loss surface",
    value: "bowl",
    options: Object.keys(SURFACES).map((name) => ({ value: name, label: name })),
    oninput: (name) => change({ surface: name, start: SURFACES[name].start }),
  });
  const rule = h(
    "select",
    {
      onchange() {
        const before = get("optimiser");
        const now = rule.value;
        change({ optimiser: now, ...(RATES[now] === RATES[before] ? {} : { rate: RATES[now] }) });
      },
    },
    ...Object.entries(NAMES).map(([value, name]) => h("option", { value }, name)),
  );
  const rate = slider({
    label: "learning rate",
    min: 0.001,
    max: 10,
    step: 0.05,
    scale: "log",
    value: 0.1,
    format: digits,
    oninput: (value) => change({ rate: short(value) }),
  });
  const decay = slider({
    label: "decay of the rate",
    min: 0,
    max: 0.2,
    step: 0.005,
    value: 0,
    format: (value) => (value ? `÷ (1 + ${digits(value)} t)` : "none"),
    oninput: (value) => change({ decay: value }),
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
  const seed = h("input", {
    type: "number",
    min: 0,
    max: 9999,
    step: 1,
    onchange() {
      const value = Math.round(Number(seed.value));
      if (seed.value !== "" && value >= 0 && value <= 9999) change({ seed: value });
      else seed.value = get("seed");
    },
  });
  const seeded = h("label", { class: "dsc-field" }, h("span", {}, "seed of the noise"), seed);
  const place = (i, name) =>
    slider({
      label: `start, ${name}`,
      min: -REACH,
      max: REACH,
      step: 0.1,
      value: 0,
      format: (value) => number(value, 1),
      oninput: (value) => change({ start: get("start").map((old, k) => (k === i ? short(value) : old)) }),
    });
  const x = place(0, "x");
  const y = place(1, "y");
  const play = button("Play", acts.play, " dsc-play");
  const step = button("One step", acts.step);
  const steps = slider({
    label: "steps taken",
    min: 0,
    max: STEPS,
    step: 1,
    value: 0,
    format: (value) => number(value, 0),
    oninput: (value) => change({ step: value }),
  });
  const view = choice({
    legend: "View",
    value: "surface",
    oninput: (value) => change({ view: value }),
    options: [
      { value: "surface", label: "surface" },
      { value: "map", label: "map" },
    ],
  });
  const turn = angle("turn", "azimuth", -180, 180);
  const tilt = angle("tilt", "elevation", 5, 90);
  const turning = row(turn.el, tilt.el);

  const top = h("div", { class: "dsc-top" }, surface.el, view.el);
  const transport = h(
    "div",
    { class: "srf-controls" },
    row(play, step, button("Back to the start", acts.back), button("Reset", acts.reset)),
    row(steps.el),
  );
  const dials = h(
    "div",
    { class: "srf-controls" },
    row(h("label", { class: "dsc-field" }, h("span", {}, "optimiser"), rule), seeded),
    row(rate.el, decay.el, batch.el),
    row(x.el, y.el),
    turning,
  );

  function draw(state, { playing, ended }) {
    surface.set(state.surface);
    rule.value = state.optimiser;
    rate.set(state.rate);
    decay.set(state.decay);
    batch.set(BATCHES.indexOf(state.batch));
    batch.el.hidden = state.optimiser === "gd";
    if (document.activeElement !== seed) seed.value = state.seed;
    seeded.hidden = !noisy(state);
    x.set(state.start[0]);
    y.set(state.start[1]);
    setText(play, playing ? "Pause" : "Play");
    play.disabled = step.disabled = ended;
    steps.set(state.step);
    view.set(state.view);
    turning.hidden = state.view !== "surface";
    turn.set(state.azimuth);
    tilt.set(state.elevation);
  }
  return { top, transport, dials, draw };
}
