// The maps: a small one of every head to choose from, one or two large ones to read. Blank is weight 0, full colour 1,
// grey masked, always.

import { paint } from "../drawing/colours.js";
import { h, setAttr, setText } from "../drawing/ui.js";
import { mapName, tick, top } from "./words.js";

const INK = { light: "#1c2126", dark: "#e6e9ec" };

/** Draws one head's map [n, n] as a picture of n×n pixels. */
function picture(canvas, { frame, task: { n }, theme, causal }, [layer, head]) {
  const numbers = frame.weights[layer].subarray(head * n * n, (head + 1) * n * n);
  paint(canvas, { rows: n, cols: n, numbers, masked: (i, j) => causal && j > i }, 1, theme);
}

/** Every head's map, a row a layer. choose([layer, head]). */
export function overview({ choose }) {
  const el = h("div", { class: "aex-overview", role: "group", "aria-label": "Choose a head" });
  let shape = "";
  let buttons = [];
  function build(layers, heads) {
    buttons = Array.from({ length: layers }, (_, layer) =>
      Array.from({ length: heads }, (_, head) => {
        const canvas = h("canvas", { "aria-hidden": "true" });
        const name = h("span", {});
        const pair = [layer, head];
        const node = h("button", { type: "button", class: "aex-small", onclick: () => choose(pair) }, canvas, name);
        node.addEventListener("keydown", (event) => {
          const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[
            event.key
          ] ?? [0, 0];
          const next = buttons[layer + down]?.[head + right];
          if (!next || (!down && !right)) return;
          event.preventDefault();
          next.node.focus();
          choose(next.pair);
        });
        return { node, canvas, name, pair };
      }),
    );
    el.replaceChildren(
      ...buttons.map((line, layer) =>
        h(
          "div",
          { class: "aex-layer" },
          ...(layers > 1 ? [h("span", { class: "aex-layer-name" }, `layer ${layer + 1}`)] : []),
          ...line.map(({ node }) => node),
        ),
      ),
    );
  }
  function draw(state) {
    const { frame, sizes, map, compare } = state;
    if (`${sizes.layers} ${sizes.h}` !== shape) {
      shape = `${sizes.layers} ${sizes.h}`;
      build(sizes.layers, sizes.h);
    }
    for (const { node, canvas, name, pair } of buttons.flat()) {
      const same = (other) => other?.[0] === pair[0] && other?.[1] === pair[1];
      const off = frame.off.some(same);
      picture(canvas, state, pair);
      setText(name, `${sizes.h > 4 ? "" : "head "}${pair[1] + 1}${off ? ", off" : ""}`);
      setAttr(node, "aria-label", `${mapName(sizes.layers, pair)}${off ? ", switched off" : ""}`);
      setAttr(node, "aria-pressed", same(map));
      node.classList.toggle("aex-off", off);
      node.classList.toggle("aex-second", same(compare));
    }
  }
  return { el, draw };
}

/** One large map with its tokens; choose(row, column or null). answers: show the model's answers at the right. */
export function largeMap({ choose, answers }) {
  const title = h("div", { class: "aex-title" });
  const columns = h("div", { class: "aex-columns", "aria-hidden": "true" });
  const rows = h("div", { class: "aex-rows" });
  const canvas = h("canvas", { "aria-hidden": "true" });
  const frameBox = h("div", { class: "aex-frame", "aria-hidden": "true" });
  const cell = h("div", { class: "aex-cell" });
  const said = h("div", { class: "aex-said", "aria-hidden": "true" });
  const face = h("div", { class: "aex-face" }, canvas, frameBox, cell);
  const el = h("div", { class: "aex-large", role: "group" }, title, columns, rows, face, ...(answers ? [said] : []));
  let n = 0;
  let buttons = [];
  let now = [0, null];
  const settle = (row, column) => {
    now = [row, column]; // at once: a second key may come before the next frame
    choose(row, column);
  };
  face.addEventListener("click", (event) => {
    const box = face.getBoundingClientRect();
    const at = (part) => Math.min(n - 1, Math.max(0, Math.floor(n * part)));
    choose(at((event.clientY - box.top) / box.height), at((event.clientX - box.left) / box.width));
  });
  function build(count) {
    n = count;
    setAttr(el, "style", `--n:${n}`);
    columns.replaceChildren(...Array.from({ length: n }, () => h("span", {})));
    said.replaceChildren(...Array.from({ length: n }, () => h("span", {})));
    buttons = Array.from({ length: n }, (_, i) => {
      const node = h("button", { type: "button", onclick: () => choose(i, null) });
      node.addEventListener("keydown", (event) => {
        const down = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        const right = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (down && buttons[i + down]) {
          buttons[i + down].focus();
          settle(i + down, now[1]);
        } else if (right) settle(i, Math.min(n - 1, Math.max(0, (now[1] ?? i) + right)));
        else return;
        event.preventDefault();
      });
      return node;
    });
    rows.replaceChildren(...buttons);
  }
  function draw(state, map) {
    const { frame, task, sizes, row, column, theme } = state;
    if (n !== task.n) build(task.n);
    now = [row, column];
    el.classList.toggle(
      "aex-words",
      task.vocabulary.some((word) => word.length > 2),
    );
    const name = mapName(sizes.layers, map);
    const off = frame.off.some(([layer, head]) => layer === map[0] && head === map[1]);
    setText(title, `${name[0].toUpperCase()}${name.slice(1)}${off ? ": off" : ""}`);
    setAttr(el, "aria-label", `Map of ${name}: choose a row`);
    el.classList.toggle("aex-off", off);
    picture(canvas, state, map);
    frame.tokens.forEach((token, i) => {
      const asked = frame.targets[i] >= 0;
      setText(columns.children[i], task.vocabulary[token]);
      setText(buttons[i], task.vocabulary[token]);
      setAttr(
        buttons[i],
        "aria-label",
        `place ${i + 1}, ${task.vocabulary[token] === "→" ? "arrow" : task.vocabulary[token]}`,
      );
      setAttr(buttons[i], "aria-pressed", i === row);
      buttons[i].classList.toggle("aex-asked", asked);
      columns.children[i].classList.toggle("aex-here", i === column);
      if (!answers) return;
      const best = asked ? top(frame, task, i) : null;
      setText(said.children[i], best ? tick(best, task) : "");
      said.children[i].classList.toggle("aex-wrong", Boolean(best && !best.right && !task.floor));
    });
    setAttr(frameBox, "style", `top:${(100 * row) / n}%;height:${100 / n}%;border-color:${INK[theme]}`);
    cell.hidden = column === null;
    if (column !== null)
      setAttr(
        cell,
        "style",
        `top:${(100 * row) / n}%;left:${(100 * column) / n}%;width:${100 / n}%;height:${100 / n}%`,
      );
  }
  return { el, draw };
}
