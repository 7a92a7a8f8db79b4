// One token followed through the layers: what it looks at in the last layer, what those tokens looked at in the first.
// A line's width is the weight, averaged over the heads that are on; a dotted line is the residual, which passes a
// token on.

import { h, setAttr, setText, svg } from "../drawing/ui.js";
import { place, tick, top } from "./words.js";

const GAP = 17;
const COLUMN = 130;
const LEFT = 74;
const TOP = 26;
const THIN = 0.03;

/** Weights [n, n] of a layer, averaged over its heads that are on. */
export function averaged(frame, layer, n) {
  const heads = frame.weights[layer].length / (n * n);
  const on = [];
  for (let head = 0; head < heads; head++) if (!frame.off.some(([l, k]) => l === layer && k === head)) on.push(head);
  return Float32Array.from(
    { length: n * n },
    (_, i) => on.reduce((sum, head) => sum + frame.weights[layer][head * n * n + i], 0) / (on.length || 1),
  );
}

export function flow({ choose }) {
  const picture = svg("svg", { class: "aex-flow", role: "img" });
  const caption = h("p", { class: "trn-soft" });
  const el = h("div", {}, picture, caption);
  picture.addEventListener("click", (event) => {
    const row = event.target.dataset?.row;
    if (row !== undefined) choose(Number(row), null);
  });
  function draw({ frame, task, sizes, row, residual }) {
    const { n } = task;
    const { layers } = sizes;
    const height = TOP + n * GAP + 4;
    const width = LEFT + layers * COLUMN + 110;
    const x = (column) => LEFT + column * COLUMN;
    const y = (i) => TOP + (i + 0.5) * GAP;
    setAttr(picture, "viewBox", `0 0 ${width} ${height}`);
    setAttr(picture, "style", `max-width:${width * 1.15}px`);
    const lines = [];
    const dots = [];
    const reached = Array.from({ length: layers + 1 }, () => new Float32Array(n));
    reached[layers][row] = 1;
    for (let layer = layers - 1; layer >= 0; layer--) {
      const weights = averaged(frame, layer, n);
      for (let i = 0; i < n; i++) {
        const share = reached[layer + 1][i];
        if (share < THIN) continue;
        if (residual) {
          lines.push(svg("line", { class: "aex-pass", x1: x(layer), x2: x(layer + 1), y1: y(i), y2: y(i) }));
          reached[layer][i] = Math.max(reached[layer][i], share);
        }
        for (let j = 0; j < n; j++) {
          const part = share * weights[i * n + j];
          if (part < THIN) continue;
          lines.push(
            svg("line", {
              class: "aex-look",
              x1: x(layer),
              x2: x(layer + 1),
              y1: y(j),
              y2: y(i),
              "stroke-width": (1 + 6 * part).toFixed(2),
            }),
          );
          reached[layer][j] = Math.max(reached[layer][j], part);
        }
      }
    }
    for (let column = 0; column <= layers; column++) {
      dots.push(
        svg(
          "text",
          { class: "aex-flow-head", x: x(column), y: 12, "text-anchor": "middle" },
          column ? `after layer ${column}` : "tokens",
        ),
      );
      for (let i = 0; i < n; i++) {
        const on = reached[column][i] >= THIN;
        dots.push(
          svg("circle", {
            class: on ? "aex-node aex-lit" : "aex-node",
            cx: x(column),
            cy: y(i),
            r: on ? 4 : 2.5,
            "data-row": i,
          }),
        );
      }
    }
    const names = frame.tokens.map((token, i) =>
      svg(
        "text",
        {
          class: i === row ? "aex-flow-name aex-bold" : "aex-flow-name",
          x: LEFT - 10,
          y: y(i) + 4,
          "text-anchor": "end",
          "data-row": i,
        },
        task.vocabulary[token],
      ),
    );
    const best = frame.targets[row] >= 0 ? top(frame, task, row) : null;
    const says = best
      ? [svg("text", { class: "aex-flow-name aex-bold", x: x(layers) + 12, y: y(row) + 4 }, tick(best, task))]
      : [];
    picture.replaceChildren(...lines, ...dots, ...names, ...says);
    setAttr(
      picture,
      "aria-label",
      `${place(frame, task, row)} followed back through ${layers === 1 ? "the layer" : "both layers"}; the maps and ` +
        `the sentence above give the numbers.`,
    );
    setText(
      caption,
      residual
        ? "Lines are looks, averaged over the heads that are on; dotted lines the residual path."
        : "Lines are looks, averaged over the heads that are on. Without the residual nothing else passes.",
    );
  }
  return { el, draw };
}
