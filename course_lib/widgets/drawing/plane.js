// A plane of the page, the origin in its middle: a canvas, and over it handles for pointer and keyboard.

import { axesGrid } from "./axes.js";
import { sheet } from "./sheet.js";
import { clamp, draggable, setAttr, svg } from "./ui.js";

/** What an arrow key moves: [right, up]. */
export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
/** To twentieths: what a pointer sets. */
export const rounded = (value) => Math.round(20 * value) / 20;

/** The next number from `need` on that is one of `digits`, 1 … 10, times a power of ten. */
export function roundUp(need, digits) {
  const ten = 10 ** Math.floor(Math.log10(need));
  return ten * digits.find((digit) => digit * ten >= 0.9999 * need);
}

/** label: of the group; tall: the height, of the width. */
export function planeFace(label, tall) {
  const layer = svg("svg", { class: "course-handles" });
  const { face, canvas, open } = sheet("course-plane", { role: "group", "aria-label": label }, layer);
  let width = 0;
  let height = 0;
  let unit = 1;
  let held = false;
  const toScreen = (x, y) => [width / 2 + unit * x, height / 2 - unit * y];
  const toPlane = (event) => {
    const box = face.getBoundingClientRect();
    return [(event.clientX - box.left - width / 2) / unit, (height / 2 - (event.clientY - box.top)) / unit];
  };

  /** A new picture from −extent to extent in height, or null as long as the face has no width. */
  function begin(extent) {
    width = face.clientWidth;
    if (!width) return null;
    height = Math.round(tall * width);
    unit = height / 2 / extent;
    setAttr(layer, "viewBox", `0 0 ${width} ${height}`);
    const pen = open(width, height);
    return { ...pen, width, height, unit, grid: () => axesGrid(pen.context, pen.colours, { width, height, unit }) };
  }
  /**
   * A handle: a slider that is dragged. where(): its place in the plane, null to move it to the pointer itself;
   * moved(place), released().
   */
  function handle(attributes, knob, { where = () => null, moved, released }) {
    const target = svg("circle", { class: "course-target", r: 15 });
    const node = svg("g", { class: "course-handle", role: "slider", ...attributes }, target, knob);
    let grip = [0, 0];
    draggable(node, {
      start(event) {
        const at = where();
        grip = toPlane(event).map((value, i) => (at ? value - at[i] : 0));
        held = true;
      },
      move: (event) => moved(toPlane(event).map((value, i) => value - grip[i])),
      end() {
        held = false;
        released();
      },
    });
    return node;
  }
  /** Puts a handle at a place of the screen, `room` from the edge at least: never out of reach. Gives where it is. */
  function put(node, at, room) {
    const [x, y] = at.map((value, i) => clamp(value, room, (i ? height : width) - room));
    setAttr(node, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    return [x, y];
  }
  return { face, canvas, layer, toScreen, toPlane, begin, handle, put, held: () => held };
}
