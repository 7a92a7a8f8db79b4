// The English sentence: picked from a list or typed, from the words that the model knows.

import { UNKNOWN } from "../runtime/shipped.js";
import { sentence } from "../runtime/text.js";
import { knownWords, wordsOf } from "../drawing/known_words.js";
import { typed } from "../drawing/typed.js";
import { h } from "../drawing/ui.js";
import { quote } from "./words.js";

export const LONGEST = 16; // tokens, the full stop among them
const STOP = ".";

/** Tokens of a text as the model was trained on: lower case, words and marks apart, a full stop at the end. */
export function cut(text, vocabulary) {
  const tokens = sentence(text);
  return tokens.length && tokens.at(-1) !== STOP && vocabulary.includes(STOP) ? [...tokens, STOP] : tokens;
}

/** Known words that look like this one: first those that begin alike, then those with most letters in common. */
export function similar(word, vocabulary, count = 3) {
  const alike = (other) => {
    let same = 0;
    while (same < word.length && word[same] === other[same]) same++;
    const shared = [...new Set(word)].filter((letter) => other.includes(letter)).length;
    return 3 * same + shared - Math.abs(other.length - word.length);
  };
  return vocabulary
    .slice(UNKNOWN + 1)
    .filter((other) => /\p{L}/u.test(other))
    .sort((a, b) => alike(b) - alike(a))
    .slice(0, count);
}

/** What is wrong with a text, in words; null where the model can read it. */
export function problem(text, vocabulary) {
  const tokens = cut(text, vocabulary);
  if (!tokens.length) return "Type an English sentence, like “the cat sleeps”.";
  const strange = tokens.filter((token) => vocabulary.indexOf(token) <= UNKNOWN);
  if (strange.length) {
    const [first] = strange;
    const offers = similar(first, vocabulary).map(quote).join(", ");
    return (
      `The model knows ${wordsOf(vocabulary).length} words, and ${strange.map(quote).join(", ")} ` +
      `${strange.length > 1 ? "are" : "is"} not among them. It knows, for instance, ${offers}.`
    );
  }
  return tokens.length > LONGEST
    ? `At most ${LONGEST} tokens fit here, the full stop among them; these are ${tokens.length}.`
    : null;
}

/** ask(text): the reader wants this sentence. */
export function sentenceForm({ examples, vocabulary, ask }) {
  const { field: input, problem: trouble, fault } = typed("input", { type: "text", maxlength: 120 });
  const pick = h(
    "select",
    {
      class: "course-field",
      onchange: () => {
        if (pick.value) send(pick.value);
      },
    },
    h("option", { value: "" }, "choose one"),
    ...examples.map((text) => h("option", { value: text }, text)),
  );
  function send(text) {
    const words = problem(text, vocabulary);
    fault(words ?? "");
    if (words === null) ask(cut(text, vocabulary).join(" "));
  }
  const el = h(
    "form",
    {
      class: "jny-sentence",
      onsubmit: (event) => {
        event.preventDefault();
        send(input.value);
      },
    },
    h("label", { class: "jny-own" }, h("span", {}, "English sentence"), input),
    h("button", { class: "course-button" }, "Translate"),
    h("label", { class: "jny-pick" }, h("span", {}, "or"), pick),
    knownWords(vocabulary),
    trouble,
  );
  let shown = null;
  function draw(sentence) {
    if (sentence === shown) return;
    shown = sentence;
    if (document.activeElement !== input || problem(input.value, vocabulary) === null) input.value = sentence;
    pick.value = examples.includes(sentence) ? sentence : "";
    fault("");
  }
  return { el, draw };
}
