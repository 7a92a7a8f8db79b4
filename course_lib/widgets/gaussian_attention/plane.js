// The plane: particles and ellipses on a canvas, and over it three handles by which the starting cloud is dragged.

import { axesGrid } from "../drawing/axes.js";
import { begin } from "../surface/canvas.js";
import { clamp, draggable, h, number, setAttr, svg } from "../drawing/ui.js";
import { RANGES } from "./address.js";
import { axes, direction } from "./maps.js";

const TALL = 0.84; // of the width
const NEAREST = 30; // pixels between two handles: a finger must find each
const NICE = [1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10];
const SHOWN = 6; // an ellipse this many times as large as everything else is told and not drawn whole

/** Half the height that the picture should show, of round values. */
export function extentFor(start, x, closed) {
  const reach = (mean, sigma) =>
    Math.max(...[TALL, 1].map((share, k) => share * (Math.abs(mean[k]) + 2 * Math.sqrt(sigma[k][k]))));
  let need = reach(start.mean, start.sigma);
  for (let i = 0; i < x.length; i += 2) need = Math.max(need, TALL * Math.abs(x[i]), Math.abs(x[i + 1]));
  const far = reach(closed.mean, closed.sigma);
  const outside = far > SHOWN * need;
  if (!outside) need = Math.max(need, far);
  need = Math.max(2.5, 1.04 * need);
  const ten = 10 ** Math.floor(Math.log10(need));
  return { extent: ten * NICE.find((digit) => digit * ten >= 0.9999 * need), outside };
}

