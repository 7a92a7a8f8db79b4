// One sentence, two translators: RNNencdec, which is told one vector, and RNNsearch, which looks back, step by step side by side. The
// widget's model is the one truth: it holds the settings. All numbers come from PyTorch's own modules as graphs (recurrent.js).

import { pageAddress } from "../shell/address.js";
import { loadData } from "../runtime/data.js";
import { translatorModel } from "../decoding/models.js";
import { joined } from "../decoding/words.js";
import { near } from "../drawing/near.js";
import { openRecurrent } from "../runtime/recurrent.js";
import { END, UNKNOWN } from "../runtime/shipped.js";
import { ask, trouble } from "./ask.js";
import { CODECS } from "./address.js";
import { compare, counted } from "./compare.js";
import { matrix } from "./matrix.js";
import { panel } from "./panel.js";
import { translation } from "./run.js";
import { tally } from "./tally.js";
import { transport } from "./transport.js";
import { cellWords, countWords, NAMES, order, stepWords, verdict, warning } from "./words.js";
import { announcer, atMostEvery, h, oncePerFrame, setAttr, setText, watchTheme } from "../drawing/ui.js";

const SETTINGS = ["text", "clauses", "example", "moment"];
const MODELS = Object.keys(NAMES);
const KEPT = 24;
const begun = new WeakMap(); // model → the author's settings: the address names only what differs
const settingsOf = (model) => Object.fromEntries(SETTINGS.map((name) => [name, model.get(name)]));

function render({ model, el }) {
  const authored = begun.get(model) ?? settingsOf(model);
  begun.set(model, authored);
  const root = h("div", {
    class: "course-ui tra",
    role: "group",
    "aria-busy": "true",
    "aria-label": "Two translators side by side",
  });
  const waiting = h("p", { class: "tra-soft" }, "Getting the two models …");
  root.append(waiting);
  el.replaceChildren(root);
  let theme = "light";
  let parts = null;
  let closed = false;
  const unwatch = watchTheme(root, (now) => {
    theme = now;
    parts?.redraw();
  });
  const opening = () => Promise.all([loadData(model, "sentences"), ...MODELS.map((name) => openRecurrent(model, name))]);
  near(root)
    .then(opening)
    .then(([sentences, ...opened]) => {
      if (closed) return;
      parts = start({
        model,
        root,
        authored,
        sentences,
        models: Object.fromEntries(opened.map((each, i) => [MODELS[i], each])),
        look: () => theme,
      });
      waiting.remove();
      el.dataset.started = "1";
    })
    .catch((error) => {
      waiting.remove();
      setAttr(root, "aria-busy", false);
      root.append(h("p", { role: "alert" }, error.message));
    });
  return () => {
    closed = true;
    unwatch();
    parts?.stop();
  };
}

