// The French sentence as it grows, and the choice of its next word.

import { button, h, setAttr, setText } from "../drawing/ui.js";
import { ranking } from "./scenes.js";
import { percent, probability, quote } from "./words.js";

const OFFERED = 6; // words to choose from

/** Marks a button as one that does nothing now. It keeps the focus, so that the keyboard does not lose its place. */
export const idle = (button, on) => setAttr(button, "aria-disabled", on);

/** acts: {next, back, restart}. Shows what is written, and the buttons that go on. */
export function written(acts) {
  const text = h("span", { class: "jny-french", lang: "fr" });
  const caret = h("span", { class: "jny-caret", "aria-hidden": "true" });
  const end = h("span", { class: "course-soft" }, " ⟨end⟩ The model has ended the sentence.");
  const next = button("Next word", acts.next, "course-main");
  const back = button("Take back", acts.back);
  const restart = button("Start again", acts.restart);
  const el = h(
    "div",
    { class: "jny-writing" },
    h("p", {}, h("span", { class: "course-soft" }, "French so far: "), text, caret, end),
    h("div", { class: "course-buttons" }, next, back, restart),
  );
  function draw({ words, done, full }) {
    setText(text, words.length || done ? words.join(" ") : "nothing yet ");
    text.classList.toggle("jny-none", !words.length && !done);
    caret.hidden = done;
    end.hidden = !done;
    idle(next, done || full);
    idle(back, !words.length && !done);
    idle(restart, !words.length && !done);
    setText(next, done ? "Finished" : "Next word");
  }
  return { el, draw };
}

/** The likeliest next words as bars; each is a button that writes its word. take(token). */
export function offers({ take }) {
  const list = h("div", {
    class: "jny-offers",
    role: "group",
    "aria-label": "The likeliest next words: choose one to write it",
  });
  let buttons = [];
  function draw({ context, done }) {
    const { model } = context;
    const order = ranking(context).slice(0, OFFERED);
    if (buttons.length !== order.length) {
      buttons = order.map((_, i) => {
        const bar = h("span", { class: "jny-share", "aria-hidden": "true" });
        const word = h("span", { class: "jny-word", lang: "fr" });
        const share = h("span", {});
        const node = h(
          "button",
          { type: "button", onclick: () => take(buttons[i].token) },
          word,
          h("span", { class: "jny-track", "aria-hidden": "true" }, bar),
          share,
        );
        return { node, bar, word, share, token: null };
      });
      list.replaceChildren(...buttons.map(({ node }) => node));
    }
    order.forEach((token, i) => {
      const { node, bar, word, share } = buttons[i];
      const p = probability(context, token);
      buttons[i].token = token;
      setText(word, model.target[token]);
      setText(share, percent(p));
      setAttr(bar, "style", `width:${100 * p}%`);
      setAttr(node, "aria-label", `write ${quote(model.target[token])}, probability ${percent(p)}`);
      node.disabled = done;
    });
  }
  return { el: list, draw };
}