/** get(): the settings; change(part). Returns {el, face, draw, held}: held() while a handle is being dragged. */
export function plane({ get, change }) {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const layer = svg("svg", { class: "gau-handles" });
  const face = h(
    "div",
    { class: "gau-plane", role: "group", "aria-label": "The starting cloud: three handles move its mean and its axes" },
    canvas,
    layer,
  );
  let unit = 1;
  let extent = 3;
  let width = 0;
  let height = 0;
  let grip = null;
  const toScreen = ([x, y]) => [width / 2 + unit * x, height / 2 - unit * y];
  const toPlane = (event) => {
    const box = face.getBoundingClientRect();
    return [(event.clientX - box.left - width / 2) / unit, (height / 2 - (event.clientY - box.top)) / unit];
  };
  const round = (value) => Math.round(20 * value) / 20;
  const spreadOf = (value) => round(clamp(value, ...RANGES.spread));
  const wrapped = (degrees) => degrees - 360 * Math.ceil((degrees - 180) / 360); // into (-180, 180]
  const from = (event) => {
    const [x, y] = toPlane(event);
    const { mean } = get();
    return [x - mean[0], y - mean[1]];
  };
  const along = (k, length) => change({ spread: get().spread.map((old, i) => (i === k ? spreadOf(length) : old)) });

  // What a drag and the arrow keys do to each handle; `by` is (right, up) in steps.
  const PARTS = [
    {
      name: "mean",
      low: RANGES.x[0],
      high: RANGES.x[1],
      drag: (event) => change({ mean: toPlane(event).map((value, i) => round(clamp(value - grip[i], ...RANGES.x))) }),
      keys: ([right, up], big) =>
        change({ mean: get().mean.map((old, i) => round(clamp(old + (i ? up : right) * (big ? 0.5 : 0.1), ...RANGES.x))) }),
    },
    {
      name: "first axis",
      low: -180,
      high: 180,
      drag(event) {
        const [x, y] = from(event);
        if (Math.hypot(x, y) < 0.02 * extent) return; // no direction so near the mean
        const turned = Math.round((Math.atan2(y, x) * 180) / Math.PI);
        change({ angle: turned === -180 ? 180 : turned });
        along(0, Math.hypot(x, y) / 2);
      },
      keys([right, up], fine) {
        if (right) change({ angle: wrapped(get().angle - right * (fine ? 1 : 5)) });
        else along(0, get().spread[0] + 0.1 * up);
      },
    },
    {
      name: "second axis",
      low: RANGES.spread[0],
      high: RANGES.spread[1],
      drag(event) {
        const [x, y] = from(event);
        const [c, s] = direction(get().angle);
        along(1, Math.abs(c * y - s * x) / 2);
      },
      keys: ([right, up]) => along(1, get().spread[1] + 0.1 * (right + up)),
    },
  ];
  const HELP = ["arrow keys move it", "left and right turn it, up and down change its length", "arrow keys change its length"];
  const handles = PARTS.map((part, k) => {
    const stick = svg("line", { class: "gau-stick" });
    const node = svg(
      "g",
      {
        class: "gau-handle",
        role: "slider",
        tabindex: 0,
        "aria-label": `${part.name} of the start: ${HELP[k]}`,
        "aria-valuemin": part.low,
        "aria-valuemax": part.high,
      },
      svg("circle", { class: "gau-target", r: 15 }),
      k
        ? svg("rect", { class: "gau-knob", x: -6, y: -6, width: 12, height: 12, rx: 2 })
        : svg("circle", { class: "gau-knob", r: 7 }),
    );
    draggable(node, {
      start(event) {
        const [x, y] = toPlane(event);
        const { mean } = get();
        grip = k ? [0, 0] : [x - mean[0], y - mean[1]];
      },
      move: part.drag,
      end() {
        grip = null;
        change({});
      },
    });
    node.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!by) return;
      event.preventDefault();
      part.keys(by, event.shiftKey);
    });
    return { stick, node };
  });
  layer.append(...handles.map(({ stick }) => stick), ...handles.map(({ node }) => node).reverse());

  /** scene: {extent, start, between, closed, x, own}: clouds, and particles at the moment of the animation. */
  function draw(scene) {
    width = face.clientWidth;
    if (!width) return;
    height = Math.round(TALL * width);
    extent = scene.extent;
    unit = height / 2 / extent;
    const { context, colours } = begin(canvas, width, height);
    const style = getComputedStyle(canvas);
    const hue = (name) => style.getPropertyValue(`--course-${name}`).trim();
    axesGrid(context, colours, { width, height, unit });
    const r = scene.x.length > 600 ? 1.9 : 2.4;
    context.globalAlpha = 0.62;
    context.fillStyle = hue("orange");
    for (let i = 0; i < scene.x.length; i += 2) {
      const [px, py] = toScreen([scene.x[i], scene.x[i + 1]]);
      context.fillRect(px - r / 1.2, py - r / 1.2, 1.7 * r, 1.7 * r);
    }
    context.globalAlpha = 1;
    for (const cloud of scene.between) ellipse(context, cloud, hue("blue"), 0.8);
    ellipse(context, scene.start, colours.ink, 1.5, [1.5, 4]);
    ellipse(context, scene.closed, hue("blue"), 2.6);
    ellipse(context, scene.own, hue("orange"), 2.2, [7, 5]);
    cross(context, scene.closed.mean, hue("blue"), colours.ground);
    place(get());
  }
  function ellipse(context, { mean, sigma }, colour, line, dash = []) {
    const { large, small, angle } = axes(sigma);
    const [px, py] = toScreen(mean);
    const far = 50 * width;
    if (![px, py, unit * large].every((value) => Math.abs(value) < far)) return; // told in words: nothing of it would be seen
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.setLineDash(dash);
    context.beginPath();
    context.ellipse(px, py, 2 * unit * large, 2 * unit * small, -angle, 0, 2 * Math.PI);
    context.stroke();
    context.setLineDash([]);
  }
  function cross(context, mean, colour, ground) {
    const [px, py] = toScreen(mean);
    for (const [line, stroke] of [
      [5, ground],
      [2.4, colour],
    ]) {
      context.lineWidth = line;
      context.strokeStyle = stroke;
      context.beginPath();
      for (const [dx, dy] of [
        [5, 5],
        [5, -5],
      ]) {
        context.moveTo(px - dx, py - dy);
        context.lineTo(px + dx, py + dy);
      }
      context.stroke();
    }
  }
  function place({ mean, spread, angle }) {
    setAttr(layer, "viewBox", `0 0 ${width} ${height}`);
    const [mx, my] = toScreen(mean);
    const [c, s] = direction(angle);
    const ends = [
      [mx, my],
      ...[
        [c, s],
        [-s, c],
      ].map(([u, v], k) => {
        const far = Math.max(NEAREST, 2 * unit * spread[k]);
        return [mx + far * u, my - far * v];
      }),
    ];
    const values = [mean[0], angle, spread[1]];
    const texts = [
      `${number(mean[0])}, ${number(mean[1])}`,
      `${number(angle, 0)} degrees, length ${number(spread[0])}`,
      `length ${number(spread[1])}`,
    ];
    handles.forEach(({ stick, node }, k) => {
      const [x, y] = ends[k].map((value, i) => clamp(value, 12, (i ? height : width) - 12)); // never out of reach
      setAttr(node, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      setAttr(node, "aria-valuenow", Number(values[k].toFixed(2)));
      setAttr(node, "aria-valuetext", texts[k]);
      for (const [name, value] of Object.entries({ x1: mx, y1: my, x2: x, y2: y })) setAttr(stick, name, value.toFixed(1));
    });
  }
  return { el: face, face, draw, held: () => grip !== null };
}
