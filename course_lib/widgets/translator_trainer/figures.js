// What is seen of the run: its loss with the floor, how often each letter is right, one test row, and where the decoder
// looked.

import { paint } from "../drawing/colours.js";
import { lineChart } from "../drawing/line_chart.js";
import { h, number, setAttr, setText } from "../drawing/ui.js";
import { letters, nats, percent } from "./words.js";

const HIGHEST = 2.4; // somewhat more than the loss of who guesses among eight letters and a sign

export function figures() {
  const loss = lineChart({ width: 340, height: 168, right: 10, axis: true, kinds: ["loss"] });
  const bars = h("div", { class: "ttr-bars", role: "img" });
  const row = h("p", { class: "ttr-row" });
  const canvas = h("canvas", { "aria-hidden": "true" });
  const looks = h("p", { class: "course-hidden" });
  const map = h(
    "figure",
    { class: "ttr-map" },
    h("div", {}, "Where the decoder looked in this row: a row a letter written, a column a letter read"),
    canvas,
    looks,
  );
  const framed = (title, unit, ...parts) =>
    h("figure", {}, h("div", { class: "ttr-title" }, title, " ", h("span", { class: "trn-soft" }, unit)), ...parts);
  const first = framed("Loss", "nats a letter", loss.picture);
  const rest = framed("Letters that are right", "by their place in what is written", bars, row);

  function draw({ frame: { seen, curve }, settings, least, theme }) {
    const { updates, length: n, attention } = settings;
    loss.draw({
      x: {
        low: 0,
        high: updates,
        marks: [0, updates / 2, updates].map((value) => [value, value.toLocaleString("en")]),
        name: "update",
      },
      y: { low: 0, high: HIGHEST, marks: [0, 0.5, 1, 1.5, 2].map((value) => [value, number(value, 1)]) },
      series: { loss: curve },
      marked: [[least, `floor ${nats(least)}`, "best", true]],
      words:
        `Loss over ${curve.at(-1)[0]} updates: from ${nats(curve[0][1])} to ${nats(curve.at(-1)[1])} nats a ` +
        `letter. The floor is ${nats(least)}.`,
    });
    setAttr(bars, "aria-label", `Share right, letter by letter: ${seen.shares.map(percent).join(", ")}.`);
    if (bars.children.length !== n)
      bars.replaceChildren(
        ...Array.from({ length: n }, (_, i) => h("div", {}, h("span", {}), h("i", {}), h("b", {}, String(i + 1)))),
      );
    [...bars.children].forEach((bar, i) => {
      setAttr(bar, "style", `--share: ${seen.shares[i]}`);
      setText(bar.firstChild, n > 10 ? "" : String(Math.round(100 * seen.shares[i])));
    });
    setText(
      row,
      `A test row: read ${letters(seen.source)}, to be written ${letters(seen.right)}, written ${letters(seen.said)}.`,
    );
    map.hidden = !attention || !seen.weights;
    if (map.hidden) return;
    paint(canvas, { rows: n, cols: n, numbers: seen.weights }, 1, theme);
    const best = (i) =>
      seen.weights.subarray(i * n, (i + 1) * n).reduce((top, x, j, all) => (x > all[top] ? j : top), 0) + 1;
    setText(
      looks,
      `Most weight, letter by letter, on letter ${Array.from({ length: n }, (_, i) => best(i)).join(", ")}.`,
    );
  }
  return { first: [first, rest], map, draw };
}
