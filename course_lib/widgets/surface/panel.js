// One field in its frame: the picture, turned by drag or arrow keys, marked by click, with the legend of its colours
// below.

import { draggable, h, setAttr, setText } from "../drawing/ui.js";
import { paintFlat } from "./flat.js";
import { hit } from "./geometry.js";
import { colour, digits } from "../drawing/scale.js";
import { paintTurned, shownRange } from "./turned.js";

const REACH = 16; // pixels from a click to the point it means
const HEIGHT = 0.9; // of the width

/**
 * field: {name, z, path}; names: of the axes; marked: what the marker is, in words. What the reader does: turn.from() →
 * [azimuth, elevation], turn.to(from, right, up) in degrees; mark([row, column]) places the marker; step(up, right)
 * moves it by points.
 */
export function panel({ field, names, turn, mark, step, marked = "marker" }) {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const face = h("div", { class: "srf-face", tabindex: 0, role: "group" }, canvas);
  const legend = [h("span"), h("span"), h("span")];
  const ramp = h("i", {
    style:
      `background:linear-gradient(to right,` +
      `${[0, 1, 2, 3, 4].map((k) => `rgb(${colour(k / 4).map(Math.round)})`).join()})`,
  });
  const el = h(
    "figure",
    {},
    ...(field.name ? [h("figcaption", {}, field.name)] : []),
    face,
    h(
      "div",
      { class: "srf-legend" },
      names.z
        ? h("span", {}, `colour: ${names.z}`, h("span", { class: "course-hidden" }, ", from low to high: "))
        : h("span", { class: "course-hidden" }, "Colours from low to high: "),
      ramp,
      h("div", {}, ...legend),
    ),
  );
  let points = [];
  let view = "surface";

  let grip = null;
  const choose = (event) => {
    const box = face.getBoundingClientRect();
    const found = hit(points, event.clientX - box.left, event.clientY - box.top, REACH);
    if (found) mark(found);
  };
  draggable(face, {
    start(event) {
      grip = { x: event.clientX, y: event.clientY, moved: false, turn: turn.from() };
    },
    move(event) {
      const dx = event.clientX - grip.x;
      const dy = event.clientY - grip.y;
      if (!grip.moved && Math.hypot(dx, dy) < 4) return; // a click with an unsteady hand places the marker
      grip.moved = true;
      if (view === "map") choose(event);
      else turn.to(grip.turn, -dx * 0.5, dy * 0.4);
    },
    end(event) {
      if (!grip.moved && event.type === "pointerup") choose(event);
    },
  });
  face.style.touchAction = "pan-y"; // a finger that moves up or down scrolls the page; sideways it turns
  face.addEventListener("keydown", (event) => {
    const [right, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [
      0, 0,
    ];
    if (!right && !up) return;
    event.preventDefault();
    if (view === "map" || event.shiftKey) step(up, right);
    else turn.to(turn.from(), -5 * right, 5 * up);
  });

  function draw(state, data, range) {
    view = state.view;
    const width = face.clientWidth;
    if (!width) return;
    const arguments_ = {
      width,
      height: Math.round(HEIGHT * width),
      data,
      field,
      range,
      log: state.log,
      view: state,
      marker: state.marker,
      names,
    };
    points = (view === "map" ? paintFlat : paintTurned)(canvas, arguments_);
    setAttr(
      face,
      "aria-label",
      `${field.name || names.z}: arrow keys ${view === "map" ? "" : "turn it, with Shift they "}move the ${marked}`,
    );
    shownRange(range, state.log, state.root).forEach((value, k) => setText(legend[k], digits(value)));
  }
  return { el, draw, face };
}
