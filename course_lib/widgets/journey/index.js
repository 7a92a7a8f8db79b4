// The journey of one sentence through the shipped translator, to the next French word and on. The widget's model is the one truth: it holds
// the sentence, what is written, and where the reader stands. All numbers come from PyTorch's own model as a graph, run by shipped.js.

import { pageAddress } from "../shell/address.js";
import { CODECS } from "./address.js";
import { equation, strips } from "./equation.js";
import { routeMap } from "./map.js";
import { largeMatrix, nameParts } from "./matrix.js";
import { find, stepName, stops } from "./route.js";
import { ranking, sceneOf } from "./scenes.js";
import { cut, problem, sentenceForm } from "./sentence.js";
import { entryWords, howWords, probability, sentenceOf, summary, titleOf, usualRow } from "./words.js";
import { idle, offers, written } from "./writing.js";
import { near } from "../drawing/near.js";
import { END, openModel, START } from "../runtime/shipped.js";
import { announcer, atMostEvery, choice, clamp, h, number, oncePerFrame, setAttr, setText, watchTheme } from "../drawing/ui.js";

const SETTINGS = ["sentence", "written", "station", "layer", "head", "row", "column", "matrix"];
const MODEL = "english_french";
const MOST_WRITTEN = 28;
const WIDE = 640;
const begun = new WeakMap(); // model → the author's settings
const settings = (model) => Object.fromEntries(SETTINGS.map((name) => [name, model.get(name)]));

function render({ model, el }) {
  const authored = begun.get(model) ?? settings(model);
  begun.set(model, authored);
  const root = h("div", {
    class: "course-ui jny",
    role: "group",
    "aria-busy": "true",
    "aria-label": "A sentence's journey through the transformer",
  });
  const waiting = h("p", { class: "jny-soft" }, "Getting the model …");
  root.append(waiting);
  el.replaceChildren(root);
  let theme = "light";
  let redraw = () => {};
  let closed = false;
  let stop = () => {};
  const unwatch = watchTheme(root, (now) => {
    theme = now;
    redraw();
  });
  near(root)
    .then(() => openModel(model, MODEL))
    .then((translator) => {
      if (closed) return;
      waiting.remove();
      ({ redraw, stop } = start({ model, el, root, authored, translator, look: () => theme }));
      setAttr(root, "aria-busy", false);
    })
    .catch((error) => {
      waiting.remove();
      setAttr(root, "aria-busy", false);
      root.append(h("p", { role: "alert" }, error.message));
    });
  return () => {
    closed = true;
    unwatch();
    stop();
  };
}

