// The attention weights of one sequence as a picture of n×n pixels.

import { paint } from "../drawing/colours.js";
import { h, number, setAttr, setText } from "../drawing/ui.js";

const FULL = 4; // full colour: four equal shares

export function attentionMap() {
  const canvas = h("canvas", { role: "img" });
  const caption = h("figcaption", {});
  const title = h("div", { class: "stn-title" }, "Attention weights of one sequence");
  const el = h("figure", { class: "stn-map" }, title, canvas, caption);
  function draw({ A, n, theme }) {
    paint(canvas, { rows: n, cols: n, numbers: A }, FULL / n, theme);
    const last = A.subarray(n * (n - 1));
    const [least, most, equal] = [Math.min(...last), Math.max(...last), 1 / n].map((share) => number(share, 3));
    setText(
      caption,
      `Row i looks at column j. Only the last row reaches the prediction: its weights lie between ${least} and ` +
        `${most}; an equal share is ${equal}. Blank is 0, full colour four equal shares or more.`,
    );
    setAttr(
      canvas,
      "aria-label",
      `Attention weights, ${n} by ${n}. The last row's lie between ${least} and ${most}, an equal share is ${equal}.`,
    );
  }
  return { el, draw };
}
