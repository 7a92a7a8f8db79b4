// Positions: the model holds the settings; encode.js turns them into numbers; the parts draw them once a frame.

import { pageAddress, short } from "../shell/address.js";
import { clocks } from "./clocks.js";
import { curve } from "./curve.js";
import { dots, encode, pairsOf } from "./encode.js";
import { map } from "./map.js";
import { words } from "./words.js";
import {
  announcer,
  atMostEvery,
  choice,
  clamp,
  h,
  number,
  oncePerFrame,
  setAttr,
  setText,
  slider,
  watchTheme,
} from "../drawing/ui.js";

const SETTINGS = ["kind", "n", "d", "base", "position", "pair"];
const begun = new WeakMap(); // model → the author's settings, for reset

const settings = (model) => Object.fromEntries(SETTINGS.map((name) => [name, model.get(name)]));

const whole = (low, high, step = 1) => ({
  write: String,
  read(text) {
    const value = Number(text);
    return text !== "" && Number.isInteger(value / step) && value >= low && value <= high ? value : null;
  },
});
const CODECS = {
  kind: { write: String, read: (text) => (["sinusoidal", "binary"].includes(text) ? text : null) },
  n: whole(2, 128),
  d: whole(2, 64, 2),
  position: whole(0, 127),
  pair: whole(0, 63),
  base: { write: (x) => short(x), read: (text) => (Number(text) >= 2 && Number(text) <= 1e6 ? Number(text) : null) },
};

/** A position or pair that is no longer there becomes the last one. */
const kept = (given) => ({
  ...given,
  position: Math.min(given.position, given.n - 1),
  pair: Math.min(given.pair, pairsOf(given) - 1),
});

function compute(state) {
  const P = encode(state);
  return { ...state, P, row: P[state.position], dots: dots(P, state.position) };
}

function dials(names, change) {
  const format = (x) => (x >= 100 ? number(x, 0) : number(x, 1));
  const parts = {
    kind: choice({
      legend: "Kind of positions",
      value: "sinusoidal",
      oninput: (kind) => change({ kind }),
      options: [
        { value: "sinusoidal", label: "sinusoids" },
        { value: "binary", label: "binary counting" },
      ],
    }),
    n: slider({
      label: ["tokens ", h("i", {}, "n")],
      min: 2,
      max: 128,
      step: 1,
      value: 32,
      format: String,
      oninput: (n) => change({ n }),
    }),
    d: slider({
      label: ["width ", h("i", {}, "d")],
      min: 2,
      max: 64,
      step: 2,
      value: 16,
      format: String,
      oninput: (d) => change({ d }),
    }),
    base: slider({
      label: "base",
      min: 2,
      max: 1e6,
      step: 0.1,
      scale: "log",
      value: 1e4,
      format,
      oninput: (base) => change({ base: Number(base.toPrecision(3)) }),
    }),
  };
  const el = h("div", { class: "pos-dials" }, ...names.map((name) => parts[name].el));
  const draw = (state) => {
    for (const name of names) parts[name].set(state[name]);
    parts.base.el.hidden = state.kind === "binary"; // counting has its base already: two
  };
  return { el, draw };
}

function render({ model, el }) {
  const authored = begun.get(model) ?? settings(model);
  const names = model.get("controls");
  begun.set(model, authored);
  const root = h("div", { class: "course-ui pos", role: "group", "aria-label": "Positions" });
  el.replaceChildren(root);

  const address = pageAddress(model);
  const linked = address.read();
  const adjustable = [...names, "position", "pair"];
  for (const name of adjustable) {
    const value = linked[name] === undefined ? null : CODECS[name].read(linked[name]);
    if (value !== null) model.set(name, value);
  }

  const save = atMostEvery(120, () => model.save_changes());
  const change = (part) => {
    for (const [name, value] of Object.entries(part)) model.set(name, value);
  };
  const now = () => kept(settings(model)); // not what was drawn last: a second key may come before the next frame
  const step = (by) => change({ position: clamp(now().position + by, 0, now().n - 1) });
  const picture = map({ choose: change, now });
  const hands = clocks({ choose: change });
  const chart = curve();
  const panel = dials(names, change);
  const button = (text, onclick) => h("button", { type: "button", class: "course-button", onclick }, text);
  const back = button("one position back", () => step(-1));
  const on = button("one position on", () => step(1));
  const sentence = h("p", { class: "pos-words" });
  const voice = announcer();
  root.append(
    panel.el,
    h("div", { class: "pos-sides" }, picture.el, h("div", {}, h("div", { class: "pos-top" }, hands.large, sentence), chart.el)),
    hands.el,
    h(
      "div",
      { class: "pos-tools" },
      back,
      on,
      button("reset", () => change(authored)),
    ),
    voice.el,
  );

  let theme = "light";
  let spoken = "";
  let drawn = false;
  function draw() {
    const state = compute(now());
    const text = words(state);
    picture.draw(state, theme);
    for (const part of [hands, chart, panel]) part.draw(state);
    back.disabled = state.position === 0;
    on.disabled = state.position === state.n - 1;
    setText(sentence, text);
    if (text !== spoken && drawn) voice.say(text); // nothing is spoken before the reader has touched something
    spoken = text;
    for (const name of SETTINGS) setAttr(root, `data-${name}`, state[name]);
    model.set({ row: state.row, dots: state.dots });
    save();
    address.write(
      Object.fromEntries(
        adjustable.map((name) => [name, state[name] === authored[name] ? null : CODECS[name].write(state[name])]),
      ),
    );
    drawn = true;
  }
  const redraw = oncePerFrame(draw);
  const events = SETTINGS.map((name) => `change:${name}`);
  for (const event of events) model.on(event, redraw);
  const unwatch = watchTheme(root, (now) => {
    theme = now;
    if (drawn) redraw();
  });
  draw();
  el.dataset.ready = "1";
  return () => {
    unwatch();
    for (const event of events) model.off(event, redraw);
  };
}

export default {
  initialize: ({ model }) => {
    begun.set(model, settings(model));
  },
  render,
};
