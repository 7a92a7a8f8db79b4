// Every head's map as a small picture, all on one canvas: the longer of layers and heads runs from left to right.
// Pointer or arrow keys choose.

import { colour } from "../drawing/colours.js";
import { clamp, draggable, h, setAttr, setAttrs } from "../drawing/ui.js";
import { headName } from "./looks.js";

const STEPS = 256;
const shades = (theme) => Array.from({ length: STEPS }, (_, i) => colour(i / (STEPS - 1), 1, theme));

/** choose({layer, head}) */
export function overview({ choose }) {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const mark = h("i", { class: "real-mark" });
  const face = h(
    "div",
    { class: "real-face", role: "slider", tabindex: 0, "aria-orientation": "horizontal" },
    canvas,
    mark,
  );
  const el = h("div", { class: "real-overview" }, face);
  let now = null;

  const settle = (across, down) => {
    const { wide, layers, heads } = now;
    const [x, y] = [clamp(across, 0, Math.max(layers, heads) - 1), clamp(down, 0, Math.min(layers, heads) - 1)];
    const chosen = wide ? { layer: x, head: y } : { layer: y, head: x };
    now = { ...now, ...chosen }; // at once: a second key may come before the next frame
    choose(chosen);
  };
  const point = (event) => {
    const box = face.getBoundingClientRect();
    const { layers, heads } = now;
    settle(
      Math.floor(((event.clientX - box.left) / box.width) * Math.max(layers, heads)),
      Math.floor(((event.clientY - box.top) / box.height) * Math.min(layers, heads)),
    );
  };
  draggable(face, { start: point, move: point });
  face.addEventListener("keydown", (event) => {
    if (!now) return;
    const [x, y] = now.wide ? [now.layer, now.head] : [now.head, now.layer];
    const across = { ArrowLeft: -1, ArrowRight: 1, PageUp: 5, PageDown: -5, Home: -x, End: Infinity }[event.key] ?? 0;
    const down = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0;
    if (!across && !down && event.key !== "Home") return;
    event.preventDefault();
    settle(x + across, y + down);
  });

  let pictured = []; // what the canvas shows
  function picture(provider, reading, theme) {
    const { layers, heads } = provider;
    if (pictured[0] === reading && pictured[1] === theme) return;
    pictured = [reading, theme];
    const n = reading.words.length;
    const [across, down] = [Math.max(layers, heads), Math.min(layers, heads)];
    const wide = layers >= heads;
    const size = n + 1; // a pixel between two maps
    canvas.width = across * size - 1;
    canvas.height = down * size - 1;
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    const known = shades(theme);
    for (let layer = 0; layer < layers; layer++)
      for (let head = 0; head < heads; head++) {
        const map = reading.weight(layer, head);
        const [x, y] = wide ? [layer * size, head * size] : [head * size, layer * size];
        for (let i = 0; i < n; i++)
          for (let j = 0; j < n; j++) {
            if (provider.causal && j > i) continue;
            const at = 4 * ((y + i) * canvas.width + x + j);
            image.data.set(known[Math.round((STEPS - 1) * Math.min(1, map[i * n + j]))], at);
            image.data[at + 3] = 255;
          }
      }
    context.putImageData(image, 0, 0);
  }

  function draw(provider, reading, { layer, head }, theme) {
    const { layers, heads } = provider;
    const wide = layers >= heads;
    now = { layers, heads, wide, layer, head };
    picture(provider, reading, theme);
    const [across, down] = [Math.max(layers, heads), Math.min(layers, heads)];
    const [x, y] = wide ? [layer, head] : [head, layer];
    setAttr(
      mark,
      "style",
      `left:${(100 * x) / across}%;top:${(100 * y) / down}%;width:${100 / across}%;height:${100 / down}%`,
    );
    setAttr(face, "style", `aspect-ratio:${across}/${down}`);
    setAttrs(
      face,
      {
        label: `All heads. Left and right: ${wide ? "layer" : "head"}. Up and down: ${wide ? "head" : "layer"}.`,
        valuemin: 0,
        valuemax: layers * heads - 1,
        valuenow: layer * heads + head,
        valuetext: headName(layer, head),
      },
      "aria-",
    );
  }
  return { el, draw };
}
