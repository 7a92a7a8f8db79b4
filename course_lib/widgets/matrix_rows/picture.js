// The plane after the move: squared paper, the unit circle, the two rows as arrows, and the way from x to xW.

import { pair, times } from "./moved.js";
import { ARROWS, planeFace } from "../drawing/plane.js";
import { clamp, setAttrs, svg } from "../drawing/ui.js";

const REACH = 2.4;
const PAPER = [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2];
const CIRCLE = Array.from({ length: 73 }, (_, k) => [Math.cos((k * Math.PI) / 36), Math.sin((k * Math.PI) / 36)]);
const HANDLES = { first: ["row 1", "orange"], second: ["row 2", "blue"], point: ["x", "ink"] };
const tenth = (value) => Math.round(10 * value) / 10;

/** get(): the settings; change(part): the reader has moved a row or the point. */
export function picture({ get, change }) {
  const plane = planeFace("The plane, moved by W", 1);
  const handles = Object.fromEntries(
    Object.entries(HANDLES).map(([name, [label, colour]]) => [name, handle(name, label, colour)]),
  );
  plane.layer.append(...Object.values(handles));

  function handle(name, label, colour) {
    const move = (place) => change({ [name]: place.map((value) => clamp(tenth(value), -2, 2)) });
    const shape = name === "point" ? svg("rect", { x: -6, y: -6, width: 12, height: 12 }) : svg("circle", { r: 8 });
    setAttrs(shape, { class: "course-knob", style: `stroke: var(--course-${colour}); stroke-width: 3` });
    const attributes = { tabindex: 0, "aria-label": label, "aria-valuemin": -2, "aria-valuemax": 2 };
    const node = plane.handle(attributes, shape, { where: () => get()[name], moved: move, released() {} });
    node.addEventListener("keydown", (event) => {
      const step = ARROWS[event.key];
      if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      move(get()[name].map((value, i) => value + step[i] * (event.shiftKey ? 0.5 : 0.1)));
    });
    return node;
  }

  function draw(state, { image }) {
    const pen = plane.begin(REACH);
    if (!pen) return false;
    const { colours, context, hue, note, trace, disc } = pen;
    const W = [state.first, state.second];
    const at = (place) => plane.toScreen(...place);
    const after = (points) => points.map((each) => at(times(each, W)));
    pen.grid();
    for (const k of PAPER)
      for (const line of [
        [
          [k, -2],
          [k, 2],
        ],
        [
          [-2, k],
          [2, k],
        ],
      ])
        trace(after(line), hue("green"), k ? 0.7 : 1.2);
    trace(CIRCLE.map(at), colours.edge, 1, [2, 4]);
    trace(after(CIRCLE), hue("purple"), 2.5);
    const corner = at(times([state.point[0], 0], W));
    trace([at([0, 0]), corner, at(image)], colours.soft, 1.5, [5, 4]);
    for (const [name, [label, colour]] of Object.entries(HANDLES)) {
      const [x, y] = at(state[name]);
      if (name !== "point") arrow(context, at([0, 0]), [x, y], hue(colour));
      note(label, x, y - 17);
      plane.put(handles[name], [x, y], 10);
      setAttrs(handles[name], { "aria-valuenow": state[name][0], "aria-valuetext": pair(state[name]) });
    }
    disc(at(image), 5, colours.ink);
    note("xW", at(image)[0], at(image)[1] + 15);
  }
  return { face: plane.face, draw };
}

/** From the origin to just before the handle at its end. */
function arrow(context, [x0, y0], [x, y], colour) {
  const length = Math.hypot(x - x0, y - y0);
  if (length < 10) return;
  const part = (length - 8) / length;
  context.strokeStyle = colour;
  context.lineWidth = 4;
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x0 + part * (x - x0), y0 + part * (y - y0));
  context.stroke();
}
