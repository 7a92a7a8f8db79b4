// q beside p: one pair of bars a token, with the range of q over the inputs; of a chain one line of pairs for each last
// token.

import { h, number, setAttr, setAttrs, setText, svg } from "../drawing/ui.js";
import { framed, key, legendOf } from "./chart.js";

const WIDTH = 340;
const LEFT = 14;
const TALL = 118;
const LOW = 40;
const FOOT = 16;
const TOP = 14;

export function bars() {
  const picture = svg("svg", { class: "trn-chart", role: "img" });
  const title = h("span", {});
  const caption = h("figcaption", {});
  const el = framed([title], legendOf(key("p", "p"), key("q", "q")), picture, caption);
  let shape = "";
  let cells = [];

  function build(count, v) {
    const high = count === 1 ? TALL : LOW;
    const left = count === 1 ? LEFT : 56;
    const step = (WIDTH - left - 4) / v;
    const wide = Math.min(24, step * 0.36);
    const top = count === 1 ? TOP : 8;
    setAttr(picture, "viewBox", `0 0 ${WIDTH} ${count * (high + top) + FOOT}`);
    cells = Array.from({ length: count }, (_, i) =>
      Array.from({ length: v }, (_, j) => {
        const middle = left + step * (j + 0.5);
        const foot = (i + 1) * (high + top);
        const p = svg("rect", { class: "stn-bar-p", x: middle - wide - 1, width: wide });
        const q = svg("rect", { class: "stn-bar-q", x: middle + 1, width: wide });
        // the number stands over q's bar; over a narrow one somewhat to the right, clear of p's
        const range = svg("path", { class: "stn-range" });
        const text = svg("text", {
          x: middle + 1 + Math.max(wide / 2, 11),
          "text-anchor": "middle",
          class: "stn-small",
        });
        return { p, q, range, text, foot, high, middle: middle + 1 + wide / 2 };
      }),
    );
    picture.replaceChildren(
      ...cells.flatMap((line, i) => [
        svg("line", { class: "trn-tick", x1: left, x2: WIDTH, y1: line[0].foot, y2: line[0].foot }),
        ...(count > 1 ? [svg("text", { x: 0, y: line[0].foot - 4 }, `after ${i}`)] : []),
        ...line.flatMap((cell) => [cell.p, cell.q, cell.range, cell.text]),
      ]),
      ...cells[0].map((_, j) =>
        svg("text", { x: left + step * (j + 0.5), y: count * (high + top) + 13, "text-anchor": "middle" }, String(j)),
      ),
    );
  }

  /** rows: [{p, q, low?, high?}]. */
  function draw({ rows, heading, words, note }) {
    const most = Math.max(...rows.flatMap(({ p }) => p));
    if (shape !== `${rows.length} ${rows[0].p.length}`) {
      shape = `${rows.length} ${rows[0].p.length}`;
      build(rows.length, rows[0].p.length);
    }
    rows.forEach(({ p, q, low, high }, i) =>
      cells[i].forEach((cell, j) => {
        const tall = (share) => Math.min(cell.high, (cell.high * share) / (1.1 * most));
        const top = (share) => (cell.foot - tall(share)).toFixed(2);
        setAttrs(cell.p, { y: top(p[j]), height: tall(p[j]).toFixed(2) });
        setAttrs(cell.q, { y: top(q[j]), height: tall(q[j]).toFixed(2) });
        if (low) setAttr(cell.range, "d", `M${cell.middle} ${top(low[j])}V${top(high[j])}`);
        setAttr(cell.text, "y", (cell.foot - tall(Math.max(q[j], high?.[j] ?? 0)) - 4).toFixed(1));
        setText(cell.text, rows.length === 1 ? number(100 * q[j], 1) : "");
      }),
    );
    setText(title, heading);
    setText(caption, note);
    setAttr(picture, "aria-label", words);
  }
  return { el, draw };
}
