// Lengths over the steps, on a logarithmic axis. The axis has a few fixed ranges, so that it stays while a dial turns a
// little.

import { raised } from "../drawing/scale.js";
import { clamp, draggable, h, setAttr, setAttrs, svg } from "../drawing/ui.js";

const RANGES = [
  [-4, 2],
  [-8, 4],
  [-16, 8],
  [-32, 16],
  [-64, 32],
  [-256, 128],
]; // powers of ten, six intervals each
const HEIGHT = 270;
const LEFT = 46;
const RIGHT = 12;
const TOP = 12;
const FOOT = 34;
const FEW = 45; // beyond that the dots would run into each other
const power = (n) => (n === 0 ? "1" : `10${raised(n)}`);

/** The first range that holds all finite values (powers of ten); the last where none does. */
export function rangeOf(values) {
  const finite = values.filter(Number.isFinite);
  return RANGES.find(([low, high]) => finite.every((value) => value >= low && value <= high)) ?? RANGES.at(-1);
}

/** choose(back): the reader pointed at the step so many before the end. */
export function chart({ choose, now }) {
  const grid = svg("g", { class: "gfl-grid" });
  const labels = svg("g", { class: "gfl-labels" });
  const drawing = svg("g");
  const rings = svg("g");
  const here = svg("line", { class: "gfl-here" });
  const one = svg("line", { class: "gfl-one" });
  const picture = svg("svg", { "aria-hidden": "true", height: HEIGHT }, grid, one, here, drawing, rings, labels);
  const face = h(
    "div",
    { class: "gfl-face", role: "slider", tabindex: 0, "aria-valuemin": 0, "aria-orientation": "horizontal" },
    picture,
  );
  const legend = h("div", { class: "gfl-legend" });
  const caption = h("p", { class: "gfl-caption" });
  const el = h("div", { class: "gfl-chart" }, caption, legend, face);
  let first = 0;
  let last = 1;
  let width = 0;
  const x = (t) => LEFT + ((width - LEFT - RIGHT) * (t - first)) / (last - first);

  const point = (event) => {
    const at = event.clientX - face.getBoundingClientRect().left;
    choose(clamp(last - Math.round(first + ((at - LEFT) / (width - LEFT - RIGHT)) * (last - first)), 0, last - first));
  };
  draggable(face, { start: point, move: point });
  face.style.touchAction = "pan-y"; // a finger that moves up or down scrolls the page
  face.addEventListener("keydown", (event) => {
    const { back, most } = now();
    const by = { ArrowLeft: 1, ArrowDown: 1, ArrowRight: -1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    const target =
      event.key === "Home" ? most : event.key === "End" ? 0 : by === undefined ? null : clamp(back + by, 0, most);
    if (target === null) return;
    event.preventDefault();
    choose(target);
  });

  /**
   * title: texts and nodes; series: [{name, mark, values}], logarithms to base 10 over the steps `from` … `from +
   * values.length - 1`.
   */
  function draw({ series, from, back, title, told, label }) {
    width = face.clientWidth;
    if (!width) return;
    [first, last] = [from, from + series[0].values.length - 1];
    const [low, high] = rangeOf(series.filter(({ mark }) => mark !== "bound").flatMap(({ values }) => [...values]));
    const y = (value) => TOP + ((HEIGHT - TOP - FOOT) * (high - clamp(value, low, high))) / (high - low);
    setAttr(picture, "width", width);
    const rows = Array.from({ length: 7 }, (_, k) => low + (k * (high - low)) / 6);
    const at = last - back;
    grid.replaceChildren(
      ...rows.map((value) => svg("line", { x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) })),
    );
    const columns = [...new Set([first, Math.round((first + last) / 2), last])];
    labels.replaceChildren(
      ...rows.map((value) => svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, power(value))),
      ...columns.map((t) =>
        svg(
          "text",
          { x: x(t), y: HEIGHT - 16, "text-anchor": t === last ? "end" : t === first ? "start" : "middle" },
          String(t),
        ),
      ),
      svg("text", { x: (LEFT + width - RIGHT) / 2, y: HEIGHT - 1, "text-anchor": "middle" }, "step t"),
    );
    setAttrs(one, { x1: LEFT, x2: width - RIGHT, y1: y(0), y2: y(0) });
    setAttrs(here, { x1: x(at), x2: x(at), y1: TOP, y2: HEIGHT - FOOT });
    drawing.replaceChildren(
      ...series.flatMap(({ mark, values }) => {
        const points = [...values].map((value, k) => [x(first + k).toFixed(1), y(value).toFixed(1)]);
        const d = points.map((point, k) => `${k ? "L" : "M"}${point.join(",")}`).join("");
        const dotted = mark !== "bound" && values.length <= FEW ? points : [];
        return [
          svg("path", { class: `gfl-line gfl-${mark}`, d }),
          ...dotted.map(([cx, cy]) => svg("circle", { class: `gfl-dot gfl-${mark}`, r: 2.2, cx, cy })),
        ];
      }),
    );
    rings.replaceChildren(
      ...series
        .filter(({ mark }) => mark !== "bound")
        .map(({ mark, values }) =>
          svg("circle", { class: `gfl-ring gfl-${mark}`, r: 5, cx: x(at), cy: y(values[at - first]) }),
        ),
    );
    const named = series.length > 1 ? series : [];
    const sign = (mark) => svg("path", { class: `gfl-line gfl-${mark}`, d: "M0,5H26" });
    legend.replaceChildren(
      ...named.map(({ name, mark }) =>
        h("span", {}, svg("svg", { width: 26, height: 10, "aria-hidden": "true" }, sign(mark)), name),
      ),
    );
    caption.replaceChildren(...title);
    setAttrs(face, {
      "aria-label": label,
      "aria-valuemax": last - first,
      "aria-valuenow": back,
      "aria-valuetext": told,
    });
  }
  return { el, face, draw };
}
