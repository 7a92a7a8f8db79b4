// Predict first: the numbers stay covered until the reader has said where the chosen token will look most.

import { button, h, number, setText } from "../drawing/ui.js";

export function prediction({ n, reveal }) {
  const question = h("p", {});
  const verdict = h("p", { class: "abh-verdict", role: "status" });
  let guess = null;
  let told = false;
  const answer = (j) => () => {
    guess = j;
    reveal();
  };
  const buttons = Array.from({ length: n }, (_, j) => button("", answer(j)));
  const ask = h("div", { class: "abh-ask" }, question, h("div", { class: "abh-row" }, ...buttons));
  const el = h("div", { class: "abh-predict" }, ask, verdict);

  function draw({ tokens, row, weights, masked }) {
    if (guess === null) {
      question.replaceChildren(h("b", {}, "Predict. "), "Where will ", h("em", {}, tokens[row]), " look most?");
      buttons.forEach((button, j) => {
        setText(button, tokens[j]);
        button.disabled = masked(row, j);
      });
    } else if (!told) {
      // the answer to what was asked stays, whatever is moved afterwards
      told = true;
      const best = weights[row].indexOf(Math.max(...weights[row]));
      setText(
        verdict,
        best === guess
          ? `You said ${tokens[guess]}, and so it is: ${number(weights[row][best])}.`
          : `You said ${tokens[guess]} (${number(weights[row][guess])}); it is ${tokens[best]}, with ` +
              `${number(weights[row][best])}. What pulls it there?`,
      );
      ask.hidden = true;
    }
  }
  return { el, draw, open: () => guess !== null };
}