function start({ model, root, authored, sentences: { chains, trained }, models, look }) {
  const { source, target } = models.rnnsearch;
  const { words: cut } = translatorModel({ config: { layers: 0 }, source, target });
  const address = pageAddress(model);
  const linked = address.read();
  const get = (name) => model.get(name);
  const save = atMostEvery(200, () => model.save_changes());
  for (const name of SETTINGS) {
    const value = linked[name] === undefined ? null : CODECS[name].read(linked[name]);
    if (value !== null) model.set(name, value === undefined ? null : value);
  }
  if (get("text") !== null && trouble(cut(get("text")).words)) model.set("text", authored.text);

  const change = (part) => {
    if ("text" in part || "clauses" in part || "example" in part) way.halt();
    for (const [name, value] of Object.entries(part)) model.set(name, value);
    save();
  };
  const upTo = (chain, clauses, language) =>
    `${chain
      .slice(0, clauses)
      .map((piece) => piece[language])
      .join(" ")} .`;
  const references = new Map(
    chains.flatMap((chain) => chain.map((_, i) => [upTo(chain, i + 1, 0), upTo(chain, i + 1, 1).split(" ")])),
  );
  const voice = announcer(900);
  const redraw = oncePerFrame(draw);
  const known = new Map();
  let spoken = "";
  let told = "";
  let cell = null;
  let closed = false;

  // The parts of the page.
  const form = ask({ chains, wordsOf: (text) => cut(text).words, change });
  const way = transport({
    go: (to) => {
      cell = null;
      change({ moment: to >= current().total ? null : to });
    },
    changed: redraw,
  });
  const panels = Object.fromEntries(MODELS.map((name) => [name, panel(name)]));
  const errors = tally();
  const warned = h("p", { class: "tra-warning" });
  const says = h("p", { class: "tra-told" });
  const result = h("p", { class: "tra-verdict" });
  const read = h("p", { class: "tra-source" });
  const reference = h("p", { class: "tra-reference" });
  const legend = h(
    "p",
    { class: "tra-soft", hidden: true },
    "Underlined: not what the reference says. ",
    h("span", { class: "tra-gap" }, "‸"),
    ": a word of the reference is missing here.",
  );
  const fault = h("p", { class: "tra-problem", role: "alert" });
  const alignment = matrix({
    label: "Alignment: where RNNsearch looks. Arrow keys move from cell to cell",
    look: (where) => {
      cell = where;
      redraw();
    },
  });
  const cellTold = h("p", { class: "tra-told" });
  const caption = h(
    "p",
    { class: "tra-soft" },
    "The alignment of RNNsearch, in hundredths: each row is one step and sums to 1. RNNencdec has none, it cannot look.",
  );
  root.append(
    form.el,
    read,
    warned,
    fault,
    way.el,
    says,
    h("div", { class: "tra-panels" }, panels.rnnencdec.el, panels.rnnsearch.el),
    reference,
    legend,
    result,
    errors.el,
    caption,
    alignment.el,
    cellTold,
    voice.el,
  );

  /** The sentence of the settings, translated as far as the page has come. */
  function current() {
    const text = get("text") ?? upTo(chains[get("example")], get("clauses"), 0);
    let entry = known.get(text);
    if (!entry) {
      const { words, ids, unknown } = cut(text);
      entry = {
        text,
        ids,
        unknown,
        names: words.map((word, i) => (ids[i] === UNKNOWN ? "⟨unk⟩" : word)),
        words,
        reference: references.get(words.join(" ")) ?? null,
      };
      entry.found = translation(models, ids, redraw);
      if (known.size >= KEPT) {
        const [[oldest, { found }]] = known;
        found.close();
        known.delete(oldest);
      }
    }
    known.delete(text); // the latest goes to the end
    known.set(text, entry);
    const { steps, done, error } = entry.found;
    entry.total = Math.max(...MODELS.map((name) => steps[name].length));
    if (done && !error && !entry.said) {
      entry.said = Object.fromEntries(
        MODELS.map((name) => [name, steps[name].filter(({ token }) => token !== END).map(({ token }) => target[token])]),
      );
      entry.marks =
        entry.reference && Object.fromEntries(MODELS.map((name) => [name, compare(entry.said[name], entry.reference)]));
    }
    return entry;
  }

  function drawRead({ words, ids }) {
    const key = words.join(" ");
    if (read.dataset.key === key) return;
    read.dataset.key = key;
    read.replaceChildren(
      h("b", {}, `Read, ${ids.length} tokens: `),
      ...words.flatMap((word, i) => [
        " ",
        h("span", { class: ids[i] === UNKNOWN ? "tra-unknown" : "" }, ids[i] === UNKNOWN ? `${word} → ⟨unk⟩` : word),
      ]),
    );
  }

  function drawPanels(entry, at) {
    const {
      found: { steps },
      said,
      marks,
      text,
    } = entry;
    const counts = {};
    for (const name of MODELS) {
      const mine = steps[name];
      const done = Math.min(at, said[name].length);
      const finished = at >= mine.length;
      const step = mine[Math.max(0, Math.min(at, mine.length) - 1)];
      counts[name] = marks && counted(marks[name], done, finished);
      const ends = finished && mine.at(-1).token !== END ? "; cut, no end in sight" : "";
      const span = `${models[name].width} numbers`;
      const note =
        name === "rnnencdec"
          ? `the same ${span} at every step, however long the sentence is.`
          : at
            ? `${span}, mixed anew at every step by the weights below.`
            : `${span}; none yet, it looks when it says its first word.`;
      const label =
        name === "rnnencdec"
          ? `A strip of ${models[name].width} bars, the same at every step`
          : at
            ? `A strip of ${models[name].width} bars, those of step ${Math.min(at, mine.length)}`
            : "An empty strip";
      panels[name].draw({
        key: `${text}|${entry.found.done}`,
        words: said[name],
        marks: marks?.[name],
        at: done,
        over: finished,
        counts:
          (marks
            ? countWords(counts[name], done)
            : `${done} ${done === 1 ? "word" : "words"}; no reference to count errors against`) + ends,
        state: marks ? (counts[name].wrong + counts[name].missing ? "bad" : "good") : "unknown",
        numbers: name === "rnnsearch" && !at ? EMPTY : step.C,
        label,
        note,
      });
    }
    return counts;
  }

  function draw() {
    if (closed) return;
    const entry = current();
    const { found, total, names, ids } = entry;
    const ready = found.done && !found.error;
    const at = get("moment") === null ? total : Math.min(get("moment"), total);
    const own = get("text") !== null && !entry.reference;
    form.draw({ text: entry.text, typed: get("text") !== null, clauses: get("clauses"), example: get("example") });
    drawRead(entry);
    setText(warned, warning({ unknown: entry.unknown, known: source.length - UNKNOWN - 1, length: ids.length, trained }));
    setText(fault, found.error ? `The models stopped: ${found.error}.` : "");
    way.draw({ at, total, ready });
    setAttr(root, "aria-busy", !ready && !found.error);
    writeAddress();
    if (!ready) return setText(says, found.error ? "" : `Translating: ${total} words so far …`);

    const { steps } = found;
    const counts = drawPanels(entry, at);
    const search = steps.rnnsearch;
    const rows = search.slice(0, at);
    const over = at === total;
    const wordOf = (name, i) => target[steps[name][i].token];
    const saidAt = Object.fromEntries(
      MODELS.map((name) => [
        name,
        at && at <= steps[name].length
          ? { word: wordOf(name, at - 1), wrong: entry.marks?.[name].wrong[at - 1] }
          : { ended: true },
      ]),
    );
    const words = stepWords({
      at,
      total,
      said: saidAt,
      row: at <= search.length ? search[at - 1]?.weights : null,
      names,
      length: ids.length,
    });
    setText(says, words);
    setText(result, over && counts.rnnsearch ? verdict({ counts, clauses: joints(entry), length: ids.length }) : "");
    legend.hidden = !entry.reference;
    setText(
      reference,
      entry.reference
        ? `Reference: ${joined(entry.reference)}`
        : own
          ? "Your own sentence: without a reference nobody can count the errors for you."
          : "",
    );
    const totals = entry.marks && Object.fromEntries(MODELS.map((name) => [name, entry.marks[name].errors]));
    if (totals && get("text") === null) errors.note(get("example"), get("clauses"), totals);
    errors.el.hidden = get("text") !== null;
    errors.draw({ example: get("example"), clauses: get("clauses") });

    const last = rows.length - 1;
    const row = Math.max(0, Math.min(cell?.row ?? last, last));
    const column = Math.min(cell?.column ?? (rows.length ? order(rows[row].weights)[0] : 0), ids.length - 1);
    alignment.draw({
      key: entry.text,
      words: names.map((text, i) => ({ text, unknown: ids[i] === UNKNOWN })),
      row,
      column,
      theme: look(),
      rows: rows.map((_, i) => ({ text: wordOf("rnnsearch", i), wrong: entry.marks?.rnnsearch.wrong[i] })),
      weights: rows.map(({ weights }) => weights),
    });
    setText(
      cellTold,
      rows.length
        ? cellWords({ at: row + 1, word: wordOf("rnnsearch", row), weights: rows[row].weights, names, column })
        : "No row yet: RNNsearch looks when it says its first word.",
    );

    const speech = cell ? cellTold.textContent : `${warned.textContent} ${words} ${result.textContent}`;
    if (!way.playing() && speech !== spoken) {
      if (spoken) voice.say(speech);
      spoken = speech;
    } // nothing is spoken before the reader has touched something
    const texts = Object.fromEntries(MODELS.map((name) => [name, joined(entry.said[name])]));
    const data = {
      step: at,
      steps: total,
      clauses: get("clauses"),
      example: get("example"),
      text: entry.text,
      playing: way.playing(),
      row,
      column,
      ...texts,
      ...Object.fromEntries(MODELS.map((name) => [`errors-${name}`, totals ? totals[name] : ""])),
    };
    for (const [key, value] of Object.entries(data)) setAttr(root, `data-${key}`, value);
    if (told !== entry.text) {
      told = entry.text;
      model.set({
        tokens: names,
        translations: texts,
        weights: search.map(({ weights }) => Array.from(weights, (x) => Number(x.toFixed(4)))),
        errors: totals ?? {},
      });
      save();
    }
  }
  const joints = ({ names }) => 1 + names.filter((word) => ["and", "but", "because", "while", "when"].includes(word)).length;
  function writeAddress() {
    const text = (name) => CODECS[name].write(get(name));
    address.write(
      Object.fromEntries(SETTINGS.map((name) => [name, text(name) === CODECS[name].write(authored[name]) ? null : text(name)])),
    );
  }
  const EMPTY = new Float32Array(models.rnnsearch.width);
  const listeners = SETTINGS.map((name) => [
    `change:${name}`,
    () => {
      if (name !== "moment") cell = null;
      redraw();
    },
  ]);
  for (const [event, act] of listeners) model.on(event, act);
  draw();
  return {
    redraw,
    stop() {
      closed = true;
      way.halt();
      for (const { found } of known.values()) found.close();
      for (const [event, act] of listeners) model.off(event, act);
    },
  };
}

export default {
  initialize: ({ model }) => {
    begun.set(model, settingsOf(model));
  },
  render,
};
