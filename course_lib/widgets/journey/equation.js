// The equation of a stop with small pictures of its matrices; each is a button that shows the matrix large. And, for
// one entry, what was multiplied with what.

import { h, number, setAttr } from "../drawing/ui.js";
import { colour, css, masked, paint, scaleOf } from "../drawing/colours.js";
import { nameParts, shapeWords } from "./matrix.js";

const size = (count, most) => Math.max(12, Math.min(most, count * (count <= 16 ? 4 : 1.25)));

/** show(id): the reader wants to see this matrix large. */
export function equation({ show }) {
  const el = h("div", {
    class: "jny-equation",
    role: "group",
    "aria-label": "How the matrices hang together: choose one to see it large",
  });
  let built = "";
  let buttons = [];
  function draw({ scene, shown, theme }) {
    const key = JSON.stringify([scene.lines, Object.values(scene.matrices).map(({ rows, cols }) => [rows, cols])]);
    if (key !== built) {
      built = key;
      buttons = [];
      el.replaceChildren(
        ...scene.lines.map((line) =>
          h(
            "div",
            { class: "jny-term" },
            ...line.map((item) => {
              const matrix = scene.matrices[item];
              if (!matrix) return h("span", { class: "jny-sign" }, ...nameParts(item));
              const canvas = h("canvas", {
                "aria-hidden": "true",
                style: `width:${size(matrix.cols, 40)}px;height:${size(matrix.rows, 44)}px`,
              });
              const node = h(
                "button",
                {
                  type: "button",
                  class: "jny-thumb",
                  onclick: () => show(item),
                  "aria-label": `${matrix.name}, ${shapeWords(matrix)}`,
                },
                canvas,
                h("span", {}, ...nameParts(matrix.name)),
              );
              buttons.push({ node, canvas, item });
              return node;
            }),
          ),
        ),
      );
    }
    for (const { node, canvas, item } of buttons) {
      const matrix = scene.matrices[item];
      paint(canvas, matrix, scaleOf(matrix), theme);
      setAttr(node, "aria-pressed", item === shown);
    }
  }
  return { el, draw };
}

/** The strips of one entry: a row, a column, their products. */
export function strips() {
  const el = h("div", { class: "jny-strips" });
  function strip(name, numbers, theme, hidden) {
    const most = scaleOf({ kind: "signed", numbers: Float64Array.from(numbers, (x, k) => (hidden?.[k] ? 0 : x)) });
    const bars = Array.from(numbers, (x, k) =>
      h("i", { style: `background:${css(hidden?.[k] ? masked(theme) : colour(x, most, theme))}` }),
    );
    return h(
      "div",
      { class: "jny-strip" },
      h("span", {}, ...nameParts(name)),
      h("div", { "aria-hidden": "true" }, ...bars),
    );
  }
  function draw(how, theme) {
    const lines = how.strips.map(({ name, numbers, hidden }) => strip(name, numbers, theme, hidden));
    if (how.parts) lines.push(strip(how.parts.length > 1 ? "products" : "product", how.parts, theme));
    const words = !how.parts
      ? ""
      : `Sum of the products: ${number(how.sum)}${how.bias === null ? "" : `, plus bias ${number(how.bias)}`}.`;
    el.replaceChildren(...lines, ...(words ? [h("p", { class: "course-soft" }, words)] : []));
  }
  return { el, draw };
}
