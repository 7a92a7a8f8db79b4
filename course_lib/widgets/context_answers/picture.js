// The points of the context as handles, and two curves over x: what was wanted, and what is answered.

import { ARROWS, planeFace } from "../drawing/plane.js";
import { digits, ticks } from "../drawing/scale.js";
import { clamp, setAttrs, svg } from "../drawing/ui.js";
import { MOST, TALL, WIDE } from "./address.js";
import { LINE } from "./answers.js";
import { spot } from "./words.js";

const SHAPE = 0.72; // height by width
const ROOM = 0.08; // left and right of the interval, as a share of the width
const FOOT = 0.15; // below the range and above it
const STAND = -0.8; // of a cloud's points, between foot (−1) and top (1)
const HELP = "arrow keys move it, Delete removes it, Page Up and Page Down go to another";
const round = (value) => Math.round(100 * value) / 100;

/** get(): {points, flat, range}; acts: {move(k, [x, y]), remove(k), add([x, y]), choose(k), chosen()}. */
export function picture({ get, acts }) {
  const board = planeFace("The points of the context. Double-click an empty place to add one.", SHAPE);
  const { face, canvas, layer, toScreen } = board;
  // the plane's own coordinates: −1 to 1 from foot to top
  const half = (1 - 2 * ROOM) / SHAPE;
  const part = (y, [low, high]) => 2 * (FOOT + (1 - 2 * FOOT) * ((y - low) / (high - low))) - 1;
  const height = (v, [low, high]) => low + (high - low) * (((v + 1) / 2 - FOOT) / (1 - 2 * FOOT));
  const there = ([x, y]) => [half * x, get().flat ? STAND : part(y, get().range)];
  const place = ([u, v], old) => [
    round(clamp(u / half, ...WIDE)),
    get().flat ? (old?.[1] ?? 0) : round(clamp(height(v, get().range), ...TALL)),
  ];
  face.addEventListener("dblclick", (event) => {
    if (event.target === canvas || event.target === face) acts.add(place(board.toPlane(event)));
  });

  const handles = [];
  function handle(k) {
    const knob = svg("circle", { class: "course-knob", r: 7 });
    const node = board.handle({ "aria-valuemin": WIDE[0], "aria-valuemax": WIDE[1] }, knob, {
      where: () => there(get().points[k]),
      moved(at) {
        if (k < get().points.length) acts.move(k, place(at, get().points[k]));
      },
      released: () => acts.choose(k),
    });
    node.addEventListener("focus", () => acts.choose(k));
    node.addEventListener("keydown", (event) => {
      const { points, flat } = get();
      if (k >= points.length || event.ctrlKey || event.altKey || event.metaKey) return;
      const [x, y] = points[k];
      const by = ARROWS[event.key];
      if (by) {
        const step = event.shiftKey ? 5 : 1;
        const [right, up] = [0.05 * step * by[0], flat ? 0 : 0.1 * step * by[1]];
        acts.move(k, [round(clamp(x + right, ...WIDE)), flat ? y : round(clamp(y + up, ...TALL))]);
      } else if (event.key === "Delete" || event.key === "Backspace") acts.remove(k, true);
      else if (event.key === "PageDown") focus((k + 1) % points.length);
      else if (event.key === "PageUp") focus((k + points.length - 1) % points.length);
      else return;
      event.preventDefault();
    });
    return node;
  }
  function focus(k) {
    acts.choose(k);
    sync();
    handles[k]?.focus({ preventScroll: true });
  }
  /** As many handles as points; one of them is reached by Tab. */
  function sync() {
    const { points, flat } = get();
    while (handles.length > points.length) handles.pop().remove();
    while (handles.length < Math.min(points.length, MOST)) {
      handles.push(handle(handles.length));
      layer.append(handles.at(-1));
    }
    handles.forEach((node, k) => {
      const chosen = k === acts.chosen();
      setAttrs(node, {
        tabindex: chosen ? 0 : -1,
        "data-chosen": chosen,
        "aria-label": `point ${k + 1} of ${points.length}: ${HELP}`,
        "aria-valuenow": points[k][0],
        "aria-valuetext": spot(points[k], flat),
      });
    });
  }

  /** scene: {wanted, answered: numbers at LINE, query: {x, wanted, answered} or null}. */
  function draw({ wanted, answered, query }) {
    const pen = board.begin(1);
    if (!pen) return;
    const { colours, hue, trace, disc, note, width } = pen;
    const { points, range } = get();
    const at = (x, y) => toScreen(half * x, part(y, range));
    const [left, right] = [toScreen(-half, 0)[0], toScreen(half, 0)[0]];
    const low = toScreen(0, -1)[1];
    for (const value of ticks(range, false, 5)) {
      const [, y] = at(0, value);
      trace(
        [
          [left, y],
          [right, y],
        ],
        value === 0 ? colours.edge : colours.line,
        1,
      );
      note(digits(value), left - 5, y, "right");
    }
    for (const x of [-1, -0.5, 0, 0.5, 1]) {
      const [across] = at(x, 0);
      trace(
        [
          [across, 0],
          [across, low],
        ],
        colours.line,
        1,
      );
      note(digits(x), clamp(across, 16, width - 16), low - 8);
    }
    if (query) {
      const [across] = at(query.x, 0);
      trace(
        [
          [across, 0],
          [across, low],
        ],
        colours.soft,
        1.2,
        [3, 4],
      );
    }
    trace(
      LINE.map((x, i) => at(x, answered[i])),
      hue("orange"),
      3.6,
    );
    trace(
      LINE.map((x, i) => at(x, wanted[i])), // over the other: where both are one, both are seen
      hue("blue"),
      1.8,
      [7, 6],
    );
    if (query) {
      disc(at(query.x, query.wanted), 4.5, hue("blue"));
      disc(at(query.x, query.answered), 6, hue("orange"));
    }
    sync();
    handles.forEach((node, k) => board.put(node, toScreen(...there(points[k])), 8));
  }
  return { face, draw, focus, held: board.held };
}
