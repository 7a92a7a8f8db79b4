// The plane: the grid and the tokens where the layers have moved them, on a canvas, and over it a handle for every token of the start.

import { axesGrid } from "../drawing/axes.js";
import { begin } from "../surface/canvas.js";
import { clamp, draggable, h, number, setAttr, svg } from "../drawing/ui.js";
import { RANGES, TOKENS } from "./address.js";
import { REACH, SIDE } from "./measure.js";

const TALL = 0.86; // of the width
const NICE = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
const FAR = 12; // tokens beyond it are told and not shown
const HELP = "arrow keys move it, plus and minus change its weight, Delete removes it, Page Up and Page Down go to another";

/** Half the height to show: the grid's square and the tokens with it; and how many of the tokens lie outside. */
export function extentFor(points) {
  let need = REACH;
  for (let i = 0; i < points.length; i += 2)
    need = Math.max(need, Math.min(FAR, Math.max(TALL * Math.abs(points[i]), Math.abs(points[i + 1]))));
  need *= 1.06;
  const ten = 10 ** Math.floor(Math.log10(need));
  const extent = ten * NICE.find((digit) => digit * ten >= 0.9999 * need);
  let outside = 0;
  for (let i = 0; i < points.length; i += 2) outside += Math.abs(points[i]) > extent / TALL || Math.abs(points[i + 1]) > extent;
  return { extent, outside };
}

const round = (value) => Math.round(20 * value) / 20;
const place = (value) => clamp(round(value), ...RANGES.place);
/** A weight one press heavier or lighter: by a quarter. */
export const heavier = (weight, up) => clamp(Number((up ? weight * 1.25 : weight / 1.25).toPrecision(3)), ...RANGES.weight);

