// The nearest words as bars: one list for a word, two for the arithmetic, the second without it.

import { plain } from "./nearest.js";
import { h, number } from "../drawing/ui.js";

/** choose(word): the reader asks for that word's neighbours. */
export function lists({ choose }) {
  const el = h("div", { class: "nbr-lists" });

  function bar([word, cosine], given) {
    const fill = h("span", { class: "nbr-fill", style: `width: ${(100 * Math.max(0, cosine)).toFixed(1)}%` });
    const onclick = () => choose(word);
    const label = `${word}${given.includes(word) ? " (given)" : ""}`;
    const name = h("button", { type: "button", class: "nbr-word", title: `neighbours of ${word}`, onclick }, label);
    return h(
      "li",
      {},
      name,
      h("span", { class: "nbr-track" }, fill),
      h("span", { class: "nbr-cosine" }, number(cosine)),
    );
  }
  const list = (title, words, given) =>
    h("section", {}, h("h4", {}, title), h("ol", {}, ...words.map((each) => bar(each, given))));

  function draw({ ask, word, ...state }, { nearest, alone }) {
    const given = [state.start, state.minus, state.plus].map(plain);
    if (!nearest.length) el.replaceChildren();
    else if (ask === "word") el.replaceChildren(list(`nearest to ${plain(word)}, by cosine`, nearest, []));
    else {
      const [start, minus, plus] = given;
      el.replaceChildren(
        list(`nearest to ${start} − ${minus} + ${plus}`, nearest, given),
        list(`nearest to ${start} alone`, alone, []),
      );
    }
  }
  return { el, draw };
}
