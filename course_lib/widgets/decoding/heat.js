// A weight from 0 to 1 as a colour: blank is 0, full colour 1, always, so that two maps can be compared.

import { colour, painted } from "../drawing/colours.js";
import { chosenRow } from "../drawing/rows.js";
import { h, setAttr, setText } from "../drawing/ui.js";

export function heat(cell, weight, theme) {
  setAttr(cell, "style", painted(colour(weight, 1, theme)));
  setAttr(cell, "data-value", weight.toFixed(4));
}

/** Hundredths, as the cells print them: 0.714 → "71". */
export const hundredths = (weight) => String(Math.round(100 * weight));

/**
 * A table that grows, in a region that scrolls: `draw({ corner, columns, rows, cells(i, j) → weight, row, theme })`;
 * choose(i) at a row's button.
 */
export function heatTable({ caption, choose }) {
  const head = h("tr", {});
  const body = h("tbody", {});
  const table = h("table", { class: "dec-heat", "aria-label": caption }, h("thead", {}, head), body);
  const el = h(
    "div",
    {},
    h("p", { class: "course-soft", "aria-hidden": "true" }, caption),
    h("div", { class: "dec-scroll course-fades", tabindex: 0, role: "region", "aria-label": caption }, table),
  );
  let lines = [];
  const line = (i) => ({ ...chosenRow(body, i, choose), cells: [] });
  function draw({ corner, columns, rows, cells, row, theme }) {
    const names = JSON.stringify([corner, columns]);
    if (head.dataset.names !== names) {
      head.dataset.names = names;
      head.replaceChildren(
        h("td", { class: "dec-corner" }, corner),
        ...columns.map((name) => h("th", { scope: "col" }, h("span", {}, name))),
      );
      lines = [];
    }
    while (lines.length < rows.length) lines.push(line(lines.length));
    if (body.children.length !== rows.length || body.firstChild !== lines[0]?.el)
      body.replaceChildren(...lines.slice(0, rows.length).map((entry) => entry.el));
    rows.forEach((name, i) => {
      const { el: tr, button, cells: tds } = lines[i];
      while (tds.length < columns.length) tr.append(tds[tds.push(h("td")) - 1]);
      setText(button, name);
      setAttr(button, "aria-pressed", i === row);
      tr.classList.toggle("dec-here", i === row);
      tds.forEach((cell, j) => {
        const weight = cells(i, j);
        setText(cell, hundredths(weight));
        heat(cell, weight, theme);
      });
    });
  }
  return { el, draw };
}
