// A stop's matrices: the equation, one of them large, the entry that is looked at and how it came about. At the two
// stops where words become tokens there is no matrix, but a list of these.

import { choice, clamp, h, setText } from "../drawing/ui.js";
import { equation, strips } from "./equation.js";
import { largeMatrix, nameParts } from "./matrix.js";
import { entryWords, howWords, sentenceOf, usualRow } from "./words.js";

/**
 * heads: how many; get(): the settings; change(part); redraw(): the pointer is elsewhere; open: is there room for how
 * an entry came about?
 */
export function stopView({ heads: count, get, change, redraw, open }) {
  const told = h("p", { class: "jny-told" });
  const tokens = h("ol", { class: "jny-tokens" });
  const head = choice({
    legend: "Head",
    value: "0",
    oninput: (value) => change({ head: Number(value), column: null }),
    options: Array.from({ length: count }, (_, k) => ({ value: String(k), label: `head ${k + 1}` })),
  });
  const heads = h("div", { class: "jny-heads" }, head.el);
  let shown = null; // the matrix that is large
  let scene = null;
  let hovered = null;
  const large = largeMatrix({
    choose(row, column) {
      hovered = null;
      change({ row, column });
    },
    hover(row, column) {
      hovered = row === null ? null : [row, column];
      redraw();
    },
  });
  const picture = equation({
    show(id) {
      const same = shown?.letters[0] === scene.matrices[id].letters[0];
      change({ matrix: id === scene.main ? "" : id, column: null, ...(same ? {} : { row: null }) });
    },
  });
  const readout = h("p", { class: "jny-readout" });
  const parts = strips();
  const formula = h("p", { class: "jny-formula" });
  const how = h(
    "details",
    { class: "jny-how", open },
    h("summary", {}, "How this entry came about"),
    formula,
    parts.el,
  );
  const el = h("div", { class: "jny-view" }, picture.el, heads, large.el, readout, how);

  /**
   * The entry that is chosen where the reader has not chosen one: the last token or the second word, and what is
   * largest there.
   */
  function place(matrix) {
    const own = matrix.rowNames ? usualRow(matrix.letters[0] === "n" ? "target" : "source", matrix.rows) : 0;
    const row = clamp(get().row ?? own, 0, matrix.rows - 1);
    const cells = matrix.numbers.subarray(row * matrix.cols, (row + 1) * matrix.cols);
    const largest = cells.reduce(
      (best, x, j) => (!matrix.masked?.(row, j) && Math.abs(x) > Math.abs(cells[best]) ? j : best),
      0,
    );
    return [row, clamp(get().column ?? largest, 0, matrix.cols - 1)];
  }
  function drawMatrix(now, station, theme) {
    const [row, column] = place(shown);
    const [i, j] = hovered && hovered[0] < shown.rows && hovered[1] < shown.cols ? hovered : [row, column];
    const side = shown.letters[0] === scene.matrices[scene.main].letters[0];
    told.replaceChildren(...nameParts(sentenceOf({ ...now, row: side ? row : null }, station, scene)));
    picture.draw({ scene, shown: shown.id, theme });
    heads.hidden = !scene.heads || count < 2;
    head.set(String(now.head));
    large.draw({ matrix: shown, row, column, theme });
    const entry = entryWords(shown, i, j);
    setText(readout, entry);
    how.hidden = !shown.how;
    const way = shown.how?.(i, j);
    if (way) {
      formula.replaceChildren(...nameParts(howWords(shown, i, j, way)));
      parts.draw(way, theme);
    }
    const value = shown.numbers[row * shown.cols + column];
    return { entry, data: { matrix: shown.id, row, column, value, computed: way?.result ?? "" } };
  }
  /**
   * next: a scene (scenes.js); gives {matrix, entry in words, data: the widget's attributes}, the first two null where
   * there is no matrix.
   */
  function draw({ scene: next, now, station, theme }) {
    scene = next;
    shown = scene.matrices
      ? scene.matrices[Object.hasOwn(scene.matrices, get().matrix) ? get().matrix : scene.main]
      : null;
    el.hidden = !shown;
    tokens.hidden = Boolean(shown);
    if (shown) return { matrix: shown, ...drawMatrix(now, station, theme) };
    setText(told, sentenceOf(now, station, scene));
    const language = scene.side === "target" ? { lang: "fr" } : {};
    tokens.replaceChildren(
      ...scene.list.map(({ word, token }) => h("li", {}, h("b", language, word), h("span", {}, token))),
    );
    return { matrix: null, entry: null, data: { matrix: "", row: "", column: "", value: "", computed: "" } };
  }
  return {
    el,
    told,
    tokens,
    draw,
    pointed: () => hovered !== null,
    formula: () => (shown?.how ? formula.textContent : ""),
    /** Is the large matrix one with rows of another kind than the stop's result? */
    aside: () => shown?.letters[0] !== scene?.matrices?.[scene.main]?.letters[0],
  };
}
