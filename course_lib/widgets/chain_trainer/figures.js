// What is seen of the run: its loss among the exact lines, and where the heads look in one test sequence.

import { NAMES, nats } from "./words.js";
import { paint } from "../drawing/colours.js";
import { lineChart } from "../drawing/line_chart.js";
import { h, number, setAttr, setText } from "../drawing/ui.js";

const LETTERS = "abcde";

export function figures() {
  const loss = lineChart({ width: 340, height: 220, right: 10, axis: true, kinds: ["loss"] });
  const first = h(
    "figure",
    {},
    h("div", { class: "ctr-title" }, "Loss ", h("span", { class: "trn-soft" }, "nats a token")),
    loss.picture,
  );
  const row = h("p", { class: "ctr-row" });
  const grid = h("div", { class: "ctr-grid" });
  const maps = h(
    "figure",
    { class: "ctr-maps" },
    h("div", {}, "Where each head looks: a row a token, a column a place before it"),
    grid,
    row,
  );

  function draw({ frame: { seen, curve, lines }, settings, theme }) {
    const { updates, layers, h: heads, start } = settings;
    const [low, high] = [Math.floor(10 * lines.rate - 0.5) / 10, Math.ceil(10 * lines.uniform + 0.5) / 10];
    const marks = Array.from({ length: 4 }, (_, i) => low + (i * (high - low)) / 3);
    loss.draw({
      x: {
        low: 0,
        high: updates,
        marks: [0, updates / 2, updates].map((x) => [x, x.toLocaleString("en")]),
        name: "update",
      },
      y: { low, high, marks: marks.map((value) => [value, number(value, 2)]) },
      series: { loss: curve },
      marked: Object.entries(lines).map(([name, value]) => [
        value,
        `${NAMES[name]} ${nats(value)}`,
        name,
        name === "rate",
      ]),
      words:
        `Loss over ${curve.at(-1)[0]} updates: from ${nats(curve[0][1])} to ${nats(curve.at(-1)[1])} nats a token. ` +
        `Lines: ${Object.entries(lines)
          .map(([name, value]) => `${NAMES[name]} ${nats(value)}`)
          .join(", ")}.`,
    });
    if (grid.children.length !== layers * heads)
      grid.replaceChildren(
        ...Array.from({ length: layers * heads }, () =>
          h("div", {}, h("span", {}), h("canvas", { role: "img" }), h("small", {})),
        ),
      );
    setAttr(grid, "style", `--heads: ${heads}`);
    const { n } = seen;
    [...grid.children].forEach((cell, at) => {
      const [layer, head] = [Math.floor(at / heads), at % heads];
      const [title, canvas, note] = cell.children;
      const name = `layer ${layer + 1}, head ${head + 1}`;
      setText(title, name);
      paint(
        canvas,
        { rows: n, cols: n, numbers: seen.weights[layer].subarray(head * n * n, (head + 1) * n * n) },
        1,
        theme,
      );
      const back = `one place back: ${number(seen.before[layer][head], 2)}`;
      setText(note, back);
      setAttr(canvas, "aria-label", `Attention weights of ${name}, ${n} by ${n}; mean weight ${back}.`);
    });
    setText(
      row,
      `The sequence: ${start ? "⟨start⟩ " : ""}${seen.tokens.map((token) => LETTERS[token]).join("")}. Blank is 0, ` +
        `full colour 1.`,
    );
  }
  return { first, maps, draw };
}
