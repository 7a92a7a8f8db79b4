// A sentence translated while the reader watches: the beam's tree, the ranking of one step, and where the chosen hypothesis looks.

import { player } from "../shell/player.js";
import { choice, clamp, h, number, setAttr, setText, slider } from "../drawing/ui.js";
import { heatTable } from "./heat.js";
import { rowOf, translatorModel } from "./models.js";
import { ranking } from "./ranking.js";
import { remember, search } from "./search.js";
import { tree } from "./tree.js";
import { joined, lookWords, stepWords, verdict } from "./words.js";

export const SETTINGS = ["text", "width", "length_power", "moment", "hypothesis", "layer", "head"];
const FEW = 3;
const PACE = 900; // dropped hypotheses shown; milliseconds a step
const QUIET = ["⟨pad⟩", "⟨start⟩", "⟨end⟩"];

export function translator({ opened, get, change, redraw, examples }) {
  const model = translatorModel(opened);
  const button = (text, act, kind = "") => h("button", { type: "button", class: `course-button ${kind}`, onclick: act }, text);
  let source = null;
  let read = null;
  let found = null;
  let key = "";
  let row = null;
  let alone = null;

  // Which sentence.
  const field = h("input", { type: "text", maxlength: 200, autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const menu = h(
    "select",
    {
      onchange: () => {
        if (menu.value) ask(menu.value);
      },
    },
    h("option", { value: "" }, "choose …"),
    ...examples.map((text) => h("option", {}, text)),
  );
  const problem = h("p", { class: "dec-problem", role: "status" });
  const form = h(
    "form",
    { class: "dec-ask" },
    h("label", {}, h("span", {}, "English sentence"), field),
    h("button", { class: "course-button" }, "Translate"),
    h("label", {}, h("span", {}, "or one of these"), menu),
    problem,
  );
  const ask = (text) => {
    row = null;
    change({ text, moment: null, hypothesis: 0 });
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = field.value.trim();
    const { words } = model.words(text);
    if (words.length) ask(text);
    setText(problem, words.length ? "" : "Type a sentence first.");
    setAttr(field, "aria-invalid", !words.length);
  });

  // The dials, and the way through the steps.
  const width = slider({
    label: "beam width",
    min: 1,
    max: 6,
    step: 1,
    value: get("width"),
    format: (x) => number(x, 0),
    oninput: (x) => change({ width: Math.round(x), hypothesis: 0 }),
  });
  const power = slider({
    label: "length power α",
    min: 0,
    max: 1.5,
    step: 0.1,
    value: get("length_power"),
    format: (x) => number(x, 1),
    oninput: (x) => change({ length_power: Number(x.toFixed(2)), hypothesis: 0 }),
  });
  const last = () => found.moments.length - 1;
  const now = () => (get("moment") === null ? last() : Math.min(get("moment"), last()));
  const go = (to) => {
    row = null;
    change({ moment: found.complete && to >= last() ? null : clamp(to, 0, last()), hypothesis: 0 });
  };
  const way = player({
    pace: () => PACE,
    changed: () => redraw(),
    step() {
      if (now() < last()) go(now() + 1);
      return !found.complete || now() < last();
    },
  });
  const back = button("Back", () => {
    way.halt();
    go(now() - 1);
  });
  const forward = button("Forward", () => {
    way.halt();
    go(now() + 1);
  });
  const play = button(
    "Play",
    () => {
      if (way.playing()) return way.halt();
      if (now() === last()) go(0);
      way.start();
    },
    "dec-main",
  );
  const input = h("input", { type: "range", min: 0, max: 1, step: 1 });
  const output = h("output", { "aria-hidden": "true" });
  input.addEventListener("input", () => {
    way.halt();
    go(Number(input.value));
  });
  const steps = h("label", { class: "course-slider" }, h("span", { class: "course-label" }, "step"), output, input);

  // The pictures.
  const choose = (hypothesis) => {
    row = null;
    const i = rowsShown().indexOf(hypothesis);
    if (i >= 0) change({ hypothesis: i });
  };
  const picture = tree({
    choose: (node) => {
      if (rowsShown().includes(node)) choose(node);
    },
  });
  const table = ranking({
    choose: (i) => {
      row = null;
      change({ hypothesis: i });
    },
  });
  const map = heatTable({
    caption: "Cross-attention of the chosen hypothesis, in hundredths: a row a word written, a column a word read",
    choose: (i) => {
      row = i;
      redraw();
    },
  });
  const options = (word, count) =>
    Array.from({ length: count }, (_, i) => ({ value: String(i), label: `${word} ${i + 1}`.trim() }));
  const layer = choice({
    legend: "Layer",
    options: options("layer", model.layers),
    value: "0",
    oninput: (value) => change({ layer: Number(value) }),
  });
  const head = choice({
    legend: "Head",
    options: [{ value: "mean", label: "mean of heads" }, ...options("", model.heads)],
    value: "mean",
    oninput: (value) => change({ head: value === "mean" ? null : Number(value) }),
  });
  const told = h("p", { class: "dec-told" });
  const compared = h("p", { class: "dec-verdict" });
  const looks = h("p", { class: "dec-told" });
  const legend = h(
    "p",
    { class: "dec-soft" },
    "A pill is a hypothesis: its last word and its score, the sum of its log-probabilities divided by length",
    h("sup", {}, "α"),
    ". Dashed ones were dropped in this step. ",
    h("i", { class: "dec-dot" }),
    " marks what greedy would have taken.",
  );
  const trouble = h("p", { role: "alert", class: "dec-problem" });
  const el = h(
    "div",
    { class: "dec-body" },
    form,
    h("div", { class: "dec-dials" }, width.el, power.el),
    h("div", { class: "dec-transport" }, h("div", { class: "dec-buttons" }, play, back, forward), steps),
    trouble,
    picture.el,
    legend,
    told,
    h(
      "div",
      { class: "dec-sides" },
      h("div", { class: "dec-side" }, table.el, compared),
      h("div", { class: "dec-side" }, h("div", { class: "dec-choices" }, layer.el, head.el), map.el, looks),
    ),
  );

  // The search of the present sentence and dials; what was read of a sentence is kept.
  function begin() {
    const { words, ids, unknown } = model.words(get("text"));
    const wanted = JSON.stringify([get("text"), get("width"), get("length_power")]);
    if (wanted === key) return;
    if (source?.text !== get("text")) {
      source = { text: get("text"), words, ids };
      read = remember(model.open(ids));
      field.value = get("text");
      menu.value = examples.includes(field.value) ? field.value : "";
      const list = [...new Set(unknown)].map((word) => `“${word}”`).join(", ");
      setText(
        problem,
        unknown.length
          ? `The model has never seen ${list}: it reads ⟨unk⟩ in ${unknown.length === 1 ? "its place" : "their places"}.`
          : "",
      );
      setAttr(field, "aria-invalid", false);
    }
    key = wanted;
    found?.close();
    const longest = 2 * ids.length + 10; // as tools/models/train_translator.py scores the model
    found = search(
      read,
      { start: [model.start], end: model.end, longest, width: get("width"), lengthPower: get("length_power") },
      redraw,
    );
  }

  const name = (token) => model.target[token];
  const text = ({ tokens }) => joined(tokens.map(name).filter((word) => !QUIET.includes(word)));
  const isGreedy = ({ tokens }) =>
    tokens.every((token, i) => token === (found.greedy.tokens[i] ?? model.end)) &&
    tokens.length <= found.greedy.tokens.length + 1;
  const greedyScore = () =>
    found.greedy.logProb / (found.greedy.tokens.length + Number(found.greedy.finished)) ** get("length_power");
  /** The rows of the table: what was kept, the best of what was dropped, and at the end greedy's sentence where it is none of these. */
  function rowsShown() {
    const { kept, dropped } = found.moments[now()];
    const shown = [...kept, ...dropped.slice(0, FEW)];
    const { greedy } = found;
    if (!greedy || !found.complete || now() < last() || shown.some(isGreedy)) return shown;
    const tokens = [...greedy.tokens, ...(greedy.finished ? [model.end] : [])];
    if (alone?.greedy !== greedy)
      alone = { greedy, tokens, logProb: greedy.logProb, score: greedyScore(), finished: greedy.finished, from: null };
    return [...shown, alone];
  }
  const line = (hypothesis, i, kept) => {
    const { tokens, finished, logProb, score } = hypothesis;
    const words = tokens.map(name);
    const carried = finished && hypothesis.from?.finished;
    return {
      state: hypothesis === alone ? "greedy" : i >= kept ? "out" : finished ? "ended" : "open",
      text: carried ? text(hypothesis) : joined(words.slice(0, -1)),
      newest: carried ? "" : finished ? "⟨end⟩" : (words.at(-1) ?? ""),
      logProb,
      score,
      length: tokens.length,
      greedy: Boolean(found.greedy) && isGreedy(hypothesis),
    };
  };

  function draw({ theme }) {
    begin();
    const at = now();
    const moment = found.moments[at];
    const shown = rowsShown();
    const chosen = shown[Math.min(get("hypothesis"), shown.length - 1)];
    const over = found.complete && at === last();
    const { greedy } = found;
    const best = found.moments.at(-1).kept[0];
    width.set(get("width"));
    power.set(get("length_power"));
    setAttr(input, "max", Math.max(1, last()));
    if (Number(input.value) !== at) input.value = at;
    setAttr(input, "style", `--part: ${at / Math.max(1, last())}`);
    setText(output, `${at} of ${last()}${found.complete ? "" : " …"}`);
    setAttr(input, "aria-valuetext", `step ${at} of ${last()}`);
    setText(play, way.playing() ? "Pause" : over ? "Play from the start" : "Play");
    back.disabled = at === 0;
    forward.disabled = at === last();
    setText(trouble, found.error ? `The search stopped: ${found.error}.` : "");

    const words = stepWords({ at, moment, text, width: get("width") });
    picture.draw({
      moments: found.moments,
      at,
      few: FEW,
      name,
      chosen,
      words,
      greedy: (each) => Boolean(found.greedy) && isGreedy(each),
    });
    setText(
      told,
      over && moment.kept.some((each) => !each.finished)
        ? `${words} No end after ${last()} words: the search gives up here.`
        : words,
    );
    const lines = shown.map((hypothesis, i) => line(hypothesis, i, moment.kept.length));
    const lanes = Math.max(...found.moments.map(({ kept, dropped }) => kept.length + Math.min(FEW, dropped.length)));
    table.draw({
      words: over ? "The final ranking" : at ? `Ranking after step ${at}` : "Nothing to rank yet",
      rows: at ? lines : [],
      chosen: shown.indexOf(chosen),
      power: get("length_power"),
      lanes,
    });
    setText(
      compared,
      over && greedy
        ? `${best.finished ? "Best" : "Best so far"}: “${text(best)}” ${verdict({ best, other: greedy, score: greedyScore(), text, width: get("width") })}`
        : "",
    );

    const level = Math.min(get("layer") ?? model.layers - 1, model.layers - 1);
    const which = get("head") === null ? null : Math.min(get("head"), model.heads - 1);
    layer.set(String(level));
    head.set(which === null ? "mean" : String(which));
    const writing = chosen.tokens.length ? chosen.tokens : [null]; // nothing written yet: the look for the first word
    const maps = at === 0 && !found.moments[1] ? null : read([model.start, ...chosen.tokens.slice(0, -1)]).cross[level];
    const names = writing.map((token) => (token === null ? "first word" : token === model.end ? "⟨end⟩" : name(token)));
    const here = Math.min(row ?? names.length - 1, names.length - 1);
    const cells = maps && names.map((_, i) => rowOf(maps, which, i));
    const labels = [...source.words, ...Array(cells ? cells[0].length - source.words.length : 0).fill("⟨end⟩")];
    if (cells)
      map.draw({
        corner: "writes\u00a0↓ reads\u00a0→",
        columns: labels,
        rows: names,
        cells: (i, j) => cells[i][j],
        row: here,
        theme,
      });
    const who = `Writing ${names[here] === "first word" ? "the first word" : `“${names[here]}”`}, ${which === null ? "the mean of the heads" : `head ${which + 1}`} of layer ${level + 1}`;
    if (cells) setText(looks, lookWords({ who, names: labels, weights: cells[here] }));
    return {
      words: `${over && greedy ? compared.textContent : told.textContent} ${looks.textContent}`,
      quiet: way.playing() || !found.done,
      busy: !found.done,
      data: {
        step: at,
        steps: last(),
        best: text(best),
        greedy: greedy ? text(greedy) : "",
        differs: Boolean(greedy) && text(best) !== text(greedy),
        chosen: text(chosen),
        width: get("width"),
        playing: way.playing(),
        reads: read.count(),
        layer: level + 1,
        head: which === null ? "mean" : which + 1,
      },
      back:
        found.done && !found.error
          ? {
              ranking: found.moments
                .at(-1)
                .kept.map((each) => [text(each), Number(each.logProb.toFixed(4)), Number(each.score.toFixed(4))]),
              greedy: text(greedy),
            }
          : null,
    };
  }
  return {
    el,
    draw,
    close() {
      way.close();
      found?.close();
    },
  };
}
