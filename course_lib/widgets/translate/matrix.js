// The alignment: a row for each word said, a column for each word read. It grows with the steps; one cell is looked at.

import { heat, hundredths } from "../decoding/heat.js";
import { clamp, h, setAttr } from "../drawing/ui.js";

const SIZES = [
  [13, "wide"],
  [27, "middle"],
  [Infinity, "small"],
]; // columns up to → how large a cell is

let made = 0;

/** look({ row, column }): the reader moves to a cell. */
export function matrix({ label, look }) {
  const id = `tra-${++made}`;
  const head = h("tr", { role: "row" });
  const body = h("tbody", { role: "rowgroup" });
  const grid = h(
    "table",
    { class: "tra-matrix", role: "grid", tabindex: 0, "aria-label": label },
    h("thead", { role: "rowgroup" }, head),
    body,
  );
  const el = h("div", { class: "tra-scroll course-fades course-fades-end" }, grid);
  let lines = [];
  let columns = [];
  let sentence = null;
  let at = { row: 0, column: 0 }; // the cell that is marked
  let aim = at; // and the one that was asked for: a second key may come before the next frame
  let shown = 0;

  const keys = {
    ArrowUp: () => ({ row: aim.row - 1 }),
    ArrowDown: () => ({ row: aim.row + 1 }),
    ArrowLeft: () => ({ column: aim.column - 1 }),
    ArrowRight: () => ({ column: aim.column + 1 }),
    Home: () => ({ column: 0 }),
    End: () => ({ column: columns.length - 1 }),
  };
  const go = ({ row = aim.row, column = aim.column }) => {
    aim = { row: clamp(row, 0, shown - 1), column: clamp(column, 0, columns.length - 1) };
    look(aim);
  };
  grid.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || !shown) return;
    event.preventDefault();
    go(keys[event.key]());
  });
  grid.addEventListener("click", (event) => {
    const cell = event.target.closest("td[data-column]");
    if (cell) go({ row: [...body.children].indexOf(cell.parentNode), column: Number(cell.dataset.column) });
  });

  function begin(words) {
    columns = words.map(({ text, unknown }) =>
      h("th", { scope: "col", role: "columnheader", class: unknown ? "tra-unknown" : "" }, h("span", {}, text)),
    );
    head.replaceChildren(h("td", { class: "tra-corner" }, "says\u00a0↓ looks\u00a0at\u00a0→"), ...columns);
    setAttr(grid, "data-size", SIZES.find(([most]) => words.length <= most)[1]);
    lines = [];
    body.replaceChildren();
  }
  function line(i, { text, wrong }, weights) {
    const cells = Array.from(weights, (weight, j) =>
      h(
        "td",
        {
          role: "gridcell",
          id: `${id}-${i}-${j}`,
          "data-column": j,
          class: hundredths(weight) === "100" ? "tra-full" : "",
        },
        hundredths(weight),
      ),
    );
    const name = h("th", { scope: "row", role: "rowheader", class: wrong ? "tra-wrong" : "" }, text);
    return { el: h("tr", { role: "row" }, name, ...cells), cells, name, weights, theme: null };
  }
  /**
   * words: [{text, unknown}] read; rows: [{text, wrong}] said; weights: a row each; row, column: the cell looked at.
   */
  function draw({ key, words, rows, weights, row, column, theme }) {
    if (key !== sentence) {
      sentence = key;
      begin(words);
    }
    rows.forEach((each, i) => {
      lines[i] ??= line(i, each, weights[i]);
    });
    while (body.children.length > rows.length) body.lastChild.remove();
    for (let i = body.children.length; i < rows.length; i++) body.append(lines[i].el);
    for (const each of lines.slice(0, rows.length)) {
      if (each.theme === theme) continue;
      each.theme = theme;
      each.cells.forEach((cell, j) => heat(cell, each.weights[j], theme));
    }
    lines[at.row]?.el.classList.remove("tra-here");
    lines[at.row]?.cells[at.column]?.classList.remove("tra-cell");
    columns.forEach((each, j) => each.classList.toggle("tra-here", j === column && rows.length > 0));
    shown = rows.length;
    at = aim = { row, column };
    if (!shown) return grid.removeAttribute("aria-activedescendant");
    lines[row].el.classList.add("tra-here");
    lines[row].cells[column].classList.add("tra-cell");
    setAttr(grid, "aria-activedescendant", `${id}-${row}-${column}`);
    reveal(lines[row].cells[column], lines[row].name);
  }
  /** Scrolls the region, never the page, until the cell is seen beside the fixed names. */
  function reveal(cell, name) {
    const box = el.getBoundingClientRect();
    const { left, right, top, bottom } = cell.getBoundingClientRect();
    const fixed = { left: box.left + name.offsetWidth, top: box.top + head.offsetHeight };
    if (left < fixed.left) el.scrollLeft -= fixed.left - left;
    else if (right > box.right) el.scrollLeft += right - box.right + 4;
    if (top < fixed.top) el.scrollTop -= fixed.top - top;
    else if (bottom > box.bottom) el.scrollTop += bottom - box.bottom + 4;
  }
  return { el, draw };
}
