// One matrix, large: a picture that one walks through with the arrow keys, with its rows and columns named and its
// scale beside it.

import { clamp, h, number, setAttr, setText } from "../drawing/ui.js";
import { colour, masked, painted, paint, ramp, scaleOf } from "../drawing/colours.js";
import { entryWords } from "./words.js";

const MOST_CELLS = { rows: 18, cols: 12 }; // up to here every number is written
const KEYS = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  PageUp: [0, -8],
  PageDown: [0, 8],
};

/** The letters and numbers of a shape: "n × d = 7 × 64". */
export const shapeWords = ({ letters, rows, cols, of }) => `${letters.join(" × ")} = ${rows} × ${of ?? cols}`;
/** A name with its index below the line: W_Q. */
export const nameParts = (name) =>
  name.split(/(?<=\b[A-Zb])_(\w)/).map((part, i) => (i % 2 ? h("sub", {}, part) : part));

/** choose(row, column): the reader settles on an entry; hover(row, column) or hover(null): points at one. */
export function largeMatrix({ choose, hover }) {
  const name = h("b", {});
  const shape = h("span", { class: "jny-shape" });
  const note = h("span", { class: "course-soft" });
  const columns = h("div", { class: "jny-columns", "aria-hidden": "true" });
  const rows = h("div", { class: "jny-rows", "aria-hidden": "true" });
  const canvas = h("canvas", { "aria-hidden": "true" });
  const cells = h("div", { class: "jny-cells", "aria-hidden": "true" });
  const line = h("div", { class: "jny-line", "aria-hidden": "true" });
  const cell = h("div", { class: "jny-cell", "aria-hidden": "true" });
  const face = h(
    "div",
    { class: "jny-face", tabindex: 0, role: "application", "aria-roledescription": "matrix" },
    canvas,
    cells,
    line,
    cell,
  );
  const low = h("span", {});
  const high = h("span", {});
  const bar = h("span", { class: "jny-bar", "aria-hidden": "true" });
  const mask = h("span", { class: "jny-hidden-mark" }, "masked");
  const legend = h("div", { class: "jny-legend" }, low, bar, high, mask);
  const arrows = [
    ["ArrowLeft", "←", "left"],
    ["ArrowUp", "↑", "up"],
    ["ArrowDown", "↓", "down"],
    ["ArrowRight", "→", "right"],
  ].map(([key, sign, way]) =>
    h(
      "button",
      {
        type: "button",
        class: "jny-arrow",
        "aria-label": `move ${way} in the matrix`,
        onclick: () => step(...KEYS[key]),
      },
      sign,
    ),
  );
  const el = h(
    "div",
    { class: "jny-matrix" },
    h("p", { class: "jny-caption" }, name, " ", shape, " ", note),
    h("div", { class: "jny-frame" }, columns, rows, face),
    h("div", { class: "jny-under" }, legend, h("div", { class: "jny-arrows" }, ...arrows)),
  );
  let matrix = null;
  let now = [0, 0];

  // At once, and not with the next drawing: a second key may come before it.
  const settle = (row, column) => {
    now = [row, column];
    choose(row, column);
  };
  const step = (down, right) => {
    if (matrix) settle(clamp(now[0] + down, 0, matrix.rows - 1), clamp(now[1] + right, 0, matrix.cols - 1));
  };
  face.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in KEYS) step(...KEYS[event.key]);
    else if (event.key === "Home") settle(now[0], 0);
    else if (event.key === "End") settle(now[0], matrix.cols - 1);
    else return;
    event.preventDefault();
    event.stopPropagation(); // else the stop would change too
  });
  const under = (event) => {
    const box = face.getBoundingClientRect();
    const place = (part, count) => clamp(Math.floor(part * count), 0, count - 1);
    return [
      place((event.clientY - box.top) / box.height, matrix.rows),
      place((event.clientX - box.left) / box.width, matrix.cols),
    ];
  };
  face.addEventListener("click", (event) => settle(...under(event)));
  face.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse") hover(...under(event));
  });
  face.addEventListener("pointerleave", () => hover(null));

  const fill = (node, texts, here) => {
    while (node.children.length > texts.length) node.lastChild.remove();
    texts.forEach((text, i) => {
      const child = node.children[i] ?? node.appendChild(h("span", {}, h("span", {})));
      setText(child.firstChild, text);
      child.classList.toggle("jny-here", i === here);
    });
  };
  function frame(row, column) {
    // the chosen entry and its row
    now = [row, column];
    const part = (i, count) => `${(100 * i) / count}%`;
    setAttr(line, "style", `top:${part(row, matrix.rows)};height:${part(1, matrix.rows)}`);
    setAttr(
      cell,
      "style",
      `top:${part(row, matrix.rows)};left:${part(column, matrix.cols)};height:${part(1, matrix.rows)};width:` +
        `${part(1, matrix.cols)}`,
    );
    fill(rows, matrix.rowNames ?? [], row);
    fill(columns, matrix.colNames ?? ["1", String(matrix.cols)], matrix.colNames ? column : null);
    setAttr(
      face,
      "aria-label",
      `${matrix.name}, ${matrix.rows} × ${matrix.of ?? matrix.cols}; arrow keys move. ` +
        `${entryWords(matrix, row, column)}`,
    );
  }
  function draw({ matrix: next, row, column, theme }) {
    const most = scaleOf(next);
    const written = next.rows <= MOST_CELLS.rows && next.cols <= MOST_CELLS.cols;
    matrix = next;
    name.replaceChildren(...nameParts(matrix.name));
    setText(shape, shapeWords(matrix));
    setText(
      note,
      matrix.of > matrix.cols
        ? matrix.kind === "share" && matrix.tokens
          ? `the other ${matrix.of - matrix.cols} columns hold only zeros`
          : `the ${matrix.cols} columns with the largest logits in the last row`
        : matrix.given
          ? "learned in training"
          : "",
    );
    const longest = Math.max(0, ...(matrix.colNames ?? []).map((each) => each.length));
    el.classList.toggle("jny-written", written);
    el.classList.toggle("jny-many", matrix.cols > 9);
    el.classList.toggle("jny-named", Boolean(matrix.colNames));
    el.classList.toggle("jny-upright", longest * matrix.cols > 34);
    setAttr(
      el,
      "style",
      `--rows:${matrix.rows};--cols:${matrix.cols};--row:` +
        `${matrix.rowNames || matrix.rows === 1 ? 26 : clamp(Math.floor(400 / matrix.rows), 1, 12)}px`,
    );
    canvas.hidden = written;
    cells.hidden = !written;
    if (!written) paint(canvas, matrix, most, theme);
    else {
      while (cells.children.length > matrix.numbers.length) cells.lastChild.remove();
      for (let at = 0; at < matrix.numbers.length; at++) {
        const node = cells.children[at] ?? cells.appendChild(h("span", {}));
        const x = matrix.numbers[at];
        const hidden = matrix.masked?.(Math.floor(at / matrix.cols), at % matrix.cols);
        const rgb = hidden ? masked(theme) : colour(x, most, theme);
        setText(
          node,
          hidden
            ? ""
            : number(
                x,
                matrix.kind === "share" && (x === 0 || x === 1) ? 0 : matrix.cols > 9 && Math.abs(x) >= 10 ? 1 : 2,
              ),
        );
        setAttr(node, "style", painted(rgb));
      }
    }
    // what a ReLU gives has no side below 0
    const signed = matrix.kind === "signed" && matrix.numbers.some((x) => x < 0);
    setText(low, signed ? number(-most, most < 10 ? 2 : 0) : "0");
    setText(high, matrix.kind === "signed" ? number(most, most < 10 ? 2 : 0) : "1");
    setAttr(bar, "style", ramp(signed, theme));
    mask.hidden = !matrix.masked?.(0, 1) || matrix.cols < 2;
    setAttr(mask, "style", painted(masked(theme)));
    frame(row, column);
  }
  return { el, draw, frame, face };
}
