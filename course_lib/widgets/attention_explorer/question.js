// The reader's own question, and what the model answers when it has to go on alone, each answer built on its own last
// one.

import { typed } from "../drawing/typed.js";
import { h } from "../drawing/ui.js";

/** ask(text): show this question, "" for a question of the test batch. */
export function question({ ask }) {
  const { field: input, problem, fault } = typed("input", { type: "text", maxlength: 80 });
  const answer = h("p", { class: "aex-answer" });
  const field = h("label", {}, h("span", {}, "your own input"), input);
  const el = h(
    "form",
    { class: "aex-question" },
    field,
    h("button", { class: "course-button" }, "Ask"),
    answer,
    problem,
  );
  let task = null;
  el.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    const fits = !text || task.read(text);
    fault(fits ? "" : `The task takes ${task.wanted}.`);
    if (fits) ask(text);
  });
  let shown = null;
  function draw(state) {
    const { frame } = state;
    task = state.task;
    const own = task.show(frame.draws);
    if (own !== shown) {
      // a half-typed question is left alone
      if (document.activeElement !== input || task.read(input.value) === null) input.value = own;
      fault("");
      shown = own;
    }
    const words = frame.alone.map((token, i) => {
      const right = task.floor > 0 || token === frame.targets[frame.begin + i];
      const word = task.vocabulary[token];
      return h("span", { class: right ? "" : "aex-wrong" }, right ? word : `${word}✗`, " ");
    });
    const text = `${frame.alone.join()} ${frame.targets.join()}`;
    if (answer.dataset.text !== text) {
      answer.dataset.text = text;
      const right = frame.targets
        .slice(frame.begin)
        .map((token) => task.vocabulary[token])
        .join(" ");
      const all = frame.alone.every((token, i) => token === frame.targets[frame.begin + i]);
      if (task.floor)
        return answer.replaceChildren("left alone, always with its likeliest letter, it writes ", h("b", {}, ...words));
      answer.replaceChildren(
        "answers ",
        h("b", {}, ...words),
        all ? "✓" : h("span", { class: "trn-soft" }, ` right: ${right}`),
      );
    }
  }
  return { el, draw };
}
