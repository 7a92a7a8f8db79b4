// Two curves over the layers: the number of groups, on a logarithmic scale, and the mean cosine with that of equal
// angles.

import { figure } from "../drawing/sheet.js";
import { number, setText } from "../drawing/ui.js";

const SIDE = { left: 40, right: 12, top: 10, gap: 22, bottom: 32 };
const PANEL = 84;
const ENDS = [50, 100, 200, 500];

export function chart() {
  const { el, face, open } = figure("depth-chart", "Groups, and below them the mean cosine");

  /** layers: of flow.js, at: the one shown; ahead: cosines of equal angles beyond it. */
  function draw({ n }, layers, at, ahead) {
    const width = face.clientWidth;
    if (!width) return;
    const height = SIDE.top + 2 * PANEL + SIDE.gap + SIDE.bottom;
    const { colours, hue, trace, across, disc, note, levels } = open(width, height);
    const end = ENDS.find((most) => at <= most);
    const right = (k) => SIDE.left + ((width - SIDE.left - SIDE.right) * k) / end;
    const panel = (top, low, high, marks) => {
      const level = (value) => top + PANEL * (1 - (value - low) / (high - low));
      levels(
        marks.map(([value, text]) => [level(value), text]),
        SIDE.left,
        width - SIDE.right,
      );
      across(top + PANEL, SIDE.left, width - SIDE.right, colours.edge, 1);
      return level;
    };
    const shown = layers.slice(0, at + 1);
    const tens = [1, 2, 4, 8, 16, 32, 64, 128].filter((count) => count <= n);
    const few = tens.filter((_, i) => tens.length < 6 || i % 2 === 0).map((count) => [Math.log2(count), String(count)]);
    const up = panel(SIDE.top, 0, Math.log2(n), few);
    const path = shown.map(({ count }, k) => [right(k), up(Math.log2(count))]);
    trace(path, hue("orange"), 2.2);
    disc(path.at(-1), 3.5, hue("orange"));
    const low = n < 6 ? -1 : -0.25;
    const level = panel(
      SIDE.top + PANEL + SIDE.gap,
      low,
      1,
      [...new Set([low, 0, 1])].map((value) => [value, number(value, value % 1 ? 2 : 0)]),
    );
    const dashed = ahead.slice(0, end + 1).map((c, k) => [right(k), level(c)]);
    setText(el.firstChild, `Groups, and below them the mean cosine${dashed.length ? " (dashed: equal angles)" : ""}`);
    if (dashed.length) trace(dashed, colours.ink, 1.4, [5, 4]);
    const cosines = shown.map(({ cosine }, k) => [right(k), level(cosine)]);
    trace(cosines, hue("blue"), 2.2);
    disc(cosines.at(-1), 3.5, hue("blue"));
    for (const k of [0, end / 2, end])
      note(String(k), right(k), height - SIDE.bottom + 12, k === end ? "right" : "center");
    note("layers passed", (SIDE.left + width) / 2, height - 7);
  }
  return { el, face, draw };
}
