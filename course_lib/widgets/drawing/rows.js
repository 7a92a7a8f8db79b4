// Rows that are chosen by a button: a press chooses the row, the arrow keys go to the row above or below and choose it.

import { h } from "./ui.js";

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

/** Row i of a table's body with the button at its head; any cell of it chooses it. Gives {el, button}. */
export function chosenRow(body, i, choose) {
  const button = rowButton(body, i, choose);
  const onclick = (event) => {
    if (!button.contains(event.target)) choose(i);
  };
  return { el: h("tr", { onclick }, h("th", { scope: "row" }, button)), button };
}
