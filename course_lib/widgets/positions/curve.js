// The dot product of the chosen position with every position.

import { circles } from "./clocks.js";
import { dots as products } from "./encode.js";
import { h, number, setAttr, setAttrs, setText, svg } from "../drawing/ui.js";

const HEIGHT = 160;
const [LEFT, RIGHT, TOP, FOOT] = [34, 10, 12, 26];

export function curve() {
  const path = svg("path", { class: "pos-line" });
  const dotted = svg("g", { class: "pos-dots" });
  const here = svg("line", { class: "pos-here", y1: TOP, y2: HEIGHT - FOOT });
  const zero = svg("line", { class: "pos-zero", x1: LEFT });
  const labels = Array.from({ length: 3 }, () => svg("text", { x: LEFT - 5, "text-anchor": "end" }));
  const foot = [
    svg("text", { x: LEFT, y: HEIGHT - 8 }, "0"),
    svg("text", { y: HEIGHT - 8, "text-anchor": "end" }),
    svg("text", { y: HEIGHT - 8, "text-anchor": "middle" }),
  ];
  const picture = svg("svg", { class: "pos-curve", role: "img" }, zero, here, path, dotted, ...labels, ...foot);
  const caption = h("p", { class: "pos-caption" });
  const el = h("div", {}, caption, picture);

  let last = null;
  new ResizeObserver(() => last && draw(last)).observe(picture);

  function draw(state) {
    last = state;
    const width = picture.clientWidth || 340; // a unit is a pixel: letters stay as large as the page's
    const end = width - RIGHT;
    setAttr(picture, "viewBox", `0 0 ${width} ${HEIGHT}`);
    const { dots, n, d, position, kind, P } = state;
    // The scale belongs to P and not to the chosen row: two positions can be compared.
    const high = kind === "binary" ? Math.max(1, Math.min(d, Math.ceil(Math.log2(n)))) : d / 2;
    const low = kind === "binary" ? 0 : Math.min(0, ...products(P, 0)); // from place 0 every distance is seen
    const x = (q) => LEFT + ((end - LEFT) * q) / (n - 1);
    const y = (value) => TOP + ((HEIGHT - TOP - FOOT) * (high - value)) / (high - low);
    setAttr(path, "d", dots.map((value, q) => `${q ? "L" : "M"}${x(q).toFixed(1)},${y(value).toFixed(1)}`).join(""));
    setAttr(picture, "data-values", dots.join(" "));
    const few = n <= 48 ? n : 0; // beyond that the dots would run into each other
    circles(dotted, few, 2.4).forEach((dot, q) => setAttrs(dot, { cx: x(q).toFixed(1), cy: y(dots[q]).toFixed(1) }));
    setAttrs(here, { x1: x(position).toFixed(1), x2: x(position).toFixed(1) });
    setAttrs(zero, { x2: end, y1: y(0).toFixed(1), y2: y(0).toFixed(1) });
    [high, high / 2, 0].forEach((value, k) => {
      setText(labels[k], Number.isInteger(value) ? number(value, 0) : number(value, 1));
      setAttr(labels[k], "y", (y(value) + 4).toFixed(1));
    });
    setText(foot[1], String(n - 1));
    setAttr(foot[1], "x", end);
    setText(foot[2], position > 0.1 * n && position < 0.88 * n ? String(position) : "");
    setAttr(foot[2], "x", x(position).toFixed(1));
    const title = `Dot product of position ${position} with every position`;
    const value = (q) => `${kind === "binary" ? dots[q] : number(dots[q])} at ${q}`;
    setText(caption, title);
    setAttr(picture, "aria-label", `${title}: ${value(0)}, ${value(position)}, ${value(n - 1)}.`);
  }
  return { el, draw };
}
