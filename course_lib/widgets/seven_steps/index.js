// One French word in the making, in seven steps: each with its equation, one matrix large, and how its entries came
// about. The widget's model holds the settings; all numbers come from PyTorch's own modules as graphs
// (runtime/recurrent.js).

import { translatorModel } from "../decoding/models.js";
import { entryWords, howWords, quote, summary } from "../journey/words.js";
import { equation, strips } from "../journey/equation.js";
import { largeMatrix, nameParts } from "../journey/matrix.js";
import { openRecurrent } from "../runtime/recurrent.js";
import { END, START, UNKNOWN } from "../runtime/shipped.js";
import { whenNear } from "../shell/deferred_data.js";
import { rootOf } from "../shell/root.js";
import { codecsOf } from "../shell/settings.js";
import { settingsOf } from "../shell/traits.js";
import { typed } from "../drawing/typed.js";
import { announcer, button, clamp, h, setAttr, setAttrs, setText } from "../drawing/ui.js";
import { longestFor } from "../translate/run.js";
import declared from "./settings.json" with { type: "json" };
import { likeliest, NAMES, scenesOf } from "./steps.js";
import { told } from "./words.js";

const CODECS = codecsOf(declared);
const settings = settingsOf(Object.keys(declared));
const MOST_TOKENS = 16;

function render({ model, el }) {
  const root = rootOf(el, "svn", "Attention in seven steps, with numbers", { "aria-busy": "true" });
  const shell = settings.open(model, CODECS);
  return whenNear(root, {
    words: "Getting the model …",
    get: () => openRecurrent(model, "rnnsearch"),
    start: (translator) => start({ root, el, translator, ...shell }),
  });
}

/** What is wrong with a sentence of these words; "" where nothing is. */
const trouble = (words) =>
  words.length < 2
    ? "Type a sentence of one word or more."
    : words.length > MOST_TOKENS
      ? `At most ${MOST_TOKENS} words and marks fit here; these are ${words.length}.`
      : "";

/**
 * The sentence and all that is written to the end, a step a word: {words, unknown, french, steps: [{last, before,
 * answer}]}.
 */
function translated(translator, cut, text) {
  const { words, ids, unknown } = cut(text);
  const steps = [];
  let before = translator.start(translator.encode(ids));
  let last = START;
  while (steps.length < longestFor(ids.length) && (steps.length === 0 || last !== END)) {
    const answer = translator.step(last, before);
    steps.push({ last, before, answer });
    before = answer.state;
    [last] = likeliest(answer.logits, 1);
  }
  const french = steps.map(({ answer }) => translator.target[likeliest(answer.logits, 1)[0]]);
  return { words: words.map((word, i) => (ids[i] === UNKNOWN ? "⟨unk⟩" : word)), ids, unknown, french, steps };
}

