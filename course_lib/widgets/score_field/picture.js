// The plane of keys: the score of each place as colour and as level lines, the thirteen keys, and the query as a
// handle.

import { colour, css } from "../drawing/colours.js";
import { ARROWS, planeFace, rounded } from "../drawing/plane.js";
import { clamp, number, setAttrs, svg } from "../drawing/ui.js";
import { contour } from "../surface/contour.js";
import { TAKES } from "./address.js";
import { EXTENT, KEYS, LINE } from "./field.js";

const STEP = 0.5; // between two level lines
const FULL = 6; // the score of the full colour

/** get(): the settings; change(part). Gives {face, draw(theme, found)}. */
export function picture({ get, change }) {
  const board = planeFace("The plane of keys and queries", 1);
  const set = ([x, y]) => change({ x: rounded(clamp(x, ...TAKES.x)), y: rounded(clamp(y, ...TAKES.y)) });
  const where = () => [get().x, get().y];
  const knob = svg("circle", { class: "course-knob", r: 8 });
  const label = {
    tabindex: 0,
    "aria-label": "query: arrow keys move it",
    "aria-valuemin": TAKES.x[0],
    "aria-valuemax": TAKES.x[1],
  };
  const query = board.handle(label, knob, { where, moved: set, released: () => change({}) });
  query.addEventListener("keydown", (event) => {
    const by = ARROWS[event.key];
    if (!by) return;
    event.preventDefault();
    set(where().map((old, i) => old + by[i] * (event.shiftKey ? 0.5 : 0.1)));
  });
  board.layer.append(query);

  function draw(theme, { heights, weights }) {
    const pen = board.begin(EXTENT);
    if (!pen) return;
    const { context, colours, unit, trace, disc, hue } = pen;
    const cell = (LINE[1] - LINE[0]) * unit;
    LINE.forEach((y, i) => {
      LINE.forEach((x, j) => {
        const [left, top] = board.toScreen(x, y);
        context.fillStyle = css(colour(0.6 * heights[i][j], FULL, theme));
        context.fillRect(left - cell / 2, top - cell / 2, cell + 1, cell + 1);
      });
    });
    const all = heights.flat();
    const lowest = Math.ceil(Math.min(...all) / STEP);
    for (let level = lowest; level * STEP <= Math.max(...all); level++) {
      const width = level === 0 ? 2.2 : 0.9;
      for (const ends of contour({ x: LINE, y: LINE }, heights, level * STEP + 1e-6)) {
        trace(
          ends.map((end) => board.toScreen(...end)),
          level === 0 ? colours.ink : colours.soft,
          width,
        );
      }
    }
    KEYS.forEach((key, k) => {
      const at = board.toScreen(...key);
      disc(at, 4 + 22 * Math.sqrt(weights[k]), colours.ground);
      disc(at, 2 + 22 * Math.sqrt(weights[k]), hue("green"));
      disc(at, 2, colours.ground);
    });
    const tip = board.toScreen(...where());
    trace([board.toScreen(0, 0), tip], colours.ground, 6);
    trace([board.toScreen(0, 0), tip], hue("orange"), 3);
    board.put(query, tip, 12);
    setAttrs(query, {
      "aria-valuenow": get().x,
      "aria-valuetext": where()
        .map((part) => number(part))
        .join(", "),
    });
  }
  return { face: board.face, draw };
}
