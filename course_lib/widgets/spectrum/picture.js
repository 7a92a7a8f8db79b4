// The histogram with its law, or the eigenvalues in the plane with their disc; an outlier in a strip of its own at the right.

import { begin, label, write } from "../surface/canvas.js";
import { digits, ticks } from "../surface/scale.js";
import { h } from "../drawing/ui.js";
import { apart, bins, top } from "./bins.js";

const SIDE = { left: 44, right: 14, top: 14, bottom: 36 };
const STRIP = 0.27; // of the width
const WIDEST = 1.35; // of the disc's radius

export function picture() {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const face = h("div", { class: "spc-face" }, canvas);

  /** answer: of solve; found: of words.seen; xName: of the axis. */
  function draw(answer, found, xName) {
    const width = face.clientWidth;
    if (!width) return;
    const plane = answer.points !== null;
    const strip = found.predicted !== null;
    const body = strip ? width * (1 - STRIP) : width;
    const height = Math.round(plane ? Math.min(body, 460) : Math.max(230, Math.min(0.56 * width, 360)));
    const { context, colours } = begin(canvas, width, height);
    const style = getComputedStyle(canvas);
    const hue = (name) => style.getPropertyValue(`--course-${name}`).trim();
    const tools = { context, colours, hue, width: body, height, quiet: { ...colours, ink: colours.soft } };
    if (plane) disc(tools, answer.points, found);
    else bars(tools, answer.values, found, xName);
    if (strip) outlier({ ...tools, from: body, to: width }, found);
  }

  function bars({ context, colours, hue, width, height, quiet }, values, { law, predicted }, xName) {
    const hist = bins(predicted === null ? values : values.slice(0, -1), law);
    const count = hist.heights.length;
    const high = top(hist, law);
    const end = hist.low + count * hist.width;
    const foot = height - SIDE.bottom;
    const right = (x) => SIDE.left + ((width - SIDE.left - SIDE.right) * (x - hist.low)) / (end - hist.low);
    const up = (y) => foot - (foot - SIDE.top) * Math.min(1, y / high);
    for (const y of ticks([0, high], false, 4)) {
      context.lineWidth = 1; // write() leaves a wide one
      context.strokeStyle = colours.line;
      line(context, SIDE.left, up(y), width - SIDE.right, up(y));
      write(context, quiet, label(y), SIDE.left - 6, up(y), { align: "right" });
    }
    context.fillStyle = hue("blue");
    context.globalAlpha = 0.55;
    hist.heights.forEach((y, k) => {
      const x = right(hist.low + k * hist.width);
      context.fillRect(x + 0.5, up(y), right(hist.low + (k + 1) * hist.width) - x - 1, foot - up(y));
    });
    context.globalAlpha = 1;
    context.lineWidth = 1;
    context.strokeStyle = colours.edge;
    line(context, SIDE.left, foot, width - SIDE.right, foot);
    for (const x of ticks([hist.low, end], false, 6)) write(context, quiet, label(x), right(x), foot + 12);
    write(context, quiet, xName, (SIDE.left + width) / 2, height - 8);
    context.strokeStyle = hue("orange");
    context.lineWidth = 2.4;
    context.beginPath();
    const steps = 240;
    const span = law.high - law.low;
    for (let k = 0; k <= steps; k++) {
      const x = law.low + span * (0.5 - 0.5 * Math.cos((Math.PI * k) / steps));
      const y = up(k === 0 && law.name === "marchenko-pastur" ? high : law.density(x));
      context[k ? "lineTo" : "moveTo"](right(x), y);
    }
    context.stroke();
  }

  function disc({ context, colours, hue, width, height, quiet }, { re, im }, { law, predicted }) {
    const reach = WIDEST * law.high;
    const middle = [width / 2, height / 2];
    const unit = (Math.min(width, height) / 2 - 4) / reach;
    const place = (x, y) => [middle[0] + unit * x, middle[1] - unit * y];
    for (const value of ticks([-reach, reach], false, 4)) {
      context.lineWidth = 1;
      const [px, py] = place(value, value);
      context.strokeStyle = value === 0 ? colours.edge : colours.line;
      line(context, px, 0, px, height);
      line(context, 0, py, width, py);
      write(context, quiet, label(value), px, height - 9);
      if (value) write(context, quiet, `${label(value)} i`, 4, py, { align: "left" });
    }
    context.fillStyle = hue("blue");
    context.globalAlpha = 0.75;
    for (let i = 0; i < re.length; i++) {
      if (predicted !== null && Math.hypot(re[i], im[i]) > reach) continue; // in the strip
      const [px, py] = place(re[i], im[i]);
      context.beginPath();
      context.arc(px, py, 2.6, 0, 2 * Math.PI);
      context.fill();
    }
    context.globalAlpha = 1;
    context.strokeStyle = hue("orange");
    context.lineWidth = 2.4;
    context.beginPath();
    context.arc(...middle, unit * law.high, 0, 2 * Math.PI);
    context.stroke();
  }

  /** Found and predicted place beside each other, on a scale of their own. */
  function outlier({ context, colours, hue, from, to, height, quiet }, { largest, predicted }) {
    const foot = height - SIDE.bottom;
    const [low, high] = apart(largest, predicted);
    const right = (x) => from + 14 + ((to - from - 24) * (x - low)) / (high - low);
    context.strokeStyle = colours.edge;
    context.lineWidth = 1;
    line(context, from + 6, foot, to - 4, foot);
    context.setLineDash([2, 4]);
    line(context, from, 0, from, height); // a scale ends here, another begins
    context.setLineDash([]);
    write(context, quiet, to - from > 120 ? "outlier, own scale" : "outlier", (from + to) / 2 + 2, height - 8);
    const tall = { found: foot - 0.42 * (foot - SIDE.top), predicted: foot - 0.66 * (foot - SIDE.top) };
    context.lineWidth = 2.4;
    context.strokeStyle = hue("orange");
    context.setLineDash([6, 4]);
    line(context, right(predicted), foot, right(predicted), tall.predicted);
    context.setLineDash([]);
    context.strokeStyle = context.fillStyle = hue("blue");
    line(context, right(largest), foot, right(largest), tall.found);
    context.beginPath();
    context.arc(right(largest), tall.found, 4.5, 0, 2 * Math.PI);
    context.fill();
    const middle = (from + to) / 2 + 2;
    write(context, { ...colours, ink: hue("orange") }, `theory ${digits(predicted, 4)}`, middle, tall.predicted - 14);
    write(context, { ...colours, ink: hue("blue") }, `found ${digits(largest, 4)}`, middle, SIDE.top + 6);
  }
  return { el: face, face, draw };
}

function line(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}
