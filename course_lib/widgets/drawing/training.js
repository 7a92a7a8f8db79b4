// What a training is set with and told in: the parts that two widgets have in the same words.

import { h, slider } from "./ui.js";

const FASTEST = 1000; // the slider's end means: as fast as this machine can
export const short = (x) => String(Number(x.toPrecision(2)));

/** Steps a second, null for as many as possible. what: "steps", or another name for them. */
export function speedDial(what, oninput) {
  const fastest = (x) => x > 0.95 * FASTEST;
  const { el, set } = slider({
    label: "speed",
    min: 1,
    max: FASTEST,
    step: 0.25,
    scale: "log",
    value: FASTEST,
    format: (x) => (fastest(x) ? "as fast as it can" : `${short(x)} ${what} a second`),
    oninput: (x) => oninput(fastest(x) ? null : Number(x.toPrecision(2))),
  });
  return { el, set: (speed) => set(speed ?? FASTEST) };
}

/** A number on a logarithmic dial, to three digits. */
export const rateDial = (label, [min, max], oninput) =>
  slider({
    label,
    min,
    max,
    step: 0.1,
    scale: "log",
    value: min,
    format: short,
    oninput: (x) => oninput(Number(x.toPrecision(3))),
  });

/** A part with its name over it, for screen readers in the part itself. */
export const picked = (name, part) => h("div", { class: "trn-pick" }, h("span", { "aria-hidden": "true" }, name), part);

/** Settings under a title that folds them; note: a few words beside it. */
export const group = (title, { open, note = "" }, ...children) =>
  h("details", { class: "trn-group", open }, h("summary", {}, title, " ", note), ...children);
export const grid = (...parts) => h("div", { class: "trn-grid" }, ...parts);
