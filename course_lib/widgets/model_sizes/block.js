// The block as a list of six stages; in each, its learnables as rectangles, one scale for all. The captions carry the
// numbers, so the rectangles themselves are hidden from a reader who cannot see them.

import { h, setAttr, setAttrs, setText, svg } from "../drawing/ui.js";
import { learnables, PARTS, untrained } from "./count.js";
import { thousands } from "./words.js";

const STAGES = [
  [
    "Embedding",
    ({ n, d }) => `${n} words become X, ${n} × ${d}: a row of E for the word plus a row of P for its place`,
  ],
  [
    "Attention, one head",
    ({ n, d, m }) => `X → Q, K, V, ${n} × ${m} each → weights, ${n} × ${n} → Y, ${n} × ${d}, added to X`,
  ],
  ["First norm", ({ n, d }) => `each row by itself, ${n} × ${d}`],
  ["Feed-forward", ({ n, d, r }) => `each row by itself: ${n} × ${d} → ${n} × ${r} → ${n} × ${d}, added`],
  ["Second norm", ({ n, d }) => `each row by itself: Z, ${n} × ${d}`],
  ["Read-out", ({ v, d }) => `only the last row of Z, ${d} numbers → ${v} logits → softmax`],
];
const HUE = Object.fromEntries(PARTS.map(({ key, hue }) => [key, hue]));
const THIN = 2;
const TALL = 132;
const LARGE = 11;
const GRID = 5; // pixels: the least side drawn, the tallest, the side of one number, from which a grid shows

/** One scale for all rectangles: pixels a number, so that the widest fits `room` and the tallest stays in view. */
export function unit(list, room) {
  return Math.min(
    LARGE,
    room / Math.max(...list.map((each) => each.columns)),
    TALL / Math.max(...list.map((each) => each.rows)),
  );
}

function figure(each) {
  const idle = svg("rect", { class: "siz-idle", x: 0 });
  const face = svg("rect", { class: "siz-face", x: 0, y: 0 });
  const grid = svg("path", { class: "siz-grid" });
  const picture = svg("svg", { "aria-hidden": "true" }, face, idle, grid);
  const shape = h("span");
  const note = h("span", { class: "siz-never" });
  const name = h(
    "span",
    { class: "siz-name" },
    h("i", {}, each.letter),
    ...(each.index ? [h("sub", {}, each.index)] : []),
  );
  const el = h(
    "li",
    { class: `siz-item siz-${HUE[each.part]}`, "data-key": each.key },
    picture,
    h("span", { class: "siz-caption" }, name, " ", shape, note),
  );
  function draw({ rows, columns, count, vector, key }, px) {
    const width = Math.max(THIN, columns * px);
    const height = Math.max(THIN, rows * px);
    const lost = untrained({ key, columns });
    setAttrs(picture, { width, height, viewBox: `0 0 ${width} ${height}` });
    setAttrs(face, { width, height });
    const last = Math.max(THIN, px); // the last row of E, or all of w_k
    setAttrs(idle, { width, y: Math.max(0, height - last), height: lost ? last : 0 });
    const lines = (count, line) =>
      Array.from({ length: px < GRID ? 0 : count - 1 }, (_, i) => line((i + 1) * px)).join("");
    setAttr(grid, "d", lines(columns, (x) => `M${x},0V${height}`) + lines(rows, (y) => `M0,${y}H${width}`));
    setText(shape, vector ? `${columns}` : `${rows} × ${columns} = ${thousands(count)}`);
    setText(note, lost === 0 ? "" : key === "E" ? ` (last row never learns)` : " (never learns)");
    setAttr(el, "data-count", count);
  }
  return { el, draw };
}

/** room(): the pixels there are across. */
export function block({ sizes, room }) {
  const parts = learnables(sizes).map(figure);
  const stages = STAGES.map(([title, what], stage) => {
    const list = h(
      "ul",
      { class: "siz-items" },
      ...learnables(sizes).flatMap((each, i) => (each.stage === stage ? [parts[i].el] : [])),
    );
    const told = h("span", { class: "siz-what" });
    return {
      el: h("li", { class: "siz-stage" }, h("p", {}, h("b", {}, title), " ", told), list),
      draw: (now) => setText(told, what(now)),
    };
  });
  const el = h("ol", { class: "siz-block" }, ...stages.map((stage) => stage.el));
  function draw(now) {
    const list = learnables(now);
    const px = unit(list, room());
    stages.forEach((stage) => stage.draw(now));
    parts.forEach((part, i) => part.draw(list[i], px));
    setAttr(el, "data-unit", px.toFixed(4));
  }
  return { el, draw };
}
