// A context vector as bars, one a number, up or down from the middle: the whole of what a decoder is told about the source.

import { h, setAttr, setText, svg } from "../drawing/ui.js";

const TALL = 22;

/** draw({ numbers, words }): entries from -1 to 1, drawn to that scale always. */
export function strip({ title, note }) {
  const up = svg("path", { class: "tra-up" });
  const down = svg("path", { class: "tra-down" });
  const middle = svg("path", { class: "tra-middle" });
  const picture = svg("svg", { class: "tra-strip", role: "img", preserveAspectRatio: "none" }, up, down, middle);
  const told = h("span", {}, note);
  const el = h("div", { class: "tra-context" }, picture, h("p", { class: "tra-soft" }, h("b", {}, title), " ", told));
  let drawn = null;
  function draw({ numbers, words, note: now = note }) {
    setText(told, now);
    setAttr(picture, "aria-label", words);
    if (numbers === drawn) return;
    drawn = numbers;
    const n = numbers.length;
    const bar = (i, x) => `M${i + 0.12} ${TALL}v${(-x * TALL).toFixed(2)}h.76v${(x * TALL).toFixed(2)}z`;
    const paths = (keep) => Array.from(numbers, (x, i) => (keep(x) ? bar(i, Math.max(-1, Math.min(1, x))) : "")).join("");
    setAttr(picture, "viewBox", `0 0 ${n} ${2 * TALL}`);
    setAttr(
      up,
      "d",
      paths((x) => x > 0),
    );
    setAttr(
      down,
      "d",
      paths((x) => x < 0),
    );
    setAttr(middle, "d", `M0 ${TALL}H${n}`);
  }
  return { el, draw };
}