/** get(): the settings; acts: {move(k, [x, y]), weigh(k, weight), remove(k), add([x, y]), choose(k), chosen()}. */
export function plane({ get, acts }) {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const layer = svg("svg", { class: "mea-handles" });
  const face = h(
    "div",
    { class: "mea-plane", role: "group", "aria-label": "The tokens of the start. Double-click an empty place to add one." },
    canvas,
    layer,
  );
  let unit = 1;
  let extent = 3;
  let width = 0;
  let height = 0;
  let grip = null;
  const toScreen = (x, y) => [width / 2 + unit * x, height / 2 - unit * y];
  const toPlane = (event) => {
    const box = face.getBoundingClientRect();
    return [(event.clientX - box.left - width / 2) / unit, (height / 2 - (event.clientY - box.top)) / unit];
  };
  face.addEventListener("dblclick", (event) => {
    if (event.target === canvas || event.target === face) acts.add(toPlane(event).map(place));
  });

  const handles = [];
  function handle(k) {
    const node = svg(
      "g",
      { class: "mea-handle", role: "slider", "aria-valuemin": RANGES.place[0], "aria-valuemax": RANGES.place[1] },
      svg("circle", { class: "mea-target", r: 15 }),
      svg("circle", { class: "mea-knob", r: 6 }),
    );
    draggable(node, {
      start(event) {
        const [x, y] = toPlane(event);
        const [u, v] = get().tokens[k];
        grip = [x - u, y - v];
      },
      move(event) {
        if (k < get().tokens.length)
          acts.move(
            k,
            toPlane(event).map((value, i) => place(value - grip[i])),
          );
      },
      end() {
        grip = null;
        acts.choose(k);
      },
    });
    node.addEventListener("focus", () => acts.choose(k));
    node.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      const many = get().tokens.length;
      if (k >= many) return; // just removed, and still there until the next frame
      const [x, y, weight] = get().tokens[k];
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (by)
        acts.move(
          k,
          [x, y].map((value, i) => place(value + by[i] * (event.shiftKey ? 0.5 : 0.1))),
        );
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
      setAttr(node, "tabindex", k === chosen ? 0 : -1);
      setAttr(node, "data-chosen", k === chosen);
      setAttr(node, "aria-label", `token ${k + 1} of ${tokens.length}: ${HELP}`);
      setAttr(node, "aria-valuenow", x);
      setAttr(node, "aria-valuetext", `at ${number(x)}, ${number(y)}, weight ${Number(weight.toPrecision(3))}`);
    });
  }

  /** scene: {extent, grid, other, tokens: start places, moved, nodes, probabilities, blur}. */
  function draw(scene) {
    width = face.clientWidth;
    if (!width) return;
    height = Math.round(TALL * width);
    extent = scene.extent;
    unit = height / 2 / extent;
    const { context, colours } = begin(canvas, width, height);
    const style = getComputedStyle(canvas);
    const hue = (name) => style.getPropertyValue(`--course-${name}`).trim();
    if (scene.blur) fog(context, scene, hue("orange"));
    axesGrid(context, colours, { width, height, unit });
    net(context, scene.grid, hue("blue"), scene.other ? 0.45 : 0.75);
    if (scene.other) strokes(context, scene.grid, scene.other, hue("green"));
    if (scene.nodes) dust(context, scene.nodes, hue("orange"));
    bodies(context, scene, hue("orange"), colours);
    setAttr(layer, "viewBox", `0 0 ${width} ${height}`);
    const { tokens } = get();
    sync({ tokens });
    handles.forEach((node, k) => {
      const [x, y] = tokens[k];
      const at = toScreen(x, y).map((value, i) => clamp(value, 8, (i ? height : width) - 8)); // never out of reach
      setAttr(node, "transform", `translate(${at[0].toFixed(1)} ${at[1].toFixed(1)})`);
    });
  }
  /** The grid's 30 rows and 30 columns, each a line through its 30 places. */
  function net(context, places, colour, line) {
    context.strokeStyle = colour;
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
  /** From every place of the grid to where it would be otherwise. */
  function strokes(context, from, to, colour) {
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.beginPath();
    for (let i = 0; i < from.length; i += 2) {
      context.moveTo(...toScreen(from[i], from[i + 1]));
      context.lineTo(...toScreen(to[i], to[i + 1]));
    }
    context.stroke();
  }
  /** What a blurred token is: a soft disc out to two standard deviations. */
  function fog(context, { tokens, probabilities, blur }, colour) {
    const r = 2 * unit * blur;
    probabilities.forEach((p, k) => {
      const [px, py] = toScreen(tokens[2 * k], tokens[2 * k + 1]);
      const soft = context.createRadialGradient(px, py, 0, px, py, r);
      context.globalAlpha = clamp(1.6 * p, 0.03, 0.6);
      soft.addColorStop(0, colour);
      soft.addColorStop(1, `${colour}00`);
      context.fillStyle = soft;
      context.fillRect(px - r, py - r, 2 * r, 2 * r);
    });
    context.globalAlpha = 1;
  }
  function dust(context, { x, log }, colour) {
    context.fillStyle = colour;
    for (let j = 0; j < log.length; j++) {
      const [px, py] = toScreen(x[2 * j], x[2 * j + 1]);
      const r = clamp(16 * Math.exp(log[j] / 2), 0.5, 4);
      context.globalAlpha = 0.5;
      context.fillRect(px - r, py - r, 2 * r, 2 * r);
    }
    context.globalAlpha = 1;
  }
  /** From every start a thin line to where its token is now: a disc, its area the token's share. */
  function bodies(context, { tokens, moved, probabilities }, colour, { ink, ground }) {
    context.strokeStyle = ink;
    context.lineWidth = 0.9;
    context.globalAlpha = 0.55;
    context.beginPath();
    for (let k = 0; k < tokens.length; k += 2) {
      context.moveTo(...toScreen(tokens[k], tokens[k + 1]));
      context.lineTo(...toScreen(moved[k], moved[k + 1]));
    }
    context.stroke();
    context.globalAlpha = 1;
    probabilities.forEach((p, k) => {
      const [px, py] = toScreen(moved[2 * k], moved[2 * k + 1]);
      context.beginPath();
      context.arc(px, py, clamp(19 * Math.sqrt(p), 2.2, 15), 0, 2 * Math.PI);
      context.fillStyle = colour;
      context.strokeStyle = ground;
      context.lineWidth = 1.2;
      context.fill();
      context.stroke();
    });
  }
  return { el: face, face, draw, focus, held: () => grip !== null };
}
