// The matrix P as a picture: one row a position, orange −1 to blue +1. Pointer or arrow keys choose a row and a pair.

import { clamp, draggable, h, setAttr, setText } from "../drawing/ui.js";
import { columnsOf, pairsOf } from "./encode.js";

const RAMP = {
  light: { none: [255, 255, 255], more: [0, 84, 147], less: [179, 71, 0] },
  dark: { none: [26, 31, 37], more: [122, 196, 245], less: [255, 168, 104] },
};

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
  const el = h(
    "div",
    { class: "pos-map-box" },
    h("p", { class: "pos-axis", "aria-hidden": "true" }, h("span", {}, "column 0"), wide),
    face,
    h("p", { class: "pos-axis", "aria-hidden": "true" }, last, h("span", { class: "pos-scale" }, low, h("i"), "1")),
  );
  const point = (event) => {
    const box = face.getBoundingClientRect();
    const { n, d, kind } = now();
    choose({
      position: clamp(Math.floor(((event.clientY - box.top) / box.height) * n), 0, n - 1),
      pair: clamp(Math.floor((((event.clientX - box.left) / box.width) * d) / columnsOf(kind)), 0, pairsOf({ kind, d }) - 1),
    });
  };
  draggable(face, { start: point, move: point });
  face.addEventListener("keydown", (event) => {
    const { position, pair, n, d, kind } = now();
    const page = Math.max(2, Math.round(n / 8));
    const goal = {
      ArrowUp: { position: position - 1 },
      ArrowDown: { position: position + 1 },
      ArrowLeft: { pair: pair - 1 },
      ArrowRight: { pair: pair + 1 },
      PageUp: { position: position - page },
      PageDown: { position: position + page },
      Home: { position: 0 },
      End: { position: n - 1 },
    }[event.key];
    if (!goal) return;
    event.preventDefault();
    choose({ position: clamp(goal.position ?? position, 0, n - 1), pair: clamp(goal.pair ?? pair, 0, pairsOf({ kind, d }) - 1) });
  });

  function draw(state, theme) {
    const { P, n, d, kind, position, pair } = state;
    const { none, more, less } = RAMP[theme];
    const columns = columnsOf(kind);
    if (canvas.width !== d) canvas.width = d;
    if (canvas.height !== n) canvas.height = n;
    const brush = canvas.getContext("2d");
    const picture = brush.createImageData(d, n);
    P.forEach((row, p) =>
      row.forEach((value, c) => {
        const goal = value < 0 ? less : more;
        const at = 4 * (p * d + c);
        const t = Math.abs(value);
        for (let k = 0; k < 3; k++) picture.data[at + k] = Math.round(none[k] + t * (goal[k] - none[k]));
        picture.data[at + 3] = 255;
      }),
    );
    brush.putImageData(picture, 0, 0);
    setAttr(rowMark, "style", `top:${(100 * position) / n}%;height:${100 / n}%`);
    setAttr(pairMark, "style", `left:${(100 * pair * columns) / d}%;width:${(100 * columns) / d}%`);
    setAttr(face, "aria-valuemax", n - 1);
    setAttr(face, "aria-valuenow", position);
    setAttr(face, "aria-valuetext", `position ${position}, ${kind === "binary" ? "bit" : "pair"} ${pair}`);
    setText(wide, `column ${d - 1}`);
    setText(last, `rows: position 0 (top) to ${n - 1}`);
    setText(low, kind === "binary" ? "0" : "−1");
    el.classList.toggle("pos-bits", kind === "binary");
  }
  return { el, draw };
}
