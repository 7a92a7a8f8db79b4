// Where a model looks: the layer and the head that the reader has chosen, a table of the weights, and what one row of
// it says.

import { choice, h, setText } from "../drawing/ui.js";
import { heatTable } from "./heat.js";
import { lookWords } from "./words.js";

const options = (word, count) =>
  Array.from({ length: count }, (_, i) => ({ value: String(i), label: `${word} ${i + 1}`.trim() }));

/**
 * caption and choose(i): as for `heatTable`; byHead: the head is chosen with buttons of its own, and not by the row.
 */
export function lookTable({ model, get, change, caption, choose, byHead = false }) {
  const layer = choice({
    legend: "Layer",
    options: options("layer", model.layers),
    value: "0",
    oninput: (value) => change({ layer: Number(value) }),
  });
  const head = choice({
    legend: "Head",
    options: [{ value: "mean", label: "mean of heads" }, ...options("", model.heads)],
    value: "mean",
    oninput: (value) => change({ head: value === "mean" ? null : Number(value) }),
  });
  const map = heatTable({ caption, choose });
  const words = h("p", { class: "dec-told" });
  const choices = h("div", { class: "dec-choices" }, layer.el, ...(byHead ? [head.el] : []));
  /** The layer and the head looked at, from 0; null: the mean of the heads. */
  const chosen = () => [
    Math.min(get("layer") ?? model.layers - 1, model.layers - 1),
    get("head") === null ? null : Math.min(get("head"), model.heads - 1),
  ];
  /**
   * weights: a row each, or null where nothing is known yet; who: the beginning of the sentence; names: of the columns,
   * in it.
   */
  function draw({ weights, who, names, ...table }) {
    const [level, which] = chosen();
    layer.set(String(level));
    head.set(which === null ? "mean" : String(which));
    if (!weights) return;
    map.draw({ ...table, cells: (i, j) => weights[i][j] });
    setText(words, lookWords({ who, names, weights: weights[table.row] }));
  }
  /** The same counted from 1, for the widget's attributes. */
  const data = () => {
    const [level, which] = chosen();
    return { layer: level + 1, head: which === null ? "mean" : which + 1 };
  };
  return { parts: [choices, map.el, words], draw, chosen, data, words: () => words.textContent };
}
