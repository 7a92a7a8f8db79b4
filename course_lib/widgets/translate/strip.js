// A context vector as bars, one a number, up or down from the middle: the whole of what a decoder is told about the
// source.

import { h, setAttr, setText, svg } from "../drawing/ui.js";

const TALL = 22;

/** draw({ numbers, words }): entries from -1 to 1, drawn to that scale always. */
export function strip(title) {
  const up = svg("path", { class: "tra-up" });
  const down = svg("path", { class: "tra-down" });
  const middle = svg("path", { class: "tra-middle" });
  const picture = svg("svg", { class: "tra-strip", role: "img", preserveAspectRatio: "none" }, up, down, middle);
  const told = h("span", {});
  const el = h(
    "div",
    { class: "tra-context" },
    picture,
    h("p", { class: "course-soft" }, h("b", {}, title), " ", told),
  );
  let drawn = null;
  function draw({ numbers, words, note }) {
    setText(told, note);
    setAttr(picture, "aria-label", words);
    if (numbers === drawn) return;
    drawn = numbers;
    const n = numbers.length;
    const bar = (i, x) => `M${i + 0.12} ${TALL}v${(-x * TALL).toFixed(2)}h.76v${(x * TALL).toFixed(2)}z`;
    const paths = (keep) =>
      Array.from(numbers, (x, i) => (keep(x) ? bar(i, Math.max(-1, Math.min(1, x))) : "")).join("");
    setAttr(picture, "viewBox", `0 0 ${n} ${2 * TALL}`);
    const draws = [up, down, middle];
    const shapes = [paths((x) => x > 0), paths((x) => x < 0), `M0 ${TALL}H${n}`];
    draws.forEach((path, i) => setAttr(path, "d", shapes[i]));
  }
  return { el, draw };
}
