// The steps as cards, the likeliest words of the chosen one as bars, and the sentences of the beam.

import { h, number, setText } from "../drawing/ui.js";

const SHOWN = 5;

export function view({ choose }) {
  const source = h("p", { class: "num-source" });
  const cards = h("ol", { class: "num-cards", "aria-label": "Steps of the decoder" });
  const bars = h("div", { class: "num-bars" });
  const list = h("ol", { class: "num-list" });
  const beamed = h(
    "div",
    { class: "num-beam" },
    h("p", { class: "course-soft" }, "What the beam ends with, and ln p:"),
    list,
  );

  function card({ read, said, probabilities }, k, { right, at, word }) {
    const wrong = said !== right[k];
    const inside = [
      h("span", { class: "num-reads" }, `reads ${word(read)}`),
      h("span", { class: `num-says${wrong ? " num-wrong" : ""}` }, word(said)),
      h("span", { class: "num-p" }, number(probabilities[said])),
    ];
    const onclick = () => choose(k + 1);
    return h(
      "li",
      {},
      h("button", { type: "button", class: "num-card", "aria-pressed": String(k + 1 === at), onclick }, ...inside),
    );
  }
  function bar(token, { probabilities, said }, wanted, word) {
    const p = probabilities[token];
    const mark = token === said ? " (said)" : token === wanted ? " (right)" : "";
    const fill = h("span", { class: "num-fill", style: `width: ${(100 * p).toFixed(1)}%` });
    return h(
      "div",
      { class: "num-bar" },
      h("span", {}, `${word(token)}${mark}`),
      h("span", { class: "num-track" }, fill),
      h("span", { class: "num-p" }, number(p)),
    );
  }

  function draw(state) {
    const { english, steps, right, at, shown, word, sentences } = state;
    const focused = cards.contains(document.activeElement);
    setText(source, `The encoder reads: ${english.join(" ")}`);
    cards.replaceChildren(...steps.slice(0, shown).map((each, k) => card(each, k, state)));
    if (focused) cards.querySelector('[aria-pressed="true"]').focus();
    const step = steps[at - 1];
    const order = Array.from(step.probabilities.keys()).sort((a, b) => step.probabilities[b] - step.probabilities[a]);
    bars.replaceChildren(...order.slice(0, SHOWN).map((token) => bar(token, step, right[at - 1], word)));
    beamed.hidden = !sentences.length;
    list.replaceChildren(
      ...sentences.map(([text, logProb]) => h("li", {}, `${text} `, h("span", { class: "num-p" }, number(logProb)))),
    );
  }
  return { source, el: h("div", { class: "num-view" }, cards, bars), beam: beamed, draw };
}
