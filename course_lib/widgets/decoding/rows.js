// Buttons of a list's rows: a press chooses the row, the arrow keys go to the row above or below and choose it.

import { h } from "../drawing/ui.js";

/** The button of row i of `list`, an element with a child a row. */
export function rowButton(list, i, choose) {
  const button = h("button", { type: "button", onclick: () => choose(i) });
  button.addEventListener("keydown", (event) => {
    const to = i + ({ ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0);
    if (to === i || !list.children[to]) return;
    event.preventDefault();
    list.children[to].querySelector("button").focus();
    choose(to);
  });
  return button;
}
