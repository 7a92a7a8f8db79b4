// Attention by hand. All numbers come from the traced PyTorch function `attend_by_hand`, run by graph.js; this file holds the
// settings (the widget's model is the one truth), asks for the numbers, and has the parts draw them once a frame.

import { short } from "../shell/address.js";
import { controls, fromDial, MATRICES, toDial } from "./controls.js";
import { bars, matrices, plain, say, words } from "./matrix.js";
import { plane } from "./plane.js";
import { prediction } from "./prediction.js";
import { loadData } from "../runtime/data.js";
import { evaluator } from "../runtime/graph.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, choice, clamp, h, oncePerFrame, setAttr } from "../drawing/ui.js";

const D = 2;
const M = 2;
const SETTINGS = ["vectors", ...MATRICES, "temperature", "scaled", "causal", "row", "view"];
const settings = settingsOf(SETTINGS);

/** A setting as short text for the address, and back; null where the text is not one. */
const numbers = (text, count, limit) => {
  const list = text.split(",").map(Number);
  return list.length === count && list.every((x) => Number.isFinite(x) && Math.abs(x) <= limit) ? list : null;
};
const pairs = (list) => list && Array.from({ length: list.length / 2 }, (_, i) => list.slice(2 * i, 2 * i + 2));
const flag = { write: (on) => (on ? "1" : "0"), read: (text) => (["0", "1"].includes(text) ? text === "1" : null) };
const matrix = {
  // a pure turn is written "angle,stretch", anything else with its four entries
  write(W) {
    const { angle, stretch, pure } = toDial(W);
    return pure
      ? `${short(angle ?? 0, 1)},${short(stretch)}`
      : W.flat()
          .map((x) => short(x))
          .join(",");
  },
  read(text) {
    const turn = numbers(text, 2, 360);
    return turn && Math.abs(turn[1]) <= 10 ? fromDial(...turn) : pairs(numbers(text, 4, 10));
  },
};
const codecs = (n) => ({
  vectors: {
    write: (x) =>
      x
        .flat()
        .map((t) => short(t))
        .join(","),
    read: (text) => pairs(numbers(text, 2 * n, 3)),
  },
  W_Q: matrix,
  W_K: matrix,
  W_V: matrix,
  temperature: {
    write: (t) => String(Number(t.toPrecision(3))),
    read: (text) => (Number(text) > 0 ? clamp(Number(text), 0.05, 20) : null),
  },
  scaled: flag,
  causal: flag,
  row: {
    write: (i) => String(i + 1),
    read: (text) => (Number(text) >= 1 && Number(text) <= n && Number.isInteger(Number(text)) ? Number(text) - 1 : null),
  },
  view: { write: String, read: (text) => (["scores", "weights", "outputs"].includes(text) ? text : null) },
});

const rows = (flat, width) =>
  Array.from({ length: flat.length / width }, (_, i) => Array.from(flat.slice(i * width, (i + 1) * width)));

/** The traced function as state → state with its numbers. */
function computer(graph, n) {
  const run = evaluator(graph, { n, d: D, m: M });
  const flat = (table) => Float64Array.from(table.flat());
  return (state) => {
    const allowed = Float64Array.from({ length: n * n }, (_, at) => (!state.causal || at % n <= Math.floor(at / n) ? 1 : 0));
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
  const root = h("div", {
    class: `course-ui abh${tokens.some((token) => token.length > 6) ? " abh-long" : ""}`,
    role: "group",
    "aria-label": "Attention by hand",
  });
  el.replaceChildren(root);

  let graph;
  try {
    graph = await loadData(model, "graph");
  } catch (error) {
    root.append(h("p", { role: "alert" }, error.message));
    return;
  }
  const compute = computer(graph, n);
  const { authored, values, change, save, link, follow } = settings.open(model, codecs(n), [...names, "row", "view"]);
  const choose = (row) => change({ row });
  const identity = ([[a, b], [c, d]]) => a === 1 && b === 0 && c === 0 && d === 1;
  const maps = MATRICES.some((name) => names.includes(name) || !identity(authored[name]));
  const parts = [
    plane({
      n,
      movable: names.includes("vectors"),
      maps,
      choose,
      move: (i, point) => change({ vectors: model.get("vectors").map((old, j) => (i === j ? point : old)) }),
    }),
    matrices({ n, choose }),
    bars({ n }),
    controls({ names, tokens, change, reset: () => change(authored), get: (name) => model.get(name) }),
  ];
  const [picture, tables, chart, panel] = parts.map((part) => part.el);
  const view = choice({
    legend: "Matrix shown",
    value: model.get("view"),
    oninput: (name) => change({ view: name }),
    options: ["scores", "weights", "outputs"].map((name) => ({ value: name, label: name })),
  });
  const sentence = h("p", { class: "abh-words" });
  const voice = announcer();
  const numbersShown = h("div", { class: "abh-numbers" }, sentence, chart, view.el, tables);
  const guess = model.get("predict") ? prediction({ n, reveal: () => draw() }) : null;
  root.append(
    h("div", { class: "abh-sides" }, picture, h("div", {}, ...(guess ? [guess.el] : []), numbersShown)),
    panel,
    voice.el,
  );

  let theme = "light";
  let spoken = "";
  let drawn = false;
  function draw() {
    const state = compute({ tokens: model.get("tokens"), ...values() });
    guess?.draw(state);
    numbersShown.hidden = Boolean(guess && !guess.open());
    root.classList.toggle("abh-covered", numbersShown.hidden);
    parts[0].draw(state);
    parts[1].draw(state, theme);
    parts[2].draw(state);
    parts[3].draw(state);
    view.set(state.view);
    const told = words(state);
    const text = plain(told);
    if (text !== spoken) {
      say(sentence, told);
      if (drawn && !numbersShown.hidden) voice.say(text); // nothing is spoken before the reader has touched something
      spoken = text;
    }
    for (const name of ["row", "temperature", "scaled", "causal", "view"]) setAttr(root, `data-${name}`, state[name]);
    model.set({ scores: state.scores, weights: state.weights, output: state.o });
    save();
    link(state);
    drawn = true;
  }
  const redraw = oncePerFrame(draw);
  const stop = follow(redraw, {
    root,
    drawn: () => drawn,
    turned: (now) => {
      theme = now;
    },
    more: ["tokens"],
  });
  draw();
  el.dataset.ready = "1";
  return stop;
}

export default { initialize: settings.initialize, render };