function start({ model, el, root, authored, translator, look }) {
  const { config, source: english, target: french } = translator;
  const list = stops(config.layers);
  const address = pageAddress(model);
  const get = (name) => model.get(name);
  const save = atMostEvery(150, () => model.save_changes());
  const change = (part) => {
    for (const [name, value] of Object.entries(part)) model.set(name, value);
    save();
  };

  const linked = address.read();
  for (const name of SETTINGS) {
    const value = linked[name] === undefined ? null : CODECS[name].read(linked[name]);
    if (value !== null) model.set(name, value);
  }
  const known = (words) => words.length <= MOST_WRITTEN && words.every((word) => french.indexOf(word) > START);
  if (problem(get("sentence"), english) !== null) model.set({ sentence: authored.sentence, written: authored.written });
  if (!known(get("written"))) model.set("written", []);

  // What the model computes, once for a sentence and the words so far.
  let computed = { key: null };
  function compute() {
    const sentence = get("sentence");
    const words = get("written");
    const key = JSON.stringify([sentence, words]);
    if (computed.key === key) return computed;
    const source = cut(sentence, english).map((word) => english.indexOf(word));
    const done = words.at(-1) === french[END];
    const target = [START, ...words.filter((word) => word !== french[END]).map((word) => french.indexOf(word))];
    computed = { key, source, target, done, results: translator.run({ source, target }, translator.results) };
    return computed;
  }
  const context = () => {
    const { source, target, results } = compute();
    return {
      model: translator,
      source,
      target,
      results,
      layer: Math.min(get("layer"), config.layers - 1),
      head: Math.min(get("head"), config.h - 1),
      row: get("row"),
    };
  };
  const position = () => find(list, get("station"), Math.min(get("layer"), config.layers - 1));

  // Moves.
  const go = ({ station, layer }) => {
    const before = list[position()];
    const after = list[find(list, station, layer ?? get("layer"))];
    const elsewhere =
      before.box.side !== after.box.side || shown?.letters[0] !== shownScene?.matrices?.[shownScene.main]?.letters[0];
    change({ station, layer: layer ?? get("layer"), matrix: "", column: null, ...(elsewhere ? { row: null } : {}) });
  };
  const move = (by) => go(list[clamp(position() + by, 0, list.length - 1)]);
  const write = (token) => {
    const words = get("written");
    const { done } = compute();
    if (done || words.length >= MOST_WRITTEN) return;
    change({ written: [...words, french[token]], row: null, column: null });
  };
  /** From the last stop: write the likeliest word and take the decoder's route again, until the model says ⟨end⟩. */
  const goOn = () => {
    const before = get("written").length;
    acts.next();
    if (get("written").length > before && get("written").at(-1) !== french[END]) go({ station: "target_words", layer: 0 });
  };
  const acts = {
    next() {
      write(ranking(context())[0]);
    },
    back() {
      change({ written: get("written").slice(0, -1), row: null, column: null });
    },
    restart() {
      change({ written: [], row: null, column: null });
    },
  };

  // The parts.
  const wide = el.clientWidth >= WIDE;
  const form = sentenceForm({
    examples: get("examples"),
    vocabulary: english,
    ask: (sentence) => change({ sentence, written: [], row: null, column: null }),
  });
  const writing = written(acts);
  const offered = offers({ take: write });
  const map = routeMap({ layers: config.layers, go, open: wide });
  const title = h("p", { class: "jny-title" });
  const count = h("p", { class: "jny-soft jny-count" });
  const sentence = h("p", { class: "jny-told" });
  const back = h("button", { type: "button", class: "course-button", onclick: () => move(-1) }, "← Back");
  const forth = h("button", {
    type: "button",
    class: "course-button jny-main",
    onclick: () => (position() < list.length - 1 ? move(1) : goOn()),
  });
  const stepper = h("div", { class: "jny-stepper" }, back, count, forth);
  const steps = h("div", { class: "jny-steps", role: "group", "aria-label": "Steps of this stop" });
  const heads = h("div", { class: "jny-heads" });
  const tokens = h("ol", { class: "jny-tokens" });
  const chooseEntry = (row, column) => {
    hovered = null;
    change({ row, column });
  };
  const large = largeMatrix({
    choose: chooseEntry,
    hover: (row, column) => {
      hovered = row === null ? null : [row, column];
      redraw();
    },
  });
  const picture = equation({
    show: (id) => {
      const same = shown?.letters[0] === shownScene.matrices[id].letters[0];
      change({ matrix: id === shownScene.main ? "" : id, column: null, ...(same ? {} : { row: null }) });
    },
  });
  const readout = h("p", { class: "jny-readout" });
  const parts = strips();
  const formula = h("p", { class: "jny-formula" });
  const how = h("details", { class: "jny-how", open: wide }, h("summary", {}, "How this entry came about"), formula, parts.el);
  const voice = announcer(600);
  const view = h("div", { class: "jny-view" }, picture.el, heads, large.el, readout, how);
  const stage = h("div", { class: "jny-stage" }, title, sentence, steps, tokens, offered.el, view);
  root.append(form.el, writing.el, stepper, h("div", { class: "jny-sides" }, map.el, stage), voice.el);
  root.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (
      !by ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey ||
      event.defaultPrevented ||
      event.target.closest("input, select, summary, .jny-face")
    )
      return;
    event.preventDefault();
    move(by);
  });

  let shown = null;
  let shownScene = null;
  let hovered = null;
  let headChoice = null;
  let stepsOf = "";
  let spoken = "";
  let drawn = false;
  /** The entry that is chosen where the reader has not chosen one: the last token or the second word, and what is largest there. */
  function place(matrix) {
    const own = matrix.rowNames ? usualRow(matrix.letters[0] === "n" ? "target" : "source", matrix.rows) : 0;
    const row = clamp(get("row") ?? own, 0, matrix.rows - 1);
    const cells = matrix.numbers.subarray(row * matrix.cols, (row + 1) * matrix.cols);
    const largest = cells.reduce((best, x, j) => (!matrix.masked?.(row, j) && Math.abs(x) > Math.abs(cells[best]) ? j : best), 0);
    return [row, clamp(get("column") ?? largest, 0, matrix.cols - 1)];
  }
  function drawSteps(stop) {
    const key = `${stop.box.key} ${stop.layer}`;
    steps.hidden = stop.box.stops.length < 2;
    if (stepsOf !== key) {
      stepsOf = key;
      steps.replaceChildren(
        ...stop.box.stops.map((station) =>
          h(
            "button",
            { type: "button", class: "jny-step", "data-station": station, onclick: () => go({ station, layer: stop.layer }) },
            stepName(station),
          ),
        ),
      );
    }
    for (const node of steps.children) {
      if (node.dataset.station === stop.station) setAttr(node, "aria-current", "step");
      else node.removeAttribute("aria-current");
    }
  }
  function draw() {
    const { done, source } = compute();
    const at = position();
    const stop = list[at];
    const now = context();
    if (stop.layer !== null) now.layer = stop.layer;
    const scene = sceneOf(now, stop.station);
    const matrix = scene.matrices ? (scene.matrices[get("matrix")] ?? scene.matrices[scene.main]) : null;
    shown = matrix;
    shownScene = scene;
    const words = get("written").filter((word) => word !== french[END]);
    form.draw(cut(get("sentence"), english).join(" "));
    writing.draw({ words, done, full: words.length >= MOST_WRITTEN });
    map.draw(stop);
    setText(title, titleOf(stop, config.layers, stepName(stop.station)));
    setText(count, `stop ${at + 1} of ${list.length}`);
    idle(back, at === 0);
    const best = ranking(now)[0];
    const last = at === list.length - 1;
    setText(forth, !last ? "Next stop →" : done ? "The end" : `Write “${french[best]}” and go on →`);
    idle(forth, last && (done || words.length >= MOST_WRITTEN));
    drawSteps(stop);
    view.hidden = !matrix;
    tokens.hidden = Boolean(matrix);
    offered.el.hidden = stop.station !== "softmax" || done;
    let entry = null;
    const state = {
      station: stop.station,
      layer: stop.layer ?? "",
      head: now.head,
      stop: at + 1,
      sentence: get("sentence"),
      written: words.join(" "),
      done,
      matrix: matrix?.id ?? "",
      row: "",
      column: "",
      value: "",
      computed: "",
    };
    if (matrix) {
      const [row, column] = place(matrix);
      const [i, j] = hovered && hovered[0] < matrix.rows && hovered[1] < matrix.cols ? hovered : [row, column];
      const side = matrix.letters[0] === scene.matrices[scene.main].letters[0];
      sentence.replaceChildren(...nameParts(sentenceOf({ ...now, row: side ? row : null }, stop.station, scene)));
      picture.draw({ scene, shown: matrix.id, theme: look() });
      heads.hidden = !scene.heads || config.h < 2;
      if (!headChoice) {
        headChoice = choice({
          legend: "Head",
          value: String(now.head),
          oninput: (value) => change({ head: Number(value), column: null }),
          options: Array.from({ length: config.h }, (_, k) => ({ value: String(k), label: `head ${k + 1}` })),
        });
        heads.append(headChoice.el);
      }
      headChoice.set(String(now.head));
      large.draw({ matrix, row, column, theme: look() });
      entry = entryWords(matrix, i, j);
      setText(readout, entry);
      how.hidden = !matrix.how;
      if (matrix.how) {
        const way = matrix.how(i, j);
        formula.replaceChildren(...nameParts(howWords(matrix, i, j, way)));
        parts.draw(way, look());
        state.computed = way.result;
      }
      Object.assign(state, { row, column, value: matrix.numbers[row * matrix.cols + column] });
    } else {
      setText(sentence, sentenceOf(now, stop.station, scene));
      tokens.replaceChildren(
        ...scene.list.map(({ word, token }) =>
          h("li", {}, h("b", scene.side === "target" ? { lang: "fr" } : {}, word), h("span", {}, token)),
        ),
      );
    }
    offered.draw({ context: now, done });
    Object.assign(state, { next: french[best], probability: probability(now, best) });
    for (const [name, value] of Object.entries(state)) setAttr(root, `data-${name}`, value);
    const finished = done ? `The model has said ⟨end⟩: the translation is finished. ${words.join(" ")}` : "";
    const spokenNow = [
      titleOf(stop, config.layers, stepName(stop.station)),
      sentence.textContent,
      matrix ? summary(matrix, Number(state.row)) : "",
      finished || `French so far: ${words.join(" ") || "nothing"}.`,
    ].join(" ");
    if (hovered === null && spokenNow + entry !== spoken) {
      if (drawn) voice.say(spoken.startsWith(spokenNow) ? `${entry}. ${matrix.how ? formula.textContent : ""}` : spokenNow);
      spoken = spokenNow + entry;
    }
    address.write(
      Object.fromEntries(
        SETTINGS.map((name) => {
          const text = CODECS[name].write(get(name));
          return [name, text === CODECS[name].write(authored[name]) ? null : text];
        }),
      ),
    );
    if (hovered === null) {
      model.set({
        tokens: source.map((token) => english[token]),
        next_words: ranking(now)
          .slice(0, 10)
          .map((token) => [french[token], Number(number(probability(now, token), 4))]),
      });
      save();
    }
    drawn = true;
    root.dataset.ready = "1";
  }
  const redraw = oncePerFrame(draw);
  const events = SETTINGS.map((name) => `change:${name}`);
  for (const event of events) model.on(event, redraw);
  draw();
  return {
    redraw,
    stop: () => {
      for (const event of events) model.off(event, redraw);
    },
  };
}

export default {
  initialize: ({ model }) => {
    begun.set(model, settings(model));
  },
  render,
};
