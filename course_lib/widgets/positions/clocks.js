// The chosen row as clocks: one small clock a pair (each a button that chooses it), and the chosen pair's clock, large.

import { h, number, setAttr, setAttrs, setText, svg } from "../drawing/ui.js";
import { angle, columnsOf, pairsOf } from "./encode.js";

/** Puts a node's place, attributes x and y, on a circle: anticlockwise from the right, as in a textbook. */
const put = (node, x, y, radius, theta) =>
  setAttrs(node, { [x]: (radius * Math.cos(theta)).toFixed(2), [y]: (-radius * Math.sin(theta)).toFixed(2) });
const aim = (line, radius, theta) => put(line, "x2", "y2", radius, theta);
const mark = (circle, theta) => put(circle, "cx", "cy", 46, theta);
/** Exactly so many circles in a group. */
export const circles = (group, count, r) => {
  while (group.childElementCount < count) group.append(svg("circle", { r }));
  while (group.childElementCount > count) group.lastChild.remove();
  return [...group.children];
};

function small(i, choose) {
  const hand = svg("line", { class: "pos-hand", x1: 0, y1: 0 });
  const value = h("span");
  const face = svg(
    "svg",
    { viewBox: "-16 -16 32 32", "aria-hidden": "true" },
    svg("path", { class: "pos-lower", d: "M-14,0 A14,14 0 0 0 14,0 Z" }),
    svg("circle", { class: "pos-face", r: 14 }),
    hand,
  );
  const name = h("span", { class: "course-hidden" });
  const el = h("button", { type: "button", class: "pos-clock", onclick: () => choose({ pair: i }) }, name, face, value);
  const draw = (state) => {
    const { kind, row, position, pair } = state;
    const values = row.slice(i * columnsOf(kind), (i + 1) * columnsOf(kind));
    aim(hand, 12, angle(state, i, position));
    setText(name, kind === "binary" ? `bit ${i}: ` : `pair ${i}, sine and cosine: `);
    setText(value, kind === "binary" ? String(values[0]) : values.map((x) => number(x)).join(" "));
    setAttr(el, "aria-pressed", i === pair);
    setAttr(el, "data-values", values.join(" "));
  };
  return { el, draw };
}

/**
 * The chosen pair at the chosen position, with where the hand stands at every other position and where it goes next.
 */
function large() {
  const marks = svg("g", { class: "pos-marks" });
  const hand = svg("line", { class: "pos-hand", x1: 0, y1: 0 });
  const next = svg("line", { class: "pos-next", x1: 0, y1: 0 });
  const tip = svg("circle", { class: "pos-tip", r: 4 });
  const el = svg(
    "svg",
    { class: "pos-large", viewBox: "-49 -62 124 111", role: "img" },
    svg("path", { class: "pos-lower", d: "M-46,0 A46,46 0 0 0 46,0 Z" }),
    svg("path", { class: "pos-cross", d: "M-46,0H46M0,-46V46" }),
    svg("circle", { class: "pos-face", r: 46 }),
    svg("text", { x: 51, y: 3.5 }, "cos"),
    svg("text", { x: 0, y: -51, "text-anchor": "middle" }, "sin"),
    marks,
    next,
    hand,
    tip,
  );
  const draw = (state) => {
    const { n, position, pair, kind } = state;
    const theta = angle(state, pair, position);
    circles(marks, n, 1.6).forEach((each, p) => mark(each, angle(state, pair, p)));
    mark(tip, theta);
    aim(hand, 46, theta);
    aim(next, 46, angle(state, pair, position + 1));
    setAttr(
      el,
      "aria-label",
      kind === "binary"
        ? `Clock of bit ${pair}: the bit is 1 while the hand is in the lower half.`
        : `Clock of pair ${pair}: the hand's height is the sine ${number(Math.sin(theta))}, its width the cosine ` +
            `${number(Math.cos(theta))}.`,
    );
  };
  return { el, draw };
}

export function clocks({ choose }) {
  const list = h("div", { class: "pos-clocks", role: "group" });
  const big = large();
  const el = h("div", {}, list);
  const faces = [];
  function draw(state) {
    const count = pairsOf(state);
    while (faces.length < count) {
      faces.push(small(faces.length, choose));
      list.append(faces.at(-1).el);
    }
    faces.forEach((face, i) => {
      face.el.hidden = i >= count;
      if (i < count) face.draw(state);
    });
    setAttr(
      list,
      "aria-label",
      state.kind === "binary" ? `The bits of position ${state.position}` : `The pairs of position ${state.position}`,
    );
    for (const node of [el, big.el]) node.classList.toggle("pos-bits", state.kind === "binary");
    big.draw(state);
  }
  return { el, large: big.el, draw };
}
