// Attention by hand. All numbers come from the traced PyTorch function `attend_by_hand`, run by graph.js; this file
// holds the settings (the widget's model is the one truth), asks for the numbers, and has the parts draw them once a
// frame.

import { codecs, SETTINGS, VIEWS } from "./address.js";
import { controls } from "./controls.js";
import { goal } from "./goal.js";
import { MATRICES } from "./maps.js";
import { bars, matrices, plain, say, words } from "./matrix.js";
import { plane } from "./plane.js";
import { prediction } from "./prediction.js";
import { evaluator } from "../runtime/graph.js";
import { given } from "../shell/given.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, choice, h, setAttrs } from "../drawing/ui.js";

const D = 2;
const M = 2;
const settings = settingsOf(SETTINGS);

const rows = (flat, width) =>
  Array.from({ length: flat.length / width }, (_, i) => Array.from(flat.slice(i * width, (i + 1) * width)));

/** The traced function as state → state with its numbers. */
function computer(graph, n) {
  const run = evaluator(graph, { n, d: D, m: M });
  const flat = (table) => Float64Array.from(table.flat());
  return (state) => {
    const allowed = Float64Array.from({ length: n * n }, (_, at) =>
      !state.causal || at % n <= Math.floor(at / n) ? 1 : 0,
    );
    for (const name of MATRICES) run.set(name, flat(state[name]));
    run.set("x", flat(state.vectors));
    run.set("mask", allowed);
    run.set("scale", [state.scaled ? 1 / Math.sqrt(M) : 1]);
    run.set("temperature", [state.temperature]);
    run.run();
    const get = (name, width) => rows(run.get(name), width);
    return {
      ...state,
      x: state.vectors,
      masked: (i, j) => allowed[i * n + j] === 0,
      q: get("q", M),
      k: get("k", M),
      v: get("v", M),
      scores: get("scores", n),
      weights: get("weights", n),
      o: get("output", M),
    };
  };
}

async function render({ model, el }) {
  const tokens = model.get("tokens");
  const n = tokens.length;
  const names = model.get("controls");
  const long = tokens.some((token) => token.length > 6);
  const root = rootOf(el, `abh${long ? " abh-long" : ""}`, "Attention by hand");

  const graph = await given(root, model, "graph");
  if (graph === null) return;
  const compute = computer(graph, n);
  const {
    authored,
    values: get,
    change,
    save,
    link,
    live,
  } = settings.open(model, codecs(n), [...names, "row", "view"]);
  const choose = (row) => change({ row });
  const identity = ([[a, b], [c, d]]) => a === 1 && b === 0 && c === 0 && d === 1;
  const maps = MATRICES.some((name) => names.includes(name) || !identity(authored[name]));
  const parts = [
    plane({
      n,
      movable: names.includes("vectors"),
      maps,
      choose,
      move: (i, point) => change({ vectors: get().vectors.map((old, j) => (i === j ? point : old)) }),
    }),
    matrices({ n, choose, maps }),
    bars({ n }),
    controls({ names, tokens, change, reset: () => change(authored), get }),
  ];
  const [picture, tables, chart, panel] = parts.map((part) => part.el);
  const view = choice({
    legend: "Matrix shown",
    value: model.get("view"),
    oninput: (name) => change({ view: name }),
    options: VIEWS.map((name) => ({ value: name, label: name })),
  });
  const sentence = h("p", { class: "abh-words" });
  const voice = announcer();
  const numbersShown = h("div", { class: "abh-numbers" }, sentence, chart, view.el, tables);
  const guess = model.get("predict") ? prediction({ n, reveal: () => redraw() }) : null;
  const first = goal(model.get("goal"), n);
  picture.classList.add("course-picture");
  const beside = h("div", { class: "course-beside" }, panel, ...(guess ? [guess.el] : []), numbersShown);
  root.append(...(first ? [first.el] : []), h("div", { class: "course-sides" }, picture, beside), voice.el);

  function draw(theme) {
    const state = compute({ tokens: model.get("tokens"), ...get() });
    guess?.draw(state);
    const done = first?.draw(state) ?? "";
    state.edge = first?.edge(state) ?? null;
    numbersShown.hidden = Boolean(guess && !guess.open());
    root.classList.toggle("abh-covered", numbersShown.hidden);
    parts[0].draw(state);
    parts[1].draw(state, theme);
    parts[2].draw(state);
    parts[3].draw(state);
    view.set(state.view);
    const told = words(state);
    const text = plain(told);
    if (sentence.textContent !== text) say(sentence, told);
    voice.tell(text, numbersShown.hidden ? "" : `${text} ${done}`.trim());
    const { row, temperature, scaled, causal } = state;
    setAttrs(root, { row, temperature, scaled, causal, view: state.view }, "data-");
    model.set({ scores: state.scores, weights: state.weights, output: state.o });
    save();
    link(state);
  }
  const { redraw, stop } = live(draw, { root, el, more: ["tokens"] });
  return stop;
}

export default { initialize: settings.initialize, render };
