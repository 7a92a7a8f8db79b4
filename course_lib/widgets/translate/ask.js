// Which sentence: the reader's own, one that is offered for what it shows, or one of the corpus with a dial for its
// length.

import { knownWords } from "../drawing/known_words.js";
import { typed as typedText } from "../drawing/typed.js";
import { h, slider } from "../drawing/ui.js";
import declared from "./settings.json" with { type: "json" };

export const MOST_TOKENS = 120;

/** What is wrong with a text of these tokens, in words; "" where nothing is. */
export function trouble(words) {
  if (!words.length) return "There is nothing to translate: type a sentence first.";
  return words.length > MOST_TOKENS
    ? `At most ${MOST_TOKENS} tokens fit here, words and marks; these are ${words.length}.`
    : "";
}

/**
 * chains: sentences, each a list of [English, French] pieces; offers: [what it shows, English, French]; vocabulary: the
 * words known; wordsOf(text) → tokens; change(settings).
 */
export function ask({ chains, offers, vocabulary, wordsOf, change }) {
  let own = false; // no sentence of the corpus is chosen, and the dial has no length to tell
  const { field, problem, fault } = typedText("textarea", { rows: 2, maxlength: declared.text.takes[1] });
  const form = h(
    "form",
    { class: "tra-form" },
    h("label", {}, h("span", {}, "English sentence"), field),
    h("button", { class: "course-button" }, "Translate"),
    problem,
  );
  const submit = () => {
    const words = trouble(wordsOf(field.value));
    fault(words);
    if (!words) change({ text: field.value.trim(), moment: null });
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  });
  const dial = slider({
    label: "length: clauses of the sentence",
    min: 1,
    max: chains[0].length,
    step: 1,
    value: 1,
    format: (n) => (own ? "–" : String(n)),
    oninput: (n) => change({ clauses: Math.round(n), text: null, moment: null }),
  });
  const mine = h("option", { value: "own" }, "– your own sentence –");
  const choose = () => {
    if (pick.value === mine.value) return; // one's own is no example
    const offer = offers.find(([, english]) => english === pick.value);
    change(offer ? { text: offer[1], moment: 0 } : { example: Number(pick.value), text: null, moment: null });
  };
  const pick = h(
    "select",
    { class: "course-field", onchange: choose },
    h(
      "optgroup",
      { label: "of the corpus" },
      ...chains.map(([[english]], i) => h("option", { value: i }, `${i + 1}: ${english} …`)),
    ),
    h(
      "optgroup",
      { label: "to look at closely" },
      ...offers.map(([what, english]) => h("option", { value: english }, `${what}: ${english}`)),
    ),
  );
  const el = h(
    "div",
    { class: "tra-ask" },
    h("div", { class: "tra-dials" }, h("label", { class: "tra-pick" }, h("span", {}, "sentence"), pick), dial.el),
    form,
    knownWords(vocabulary),
  );
  let shown = null;
  /** typed: the text is the reader's or the author's, not the corpus's. */
  function draw({ text, typed, clauses, example }) {
    own = typed;
    dial.set(clauses);
    const value = own ? (offers.find(([, english]) => english === text)?.[1] ?? mine.value) : String(example);
    if (value !== mine.value) mine.remove();
    else if (!mine.isConnected) pick.append(mine);
    if (pick.value !== value) pick.value = value;
    if (text === shown) return;
    shown = text;
    field.value = text;
    fault("");
  }
  return { el, draw };
}
