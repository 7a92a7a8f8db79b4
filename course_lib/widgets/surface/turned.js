// The surface in its box, painted cell by cell from far to near.

import { begin, dot, drawMarker, drawPath, trace, write } from "../drawing/canvas.js";
import { camera, cornersOf, farFirst, heightAt, TALL, toBox } from "./geometry.js";
import { colour, digits, heightOf, partOf, ticks } from "../drawing/scale.js";

const LIGHT = [-0.45, 0.35, 0.82]; // from behind the reader's left shoulder: right, towards the far side, up

/** Where everything is on the screen: place(x, y, z in the box) → [pixels right, pixels down, nearness]. */
function stage({ azimuth, elevation, zoom }, width, height, focus) {
  const see = camera(azimuth, elevation);
  const unit = Math.min(width / 3.35, (height / 2 - 16) / 1.5) * zoom; // room for the labels
  const [fr, fu] = zoom > 1 ? see(...focus) : [0, 0];
  const pull = 1 - 1 / zoom; // zooming in goes to the marker
  return (x, y, z) => {
    const [right, up, near] = see(x, y, z);
    return [width / 2 + 4 + unit * (right - pull * fr), height / 2 - 6 - unit * (up - pull * fu), near];
  };
}

/**
 * data: {x, y}; field: {z, path}; range, log: the heights' scale; names: of the axes. Returns the points on the screen,
 * null in holes.
 */
export function paintTurned(canvas, { width, height, data, field, range, log, view, marker, names }) {
  const { context, colours } = begin(canvas, width, height);
  const bx = data.x.map(toBox(data.x));
  const by = data.y.map(toBox(data.y));
  const part = partOf(range, log);
  const tint = (share) => (view.root ? Math.sqrt(share) : share); // see shareOf
  const tall = (value) => TALL * (2 * part(value) - 1);
  const box = field.z.map((row) => row.map((value) => (value === null ? null : tall(value))));
  const focus = [bx[marker[1]], by[marker[0]], box[marker[0]][marker[1]] ?? 0];
  const place = stage(view, width, height, focus);
  const points = box.map((row, i) => row.map((z, j) => (z === null ? null : place(bx[j], by[i], z))));

  floor(context, colours, place);
  // a line at every point of a small grid, at some of a large one
  const lines = Math.ceil(Math.max(bx.length, by.length) / 34);
  const order = farFirst(by.length - 1, bx.length - 1, view.azimuth);
  const sa = Math.sin((view.azimuth * Math.PI) / 180);
  const ca = Math.cos((view.azimuth * Math.PI) / 180);
  for (const i of order.rows)
    for (const j of order.columns) {
      const corners = cornersOf(i, j);
      if (corners.some(([a, b]) => box[a][b] === null)) continue;
      const heights = corners.map(([a, b]) => box[a][b]);
      const slopeX = (heights[1] + heights[2] - heights[0] - heights[3]) / 2 / (bx[j + 1] - bx[j]);
      const slopeY = (heights[2] + heights[3] - heights[0] - heights[1]) / 2 / (by[i + 1] - by[i]);
      const normal = [-(slopeX * ca + slopeY * sa), -(slopeY * ca - slopeX * sa), 1];
      const lit = (normal[0] * LIGHT[0] + normal[1] * LIGHT[1] + LIGHT[2]) / Math.hypot(...normal);
      const shade = 0.68 + 0.42 * Math.max(0, lit);
      const mean = heights.reduce((sum, value) => sum + value, 0) / 4;
      const lighted = (c) => Math.min(255, Math.round(c * shade));
      context.fillStyle = context.strokeStyle = `rgb(${colour(tint((mean / TALL + 1) / 2)).map(lighted)})`;
      context.lineWidth = 0.8;
      context.beginPath();
      corners.forEach(([a, b], k) => context[k ? "lineTo" : "moveTo"](points[a][b][0], points[a][b][1]));
      context.closePath();
      context.fill();
      context.stroke(); // no seams between neighbours
      // seen on dark colours and on light ones
      context.strokeStyle = mean < -0.1 ? "rgba(255,255,255,.22)" : "rgba(0,0,0,.3)";
      context.lineWidth = 0.6;
      context.beginPath();
      const side = (from, to) => {
        context.moveTo(points[from[0]][from[1]][0], points[from[0]][from[1]][1]);
        context.lineTo(points[to[0]][to[1]][0], points[to[0]][to[1]][1]);
      };
      if (i % lines === 0) side(corners[0], corners[1]);
      if (j % lines === 0) side(corners[0], corners[3]);
      if (i === by.length - 2) side(corners[3], corners[2]);
      if (j === bx.length - 2) side(corners[1], corners[2]);
      context.stroke();
    }
  if (view.zoom < 1.6) edges(context, colours, place, { data, range, log, view, names });

  const lifted = field.path.map(([x, y]) => [toBox(data.x)(x), toBox(data.y)(y), heightAt(data, field.z, x, y)]);
  drawPath(
    context,
    colours,
    lifted.filter(([, , z]) => z !== null).map(([x, y, z]) => place(x, y, tall(z))),
  );
  stick(context, colours, place, focus, points[marker[0]][marker[1]]);
  return points;
}