function start({ root, el, translator, authored, values: get, change, publish, live }) {
  const { source, target } = translator;
  const { words: cut } = translatorModel({ config: { layers: 0 }, source, target });
  if (trouble(cut(get().text).words)) change({ text: authored.text });
  let known = { text: null };
  const current = () => {
    const { text, moment } = get();
    if (known.text !== text) known = { text, scenes: new Map(), ...translated(translator, cut, text) };
    const at = Math.min(moment, known.steps.length - 1);
    if (!known.scenes.has(at)) known.scenes.set(at, scenesOf({ model: translator, ...known, ...known.steps[at] }));
    return { ...known, at, scenes: known.scenes.get(at) };
  };

  // The parts.
  const { field, problem, fault } = typed("input", { maxlength: declared.text.takes[1] });
  const strange = h("p", { class: "course-soft", role: "status" });
  const ask = (event) => {
    event.preventDefault();
    const words = trouble(cut(field.value).words);
    fault(words);
    if (!words) change({ text: field.value.trim(), row: null, column: null });
  };
  const form = h(
    "form",
    { class: "svn-form", onsubmit: ask },
    h("label", {}, h("span", {}, "English sentence"), field),
    h("button", { class: "course-button" }, "Translate"),
    problem,
    strange,
  );
  const french = h("div", { class: "svn-words", role: "group", "aria-label": "The word that is about to be written" });
  const go = (step) => change({ step: clamp(step, 1, NAMES.length), matrix: "", row: null, column: null });
  const steps = NAMES.map((name, i) => button(`${i + 1} ${name}`, () => go(i + 1)));
  const back = button("← Back", () => go(get().step - 1));
  const forth = button("Next step →", () => go(get().step + 1), "course-main");
  const reset = button("reset", () => change(authored));
  const way = h(
    "div",
    { class: "svn-steps", role: "group", "aria-label": "The seven steps" },
    ...steps,
    back,
    forth,
    reset,
  );
  const sentence = h("p", { class: "svn-told" });
  const picture = equation({ show: (id) => change({ matrix: id === shown.main ? "" : id, row: null, column: null }) });
  const large = largeMatrix({ choose: (row, column) => change({ row, column }), hover() {} });
  const readout = h("p", { class: "jny-readout" });
  const formula = h("p", { class: "jny-formula" });
  const parts = strips();
  const how = h(
    "details",
    { class: "jny-how", open: true },
    h("summary", {}, "How this entry came about"),
    formula,
    parts.el,
  );
  const voice = announcer(600);
  root.append(form, french, way, sentence, picture.el, large.el, readout, how, voice.el);
  root.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.closest("input, summary, .jny-face")) return;
    event.preventDefault();
    go(get().step + by);
  });

  let shown = null;
  let built = "";
  let written = null; // the text in the field
  let spoken = null;
  function drawWords(now) {
    const key = now.french.join(" ");
    if (built !== key) {
      built = key;
      const word = (text, i) => button(text, () => change({ moment: i, row: null, column: null }));
      french.replaceChildren(h("span", {}, "About to be written:"), ...now.french.map(word));
      for (const node of french.querySelectorAll("button")) node.lang = "fr";
    }
    french.querySelectorAll("button").forEach((node, i) => {
      if (i === now.at) setAttr(node, "aria-current", "step");
      else node.removeAttribute("aria-current");
    });
  }
  /** The entry looked at: the reader's; else the row of the word that has most weight, and what is largest there. */
  function place(matrix, { scenes }) {
    const weights = scenes[4].matrices.A.numbers;
    const own = matrix.rowNames ? weights.indexOf(Math.max(...weights)) : 0;
    const row = clamp(get().row ?? own, 0, matrix.rows - 1);
    const cells = matrix.numbers.subarray(row * matrix.cols, (row + 1) * matrix.cols);
    const best = cells.reduce((most, x, j) => (Math.abs(x) > Math.abs(cells[most]) ? j : most), 0);
    return [row, clamp(get().column ?? best, 0, matrix.cols - 1)];
  }
  function draw(theme) {
    const now = current();
    const { step } = get();
    shown = now.scenes[step - 1];
    const matrix = shown.matrices[Object.hasOwn(shown.matrices, get().matrix) ? get().matrix : shown.main];
    const [row, column] = place(matrix, now);
    if (written !== now.text) {
      written = now.text;
      field.value = now.text;
      fault("");
    }
    setText(
      strange,
      now.unknown.length ? `The model has not read ${now.unknown.map(quote).join(", ")}: read as ⟨unk⟩.` : "",
    );
    drawWords(now);
    steps.forEach((node, i) => {
      if (i + 1 === step) setAttr(node, "aria-current", "step");
      else node.removeAttribute("aria-current");
    });
    back.disabled = step === 1;
    forth.disabled = step === NAMES.length;
    const before = now.french.slice(0, now.at);
    const said = now.french[now.at];
    setText(sentence, told(step, { ...now, written: before, said }));
    picture.draw({ scene: shown, shown: matrix.id, theme });
    large.draw({ matrix, row, column, theme });
    const entry = entryWords(matrix, row, column);
    setText(readout, entry);
    const found = matrix.how?.(row, column);
    how.hidden = !found;
    if (found) {
      formula.replaceChildren(...nameParts(howWords(matrix, row, column, found)));
      parts.draw(found, theme);
    }
    const value = matrix.numbers[row * matrix.cols + column];
    setAttrs(
      root,
      {
        "shown-matrix": matrix.id,
        "shown-row": row,
        "shown-column": column,
        value,
        computed: found?.result ?? "",
        said,
      },
      "data-",
    );
    const text = `Step ${step}, ${NAMES[step - 1]}. ${sentence.textContent} ${summary(matrix, row)}`;
    if (spoken !== null && text + entry !== spoken)
      voice.say(spoken.startsWith(text) ? `${entry}. ${formula.textContent}` : text);
    spoken = text + entry;
    const weights = Array.from(now.steps[now.at].answer.state.weights, (share) => Number(share.toFixed(4)));
    publish(root, get(), { written: before, weights });
    setAttr(root, "aria-busy", false);
  }
  return live(draw, { root, el }).stop;
}

export default { initialize: settings.initialize, render };
