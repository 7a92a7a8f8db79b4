// The plane: the grid and the tokens where the layers have moved them, on a canvas, and over it a handle for every
// token of the start.

import { ARROWS, planeFace, rounded, roundUp } from "../drawing/plane.js";
import { clamp, number, setAttrs, svg } from "../drawing/ui.js";
import { RANGES, TOKENS } from "./address.js";
import { REACH, SIDE } from "./measure.js";

const TALL = 0.86; // of the width
const NICE = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
const FAR = 12; // tokens beyond it are told and not shown
const HELP =
  "arrow keys move it, plus and minus change its weight, Delete removes it, Page Up and Page Down go to another";

/** Half the height to show: the grid's square and the tokens with it; and how many of the tokens lie outside. */
export function extentFor(points) {
  let need = REACH;
  for (let i = 0; i < points.length; i += 2)
    need = Math.max(need, Math.min(FAR, Math.max(TALL * Math.abs(points[i]), Math.abs(points[i + 1]))));
  const extent = roundUp(1.06 * need, NICE);
  let outside = 0;
  for (let i = 0; i < points.length; i += 2)
    outside += Math.abs(points[i]) > extent / TALL || Math.abs(points[i + 1]) > extent;
  return { extent, outside };
}

const place = (value) => clamp(rounded(value), ...RANGES.place);
/** A weight one press heavier or lighter: by a quarter. */
export const heavier = (weight, up) =>
  clamp(Number((up ? weight * 1.25 : weight / 1.25).toPrecision(3)), ...RANGES.weight);

