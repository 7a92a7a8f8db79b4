// The attention weights of one sequence as a picture of n×n pixels, which the page enlarges without smoothing.

import { h, number, setAttr, setText } from "../drawing/ui.js";

const RAMP = {
  light: [
    [255, 255, 255],
    [0, 84, 147],
  ],
  dark: [
    [30, 35, 42],
    [122, 196, 245],
  ],
};
const FULL = 4; // full colour: four equal shares

export function attentionMap() {
  const canvas = h("canvas", { role: "img" });
  const caption = h("figcaption", {});
  const el = h(
    "figure",
    { class: "stn-map" },
    h("div", { class: "stn-title" }, "Attention weights of one sequence"),
    canvas,
    caption,
  );
  function draw({ A, n, theme }) {
    const [none, full] = RAMP[theme];
    const context = canvas.getContext("2d");
    if (canvas.width !== n) canvas.width = canvas.height = n;
    const image = context.createImageData(n, n);
    for (let i = 0; i < n * n; i++) {
      const part = Math.min(1, (A[i] * n) / FULL);
      for (let c = 0; c < 3; c++) image.data[4 * i + c] = none[c] + part * (full[c] - none[c]);
      image.data[4 * i + 3] = 255;
    }
    context.putImageData(image, 0, 0);
    const last = A.subarray(n * (n - 1));
    const most = Math.max(...last);
    const least = Math.min(...last);
    setText(
      caption,
      `Row i looks at column j. Only the last row reaches the prediction: its weights lie between ${number(least, 3)} and ${number(most, 3)}; an equal share is ${number(1 / n, 3)}. Blank is 0, full colour four equal shares or more.`,
    );
    setAttr(
      canvas,
      "aria-label",
      `Attention weights, ${n} by ${n}. The last row's lie between ${number(least, 3)} and ${number(most, 3)}, an equal share is ${number(1 / n, 3)}.`,
    );
  }
  return { el, draw };
}