/** From the floor to the marker, so that the eye finds its place. */
function stick(context, colours, place, [x, y], point) {
  const foot = place(x, y, -TALL);
  trace(context, [foot, point ?? foot], colours.orange, 1.5, [3, 3]);
  if (point) drawMarker(context, colours, point);
  else dot(context, colours.orange, colours.ground, foot, 5, false);
}

function floor(context, { line, edge }, place) {
  const at = (x, y) => place(x, y, -TALL);
  for (let t = -1; t <= 1; t += 0.5) {
    const colour = Math.abs(t) === 1 ? edge : line;
    trace(context, [at(t, -1), at(t, 1)], colour, 1);
    trace(context, [at(-1, t), at(1, t)], colour, 1);
  }
}

/** Ticks and names: along the two near edges of the floor, and up the corner that stands furthest left. */
function edges(context, colours, place, { data, range, log, view, names }) {
  const nearY = Math.cos((view.azimuth * Math.PI) / 180) > 0 ? -1 : 1;
  const nearX = Math.sin((view.azimuth * Math.PI) / 180) > 0 ? 1 : -1;
  const middle = place(0, 0, -TALL);
  const outward = ([x, y], far) => {
    // a step away from the middle of the floor
    const dx = x - middle[0];
    const dy = y - middle[1];
    const length = Math.hypot(dx, dy) || 1;
    return [x + (far * dx) / length, y + (far * dy) / length];
  };
  const corners = [
    [-1, -1],
    [-1, 1],
    [1, -1],
    [1, 1],
  ].map(([x, y]) => [x, y, place(x, y, -TALL)[0]]);
  const [x, y] = corners.reduce((left, corner) => (corner[2] < left[2] ? corner : left));
  const foot = place(x, y, -TALL);
  const top = place(x, y, TALL);
  const tall = view.elevation <= 75; // from above, heights have no length
  const along = (axis, name, at) => {
    const list = ticks([axis[0], axis.at(-1)], false, 2);
    const spot = toBox(axis); // three ticks or so
    for (const value of list) {
      const [px, py] = outward(at(spot(value)), 13);
      if (tall && Math.hypot(px - foot[0] + 8, py - foot[1]) < 18) continue; // the lowest height is written there
      write(context, { ...colours, ink: colours.soft }, digits(value), px, py);
    }
    write(context, colours, name, ...outward(at(0.5), 24)); // between two ticks
  };
  along(data.x, names.x, (t) => place(t, nearY, -TALL));
  along(data.y, names.y, (t) => place(nearX, t, -TALL));
  if (!tall) return;
  trace(context, [foot, top], colours.edge, 1);
  const spot = partOf(range, log);
  for (const value of ticks(range, log, 3)) {
    const [px, py] = place(x, y, TALL * (2 * spot(value) - 1));
    write(context, { ...colours, ink: colours.soft }, digits(value), px - 5, py, { align: "right" });
  }
  write(context, colours, names.z, Math.max(top[0] - 5, 4), top[1] - 15, { align: top[0] < 90 ? "left" : "center" });
}

/** What the colours at the ends and in the middle stand for. */
export const shownRange = (range, log, root) => [0, root ? 0.25 : 0.5, 1].map(heightOf(range, log));