/** get(): the settings; acts: {move(k, [x, y]), weigh(k, weight), remove(k), add([x, y]), choose(k), chosen()}. */
export function plane({ get, acts }) {
  const board = planeFace("The tokens of the start. Double-click an empty place to add one.", TALL);
  const { face, canvas, layer, toScreen } = board;
  face.addEventListener("dblclick", (event) => {
    if (event.target === canvas || event.target === face) acts.add(board.toPlane(event).map(place));
  });

  const handles = [];
  function handle(k) {
    const node = board.handle(
      { "aria-valuemin": RANGES.place[0], "aria-valuemax": RANGES.place[1] },
      svg("circle", { class: "course-knob", r: 6 }),
      {
        where: () => get().tokens[k],
        moved(at) {
          if (k < get().tokens.length) acts.move(k, at.map(place));
        },
        released: () => acts.choose(k),
      },
    );
    node.addEventListener("focus", () => acts.choose(k));
    node.addEventListener("keydown", (event) => {
      const many = get().tokens.length;
      if (k >= many) return; // just removed, and still there until the next frame
      const [x, y, weight] = get().tokens[k];
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const by = ARROWS[event.key]?.map((step) => step * (event.shiftKey ? 0.5 : 0.1));
      if (by) acts.move(k, [place(x + by[0]), place(y + by[1])]);
      else if (event.key === "+" || event.key === "=") acts.weigh(k, heavier(weight, true));
      else if (event.key === "-" || event.key === "_") acts.weigh(k, heavier(weight, false));
      else if (event.key === "Delete" || event.key === "Backspace") acts.remove(k, true);
      else if (event.key === "PageDown") focus((k + 1) % many);
      else if (event.key === "PageUp") focus((k + many - 1) % many);
      else return;
      event.preventDefault();
    });
    return node;
  }
  function focus(k) {
    acts.choose(k);
    sync(get());
    handles[k].focus({ preventScroll: true });
  }
  /** As many handles as tokens; one of them is reached by Tab. */
  function sync({ tokens }) {
    while (handles.length > tokens.length) handles.pop().remove();
    while (handles.length < Math.min(tokens.length, TOKENS)) {
      handles.push(handle(handles.length));
      layer.append(handles.at(-1));
    }
    const chosen = acts.chosen();
    handles.forEach((node, k) => {
      const [x, y, weight] = tokens[k];
      setAttrs(node, {
        tabindex: k === chosen ? 0 : -1,
        "data-chosen": k === chosen,
        "aria-label": `token ${k + 1} of ${tokens.length}: ${HELP}`,
        "aria-valuenow": x,
        "aria-valuetext": `at ${number(x)}, ${number(y)}, weight ${Number(weight.toPrecision(3))}`,
      });
    });
  }

  const points = (flat) => Array.from({ length: flat.length / 2 }, (_, k) => toScreen(flat[2 * k], flat[2 * k + 1]));
  /** scene: {extent, grid, other, tokens: start places, moved, nodes, probabilities, blur}. */
  function draw(scene) {
    const pen = board.begin(scene.extent);
    if (!pen) return;
    if (scene.blur) fog(pen, scene);
    pen.grid();
    net(pen, scene.grid, scene.other ? 0.45 : 0.75);
    if (scene.other) strokes(pen.context, scene.grid, scene.other, pen.hue("green"), 1.5);
    if (scene.nodes) dust(pen, scene.nodes);
    bodies(pen, scene);
    const { tokens } = get();
    sync({ tokens });
    handles.forEach((node, k) => board.put(node, toScreen(...tokens[k]), 8));
  }
  /** The grid's 30 rows and 30 columns, each a line through its 30 places. */
  function net({ context, hue }, places, line) {
    context.strokeStyle = hue("blue");
    context.lineWidth = line;
    context.beginPath();
    for (const along of [true, false])
      for (let i = 0; i < SIDE; i++)
        for (let j = 0; j < SIDE; j++) {
          const k = 2 * (along ? i * SIDE + j : j * SIDE + i);
          const [px, py] = toScreen(places[k], places[k + 1]);
          context[j ? "lineTo" : "moveTo"](clamp(px, -1e4, 1e4), clamp(py, -1e4, 1e4));
        }
    context.stroke();
  }
  /** From every place to where it is otherwise. */
  function strokes(context, from, to, colour, line) {
    const ends = points(to);
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.beginPath();
    points(from).forEach((start, k) => {
      context.moveTo(...start);
      context.lineTo(...ends[k]);
    });
    context.stroke();
  }
  /** What a blurred token is: a soft disc out to two standard deviations. */
  function fog({ context, hue, unit }, { tokens, probabilities, blur }) {
    const r = 2 * unit * blur;
    const colour = hue("orange");
    points(tokens).forEach(([px, py], k) => {
      const soft = context.createRadialGradient(px, py, 0, px, py, r);
      context.globalAlpha = clamp(1.6 * probabilities[k], 0.03, 0.6);
      soft.addColorStop(0, colour);
      soft.addColorStop(1, `${colour}00`);
      context.fillStyle = soft;
      context.fillRect(px - r, py - r, 2 * r, 2 * r);
    });
    context.globalAlpha = 1;
  }
  function dust({ context, hue }, { x, log }) {
    context.fillStyle = hue("orange");
    context.globalAlpha = 0.5;
    points(x).forEach(([px, py], j) => {
      const r = clamp(16 * Math.exp(log[j] / 2), 0.5, 4);
      context.fillRect(px - r, py - r, 2 * r, 2 * r);
    });
    context.globalAlpha = 1;
  }
  /** From every start a thin line to where its token is now: a disc, its area the token's share. */
  function bodies({ context, colours, hue, disc }, { tokens, moved, probabilities }) {
    context.globalAlpha = 0.55;
    strokes(context, tokens, moved, colours.ink, 0.9);
    context.globalAlpha = 1;
    context.strokeStyle = colours.ground;
    context.lineWidth = 1.2;
    points(moved).forEach((at, k) => {
      disc(at, clamp(19 * Math.sqrt(probabilities[k]), 2.2, 15), hue("orange"));
      context.stroke();
    });
  }
  return { face, draw, focus, held: board.held };
}
