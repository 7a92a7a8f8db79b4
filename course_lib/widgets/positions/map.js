// The matrix P as a picture: one row a position, orange −1 to blue +1. Pointer or arrow keys choose a row and a pair.

import { paint, ramp } from "../drawing/colours.js";
import { clamp, draggable, h, setAttr, setAttrs, setText } from "../drawing/ui.js";
import { columnsOf, pairsOf } from "./encode.js";

/** choose(part): the reader chose a position, a pair or both; now() gives the present settings. */
export function map({ choose, now }) {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const rowMark = h("i", { class: "pos-row-mark" });
  const pairMark = h("i", { class: "pos-pair-mark" });
  const face = h(
    "div",
    {
      class: "pos-map",
      role: "slider",
      tabindex: 0,
      "aria-orientation": "vertical",
      "aria-valuemin": 0,
      "aria-label": "Matrix P. Up and down: position. Left and right: pair.",
    },
    canvas,
    rowMark,
    pairMark,
  );
  const last = h("span");
  const wide = h("span");
  const low = h("span");
  const scale = h("i");
  const el = h(
    "div",
    { class: "pos-map-box" },
    h("p", { class: "pos-axis", "aria-hidden": "true" }, h("span", {}, "column 0"), wide),
    face,
    h("p", { class: "pos-axis", "aria-hidden": "true" }, last, h("span", { class: "pos-scale" }, low, scale, "1")),
  );
  const settle = (position, pair) =>
    choose({ position: clamp(position, 0, now().n - 1), pair: clamp(pair, 0, pairsOf(now()) - 1) });
  const point = (event) => {
    const box = face.getBoundingClientRect();
    const across = (event.clientX - box.left) / box.width;
    settle(Math.floor(((event.clientY - box.top) / box.height) * now().n), Math.floor(across * pairsOf(now())));
  };
  draggable(face, { start: point, move: point });
  face.addEventListener("keydown", (event) => {
    const { position, pair, n } = now();
    const page = Math.max(2, Math.round(n / 8));
    const by = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page, Home: -n, End: n }[event.key] ?? 0;
    const across = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
    if (!by && !across) return;
    event.preventDefault();
    settle(position + by, pair + across);
  });

  function draw(state, theme) {
    const { P, n, d, kind, position, pair } = state;
    const columns = columnsOf(kind);
    paint(canvas, { rows: n, cols: d, numbers: P.flat() }, 1, theme);
    setAttr(scale, "style", ramp(kind !== "binary", theme));
    setAttr(rowMark, "style", `top:${(100 * position) / n}%;height:${100 / n}%`);
    setAttr(pairMark, "style", `left:${(100 * pair * columns) / d}%;width:${(100 * columns) / d}%`);
    const valuetext = `position ${position}, ${kind === "binary" ? "bit" : "pair"} ${pair}`;
    setAttrs(face, { valuemax: n - 1, valuenow: position, valuetext }, "aria-");
    setText(wide, `column ${d - 1}`);
    setText(last, `rows: position 0 (top) to ${n - 1}`);
    setText(low, kind === "binary" ? "0" : "−1");
  }
  return { el, draw };
}
