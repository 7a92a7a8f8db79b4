// The tokens: on their circle with the way they have come, on their sphere, or in more dimensions by the map of their
// cosines.

import { sheet } from "../drawing/sheet.js";
import { sizes } from "./flow.js";

const TALL = 0.92; // the height, of the width
const HIGHEST = 430;
const INNER = 0.3; // radius of the start on the circle
const PLACES = 90; // of a way, at most
const TAIL = 25; // layers
const NAMED = 12; // more groups are not counted in the picture

export function picture() {
  const { face, open } = sheet("course-plane depth-face");

  /** layers: of flow.js; at: the one shown. */
  function draw({ d, turn }, layers, at) {
    const width = face.clientWidth;
    if (!width) return;
    const height = Math.min(HIGHEST, Math.round(TALL * width));
    const pen = { ...open(width, height), middle: [width / 2, height / 2], r: Math.max(0, height / 2 - 24) };
    if (d === 2) circle(pen, layers, at);
    else if (d === 3) sphere(pen, layers, at, (turn * Math.PI) / 180);
    else map(pen, layers[at], d, height - 16, [(width - height) / 2 + 8, 8]);
  }

  function ring({ context, colours, middle: [mx, my] }, radius) {
    context.strokeStyle = colours.edge;
    context.lineWidth = 1;
    context.beginPath();
    context.arc(mx, my, radius, 0, 2 * Math.PI);
    context.stroke();
  }

  function circle(pen, layers, at) {
    const {
      context,
      hue,
      trace,
      disc,
      note,
      middle: [mx, my],
      r,
    } = pen;
    const place = (x, i, radius) => [mx + radius * x[2 * i], my - radius * x[2 * i + 1]];
    const { x, group } = layers[at];
    ring(pen, r);
    ring(pen, INNER * r);
    context.globalAlpha = 0.4;
    const every = Math.max(1, Math.ceil(at / PLACES));
    for (let i = 0; i < group.length && at > 0; i++) {
      const way = [];
      for (let k = 0; k < at; k += every) way.push(place(layers[k].x, i, r * (INNER + ((1 - INNER) * k) / at)));
      trace([...way, place(x, i, r)], hue("blue"), 1);
    }
    context.globalAlpha = 0.6;
    for (let i = 0; i < group.length; i++) disc(place(x, i, at > 0 ? r : INNER * r), 4.5, hue("orange"));
    context.globalAlpha = 1;
    const count = sizes(group).length;
    for (let g = 0; g < count && count <= NAMED && at > 0; g++) {
      const members = [...group.keys()].filter((i) => group[i] === g);
      const angle = Math.atan2(
        members.reduce((sum, i) => sum + x[2 * i + 1], 0),
        members.reduce((sum, i) => sum + x[2 * i], 0),
      );
      note(String(members.length), mx + (r + 14) * Math.cos(angle), my - (r + 14) * Math.sin(angle));
    }
  }

  function sphere(pen, layers, at, angle) {
    const {
      context,
      hue,
      trace,
      disc,
      middle: [mx, my],
      r,
    } = pen;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    /** [right, down, towards the reader]: turned about the upright axis, and tilted a little. */
    const seen = (x, i) => {
      const [u, v, w] = x.subarray(3 * i, 3 * i + 3);
      const [right, deep] = [c * u + s * v, c * v - s * u];
      return [mx + r * right, my - r * (0.92 * w + 0.39 * deep), 0.39 * w - 0.92 * deep];
    };
    const { x, group } = layers[at];
    ring(pen, r);
    const order = [...group.keys()].map((i) => [seen(x, i), i]).sort(([a], [b]) => a[2] - b[2]);
    for (const [[px, py, front], i] of order) {
      context.globalAlpha = front > 0 ? 0.45 : 0.15;
      const way = [];
      for (let k = Math.max(0, at - TAIL); k <= at; k++) way.push(seen(layers[k].x, i).slice(0, 2));
      trace(way, hue("blue"), 1.2);
      context.globalAlpha = front > 0 ? 0.75 : 0.25;
      disc([px, py], 4.5, hue("orange"));
    }
    context.globalAlpha = 1;
  }

  function map({ context, hue, colours }, { x, group }, d, side, [left, top]) {
    const n = group.length;
    const members = sizes(group).map(() => []);
    for (const [i, g] of group.entries()) members[g].push(i);
    const order = members.sort((a, b) => b.length - a.length).flat();
    const edge = (k) => Math.round((k * side) / n);
    order.forEach((i, row) => {
      order.forEach((j, column) => {
        let cosine = 0;
        for (let k = 0; k < d; k++) cosine += x[i * d + k] * x[j * d + k];
        context.globalAlpha = Math.min(1, Math.abs(cosine));
        context.fillStyle = hue(cosine > 0 ? "blue" : "orange");
        context.fillRect(
          left + edge(column),
          top + edge(row),
          edge(column + 1) - edge(column),
          edge(row + 1) - edge(row),
        );
      });
    });
    context.globalAlpha = 1;
    context.strokeStyle = colours.edge;
    context.lineWidth = 1;
    context.strokeRect(left, top, side, side);
  }
  return { face, draw };
}
