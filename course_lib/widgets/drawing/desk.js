// What a reader sets a widget with: dials, choices and switches under the names of their settings; and how they are
// laid out.

import { typed } from "./typed.js";
import { choice, h, number, setText, slider, toggle } from "./ui.js";

export const button = (text, onclick, more = "") =>
  h("button", { type: "button", class: `course-button${more}`, onclick }, text);
export const abreast = (...parts) => h("div", { class: "course-abreast" }, ...parts);
export const group = (title, ...parts) => h("section", { class: "course-group" }, h("h4", {}, title), ...parts);
/** A small title over a part that has its name for screen readers in itself. */
export const named = (text, part) =>
  h("div", { class: "course-named" }, h("span", { "aria-hidden": "true" }, text), part);

/**
 * get(): the settings; change(part); takes: name → range. Each control gives its element; draw(state) shows the
 * settings.
 */
export function desk({ get, change, takes }) {
  const parts = {};
  const kept = (name, part, read = (state) => state[name]) => {
    parts[name] = { ...part, read };
    return part.el;
  };
  const ranged = ([min, max], label, step, oninput, more) =>
    slider({ label, min, max, step, value: min, format: number, oninput, ...more });

  const dial = (name, label, step, more = {}) =>
    kept(
      name,
      ranged(takes[name], label, step, (value) => change({ [name]: value }), more),
    );
  /** A dial of the k-th number of a setting. */
  const entry = (name, k, label, step, more = {}) => {
    const give = (value) => change({ [name]: get()[name].map((old, i) => (i === k ? value : old)) });
    return kept(`${name} ${k}`, ranged(takes[name], label, step, give, more), (state) => state[name][k]);
  };
  /** labels: option → what stands on it. */
  const pick = (name, legend, labels) => {
    const options = Object.entries(labels).map(([value, label]) => ({ value, label }));
    return kept(name, choice({ legend, value: "", options, oninput: (value) => change({ [name]: value }) }));
  };
  const flag = (name, label) => kept(name, toggle({ label, value: false, oninput: (on) => change({ [name]: on }) }));
  const another = (text) => button(text, () => change({ seed: (get().seed + 1) % (takes.seed[1] + 1) }));
  /** A field for the seed, with a name over it: what is none is put back, with a word. */
  function seed(name = "seed", kind = "course-seed") {
    const [min, max] = takes.seed;
    const { field: input, problem } = typed("input", {
      class: "",
      type: "number",
      min,
      max,
      step: 1,
      onchange() {
        const value = Number(input.value);
        const fits = input.value !== "" && Number.isInteger(value) && value >= min && value <= max;
        if (fits) problem.remove();
        else box.append(problem);
        setText(problem, fits ? "" : `A seed is a whole number from ${min} to ${max}: it stays ${get().seed}.`);
        if (fits) change({ seed: value });
        else input.value = get().seed;
      },
    });
    const set = (value) => {
      if (document.activeElement !== input) input.value = value;
    };
    const box = h("div", {}, h("label", { class: kind }, h("span", {}, name), input));
    return kept("seed", { el: box, set });
  }
  /** Play, the layers passed, Reset. acts: {play, reset}. */
  function transport(acts) {
    const play = button("Play", acts.play, " course-main course-play");
    kept("playing", { set: (on) => setText(play, on ? "Pause" : "Play") });
    const layers = dial("layers", "layers passed", 1, { format: String });
    return h("div", { class: "course-transport" }, play, layers, button("Reset", acts.reset));
  }
  function draw(state) {
    for (const part of Object.values(parts)) part.set(part.read(state));
  }
  return { parts, kept, dial, entry, pick, flag, another, seed, transport, draw };
}
