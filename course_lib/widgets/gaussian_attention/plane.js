// The plane: particles and ellipses on a canvas, and over it three handles by which the starting cloud is dragged.

import { ARROWS, planeFace, rounded, roundUp } from "../drawing/plane.js";
import { clamp, number, setAttrs, svg } from "../drawing/ui.js";
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
  return { extent: roundUp(Math.max(2.5, 1.04 * need), NICE), outside };
}

/** get(): the settings; change(part). Returns {face, draw, held}: held() while a handle is being dragged. */
export function plane({ get, change }) {
  const board = planeFace("The starting cloud: three handles move its mean and its axes", TALL);
  const { face, layer, toScreen } = board;
  let extent = 3;
  const placed = (value) => rounded(clamp(value, ...RANGES.mean));
  const along = (k, length) =>
    change({ spread: get().spread.map((old, i) => (i === k ? rounded(clamp(length, ...RANGES.spread)) : old)) });
  const fromMean = ([x, y]) => {
    const { mean } = get();
    return [x - mean[0], y - mean[1]];
  };

  // What a drag and the arrow keys do to each handle; `by` is (right, up) in steps.
  const PARTS = [
    {
      name: "mean",
      takes: RANGES.mean,
      help: "arrow keys move it",
      where: () => get().mean,
      moved: (place) => change({ mean: place.map(placed) }),
      keys: (by, big) => change({ mean: get().mean.map((old, i) => placed(old + by[i] * (big ? 0.5 : 0.1))) }),
    },
    {
      name: "first axis",
      takes: RANGES.angle,
      help: "left and right turn it, up and down change its length",
      moved(place) {
        const [x, y] = fromMean(place);
        if (Math.hypot(x, y) < 0.02 * extent) return; // no direction so near the mean
        const turned = Math.round((Math.atan2(y, x) * 180) / Math.PI);
        change({ angle: turned === -180 ? 180 : turned });
        along(0, Math.hypot(x, y) / 2);
      },
      keys([right, up], fine) {
        const turned = get().angle - right * (fine ? 1 : 5);
        if (right)
          change({ angle: turned - 360 * Math.ceil((turned - 180) / 360) }); // into (-180, 180]
        else along(0, get().spread[0] + 0.1 * up);
      },
    },
    {
      name: "second axis",
      takes: RANGES.spread,
      help: "arrow keys change its length",
      moved(place) {
        const [x, y] = fromMean(place);
        const [c, s] = direction(get().angle);
        along(1, Math.abs(c * y - s * x) / 2);
      },
      keys: ([right, up]) => along(1, get().spread[1] + 0.1 * (right + up)),
    },
  ];
  const handles = PARTS.map(({ name, takes, help, where, moved, keys }, k) => {
    const stick = svg("line", { class: "gau-stick" });
    const knob = k
      ? svg("rect", { class: "course-knob", x: -6, y: -6, width: 12, height: 12, rx: 2 })
      : svg("circle", { class: "course-knob", r: 7 });
    const node = board.handle(
      {
        tabindex: 0,
        "aria-label": `${name} of the start: ${help}`,
        "aria-valuemin": takes[0],
        "aria-valuemax": takes[1],
      },
      knob,
      { where, moved, released: () => change({}) },
    );
    node.addEventListener("keydown", (event) => {
      const by = ARROWS[event.key];
      if (!by) return;
      event.preventDefault();
      keys(by, event.shiftKey);
    });
    return { stick, node };
  });
  layer.append(...handles.map(({ stick }) => stick), ...handles.map(({ node }) => node).reverse());

  /** scene: {extent, start, between, closed, x, own}: clouds, and particles at the moment of the animation. */
  function draw(scene) {
    const pen = board.begin(scene.extent);
    if (!pen) return;
    extent = scene.extent;
    const { context, colours, hue } = pen;
    pen.grid();
    const r = scene.x.length > 600 ? 1.9 : 2.4;
    context.globalAlpha = 0.62;
    context.fillStyle = hue("orange");
    for (let i = 0; i < scene.x.length; i += 2) {
      const [px, py] = toScreen(scene.x[i], scene.x[i + 1]);
      context.fillRect(px - r / 1.2, py - r / 1.2, 1.7 * r, 1.7 * r);
    }
    context.globalAlpha = 1;
    for (const cloud of scene.between) ellipse(pen, cloud, hue("blue"), 0.8);
    ellipse(pen, scene.start, colours.ink, 1.5, [1.5, 4]);
    ellipse(pen, scene.closed, hue("blue"), 2.6);
    ellipse(pen, scene.own, hue("orange"), 2.2, [7, 5]);
    cross(pen, scene.closed.mean);
    place(get(), pen.unit);
  }
  function ellipse({ context, width, unit }, { mean, sigma }, colour, line, dash = []) {
    const { large, small, angle } = axes(sigma);
    const [px, py] = toScreen(...mean);
    const far = 50 * width;
    // told in words: nothing of it would be seen
    if (![px, py, unit * large].every((value) => Math.abs(value) < far)) return;
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.setLineDash(dash);
    context.beginPath();
    context.ellipse(px, py, 2 * unit * large, 2 * unit * small, -angle, 0, 2 * Math.PI);
    context.stroke();
    context.setLineDash([]);
  }
  function cross({ trace, colours, hue }, mean) {
    const [px, py] = toScreen(...mean);
    for (const [line, colour] of [
      [5, colours.ground],
      [2.4, hue("blue")],
    ])
      for (const dy of [5, -5]) {
        const ends = [-1, 1].map((side) => [px + 5 * side, py + dy * side]);
        trace(ends, colour, line);
      }
  }
  function place({ mean, spread, angle }, unit) {
    const [mx, my] = toScreen(...mean);
    const [c, s] = direction(angle);
    const end = (k, u, v) => {
      const far = Math.max(NEAREST, 2 * unit * spread[k]);
      return [mx + far * u, my - far * v];
    };
    const told = [
      { at: [mx, my], value: mean[0], text: `${number(mean[0])}, ${number(mean[1])}` },
      { at: end(0, c, s), value: angle, text: `${number(angle, 0)} degrees, length ${number(spread[0])}` },
      { at: end(1, -s, c), value: spread[1], text: `length ${number(spread[1])}` },
    ];
    handles.forEach(({ stick, node }, k) => {
      const [x, y] = board.put(node, told[k].at, 12);
      setAttrs(node, { "aria-valuenow": Number(told[k].value.toFixed(2)), "aria-valuetext": told[k].text });
      setAttrs(stick, { x1: mx.toFixed(1), y1: my.toFixed(1), x2: x.toFixed(1), y2: y.toFixed(1) });
    });
  }
  return { face, draw, held: board.held };
}
