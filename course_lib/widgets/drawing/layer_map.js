// A map with a row for each token or part and a column for each layer, its names on the left, a word for the chosen
// column on the right.
// Pointer or arrow keys choose a cell. `masked(row, column)`, where there is one: cells that have no number, or not
// yet.

import { paint, ramp } from "./colours.js";
import { clamp, draggable, h, setAttr, setAttrs, setText } from "./ui.js";

/** choose([row, column]): the reader chose a cell. */
export function map({ choose }) {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const rowMark = h("i", { class: "layer-row-mark" });
  const columnMark = h("i", { class: "layer-column-mark" });
  const face = h(
    "div",
    { class: "layer-face", role: "slider", tabindex: 0, "aria-orientation": "horizontal", "aria-valuemin": 0 },
    canvas,
    rowMark,
    columnMark,
  );
  const names = h("div", { class: "layer-names", "aria-hidden": "true" });
  const words = h("div", { class: "layer-beside", "aria-hidden": "true" });
  const [first, title, last, low, high] = Array.from({ length: 5 }, () => h("span"));
  const scale = h("i");
  const foot = h("p", { class: "layer-axis", "aria-hidden": "true" }, first, title, last);
  const key = h("p", { class: "layer-key course-soft", "aria-hidden": "true" }, low, scale, high);
  const el = h("div", { class: "layer-map" }, names, face, words, foot);
  let shown = { rows: [], columns: 1 };
  let at = [0, 0];

  const settle = (row, column) => {
    // at once: a second key may come before the next frame
    at = [clamp(row, 0, shown.rows.length - 1), clamp(column, 0, shown.columns - 1)];
    choose(at);
  };
  const point = (event) => {
    const box = face.getBoundingClientRect();
    const place = (along, size, count) => Math.floor((along / size) * count);
    settle(
      place(event.clientY - box.top, box.height, shown.rows.length),
      place(event.clientX - box.left, box.width, shown.columns),
    );
  };
  draggable(face, { start: point, move: point });
  face.addEventListener("keydown", (event) => {
    const [row, column] = at;
    const across =
      { ArrowLeft: -1, ArrowRight: 1, PageUp: 5, PageDown: -5, Home: -column, End: shown.columns }[event.key] ?? 0;
    const down = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0;
    if (!across && !down && event.key !== "Home") return;
    event.preventDefault();
    settle(row + down, column + across);
  });
  const list = (box, texts, chosen) => {
    if (box.children.length !== texts.length) box.replaceChildren(...texts.map(() => h("span")));
    texts.forEach((text, i) => {
      setText(box.children[i], text);
      box.children[i].classList.toggle("layer-here", i === chosen);
    });
  };

  function draw(seen, { label, axis }, theme) {
    shown = seen;
    at = seen.at;
    const { rows, columns, numbers, kind, most, ends, beside, told, masked } = seen;
    paint(canvas, { rows: rows.length, cols: columns, numbers, masked }, most, theme);
    list(names, rows, at[0]);
    list(words, beside, at[0]);
    setAttr(el, "style", `--rows:${rows.length}`);
    setAttr(rowMark, "style", `top:${(100 * at[0]) / rows.length}%;height:${100 / rows.length}%`);
    setAttr(columnMark, "style", `left:${(100 * at[1]) / columns}%;width:${100 / columns}%`);
    setAttr(scale, "style", ramp(kind === "signed", theme));
    setText(first, seen.first ?? "0");
    setText(title, axis);
    setText(last, seen.last ?? String(columns - 1));
    setText(low, ends[0]);
    setText(high, ends[1]);
    setAttrs(face, { label, valuemax: columns - 1, valuenow: at[1], valuetext: told }, "aria-");
  }
  return { el, key, draw };
}
