// One sentence, two translators: RNNencdec, which is told one vector, and RNNsearch, which looks back, step by step
// side by side. The widget's model is the one truth: it holds the settings. All numbers come from PyTorch's own modules
// as graphs (recurrent.js).

import { translatorModel } from "../decoding/models.js";
import { joined } from "../decoding/words.js";
import { loadData } from "../runtime/data.js";
import { openRecurrent } from "../runtime/recurrent.js";
import { UNKNOWN } from "../runtime/shipped.js";
import { whenNear } from "../shell/deferred_data.js";
import { sides as abreast } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { codecsOf } from "../shell/settings.js";
import { settingsOf } from "../shell/traits.js";
import { transport } from "../shell/transport.js";
import { announcer, h, setAttr, setAttrs, setText } from "../drawing/ui.js";
import { ask, trouble } from "./ask.js";
import { entries } from "./entries.js";
import { looks } from "./looks.js";
import declared from "./settings.json" with { type: "json" };
import { sides } from "./sides.js";
import { tally } from "./tally.js";
import { each, NAMES, saidWords, stepWords, verdict, warning } from "./words.js";

const CODECS = codecsOf(declared);
const settings = settingsOf(Object.keys(declared));
const MODELS = Object.keys(NAMES);
const MANY = 20; // steps, from which on they are played faster

function render({ model, el }) {
  const root = rootOf(el, "tra", "Two translators side by side", { "aria-busy": "true" });
  const shell = settings.open(model, CODECS);
  return whenNear(root, {
    words: "Getting the two models …",
    get: () => Promise.all([loadData(model, "sentences"), ...MODELS.map((name) => openRecurrent(model, name))]),
    start([sentences, ...opened]) {
      const models = Object.fromEntries(opened.map((each, i) => [MODELS[i], each]));
      return start({ model, root, el, sentences, models, ...shell });
    },
  });
}

function start({
  model,
  root,
  el,
  sentences: { chains, offers, trained },
  models,
  values: get,
  authored,
  link,
  save,
  live,
  change: set,
}) {
  const { source, target } = models.rnnsearch;
  const { words: cut } = translatorModel({ config: { layers: 0 }, source, target });
  if (get().text !== null && trouble(cut(get().text).words)) set({ text: authored.text });
  const change = (part) => {
    if ("text" in part) way.halt(); // another sentence
    set(part);
    save();
  };
  const changed = () => redraw();
  const known = entries({ models, chains, offers, cut, changed });
  const current = () => {
    const { text, example, clauses, moment } = get();
    const entry = known.of(text ?? known.sentence(example, clauses));
    return { entry, at: Math.min(moment ?? entry.total, entry.total) };
  };
  let told = "";

  // The parts of the page.
  const form = ask({ chains, offers, vocabulary: source, wordsOf: (text) => cut(text).words, change });
  const way = transport({
    place() {
      const { entry, at } = current();
      return { at, total: entry.total, complete: entry.ready };
    },
    go: (to) => change({ moment: to >= current().entry.total ? null : to }),
    pace: (total) => (total > MANY ? 450 : 900),
    changed,
    end: true,
    patient: true,
  });
  const both = sides(models);
  const errors = tally();
  const alignment = looks({ changed });
  const line = (name, more = {}) => h("p", { class: name, ...more });
  const warned = line("course-problem tra-warning");
  const says = line("tra-told");
  const result = line("tra-verdict");
  const read = line("tra-source");
  const reference = line("tra-reference");
  const fault = line("course-problem", { role: "alert" });
  const legend = h(
    "p",
    { class: "course-soft", hidden: true },
    "Underlined: not what the reference says. ",
    h("span", { class: "tra-gap" }, "‸"),
    ": a word of the reference is missing here.",
  );
  const voice = announcer(900);
  const seen = abreast({ picture: [both.el], beside: [way.el, says, form.el, read, warned, fault], over: true });
  const lines = [seen, reference, legend, result, errors.el];
  root.append(...lines, ...alignment.parts, voice.el);

  function drawRead({ words, ids, text }) {
    if (read.dataset.key === text) return;
    read.dataset.key = text;
    const unknown = (i) => ids[i] === UNKNOWN;
    read.replaceChildren(
      h("b", {}, `Read, ${ids.length} tokens: `),
      ...words.flatMap((word, i) => [
        " ",
        h("span", { class: unknown(i) ? "tra-unknown" : "" }, unknown(i) ? `${word} → ⟨unk⟩` : word),
      ]),
    );
  }

  function draw(theme) {
    const state = get();
    const { entry, at } = current();
    const { found, total, names, ids, ready } = entry;
    form.draw({ ...state, text: entry.text, typed: state.text !== null });
    drawRead(entry);
    setText(
      warned,
      warning({ unknown: entry.unknown, known: source.length - UNKNOWN - 1, length: ids.length, trained }),
    );
    setText(fault, found.error ? `The models stopped: ${found.error}.` : "");
    way.draw();
    setAttr(root, "aria-busy", !ready && !found.error);
    link(state);
    if (!ready) return setText(says, found.error ? "" : `Translating: ${total} words so far …`);

    const counts = both.draw(entry, at);
    const words = stepWords({
      at,
      total,
      said: saidWords(entry, at, target),
      row: at <= found.steps.rnnsearch.length ? found.steps.rnnsearch[at - 1]?.weights : null,
      names,
      length: ids.length,
    });
    setText(says, words);
    setText(result, at === total && entry.marks ? verdict({ counts, clauses: joints(entry), length: ids.length }) : "");
    legend.hidden = !entry.reference;
    const own =
      state.text === null ? "" : "Your own sentence: without a reference nobody can count the errors for you.";
    setText(reference, entry.reference ? `Reference: ${joined(entry.reference)}` : own);
    if (entry.errors && state.text === null) errors.note(state.example, state.clauses, entry.errors);
    errors.el.hidden = state.text !== null;
    errors.draw(state);
    const { row, column, words: cell } = alignment.draw(entry, at, target, theme);

    const speech = cell ?? `${warned.textContent} ${words} ${result.textContent}`;
    if (!way.playing()) voice.tell(speech);
    const { clauses, example } = state;
    const texts = each((name) => joined(entry.said[name]));
    setAttrs(
      root,
      { step: at, steps: total, clauses, example, text: entry.text, playing: way.playing(), row, column, ...texts },
      "data-",
    );
    setAttrs(
      root,
      each((name) => entry.errors?.[name] ?? ""),
      "data-errors-",
    );
    if (told !== entry.text) {
      told = entry.text;
      model.set({
        tokens: names,
        translations: texts,
        weights: found.steps.rnnsearch.map(({ weights }) => Array.from(weights, (x) => Number(x.toFixed(4)))),
        errors: entry.errors ?? {},
      });
      save();
    }
  }
  const joints = ({ names }) =>
    1 + names.filter((word) => ["and", "but", "because", "while", "when"].includes(word)).length;
  const { redraw, stop } = live(draw, { root, el });
  return () => {
    stop();
    way.halt();
    known.close();
  };
}

export default { initialize: settings.initialize, render };
