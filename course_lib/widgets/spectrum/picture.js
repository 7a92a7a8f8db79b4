// The histogram with its law, or the eigenvalues in the plane with their disc; an outlier in a strip of its own at the
// right.

import { sheet } from "../drawing/sheet.js";
import { write } from "../drawing/canvas.js";
import { digits, ticks } from "../drawing/scale.js";
import { apart, bins, top } from "./bins.js";

const SIDE = { left: 44, right: 14, top: 14, bottom: 36 };
const STRIP = 0.27; // of the width
const WIDEST = 1.35; // of the disc's radius
const STEPS = 240; // of the law's curve

export function picture() {
  const { face, open } = sheet("spc-face");

  /** answer: of solve; found: of words.seen; xName: of the axis. */
  function draw(answer, found, xName) {
    const width = face.clientWidth;
    if (!width) return;
    const plane = answer.points !== null;
    const strip = found.predicted !== null;
    const body = strip ? width * (1 - STRIP) : width;
    const height = Math.round(plane ? Math.min(body, 460) : Math.max(230, Math.min(0.56 * width, 360)));
    const tools = { ...open(width, height), width: body, height, foot: height - SIDE.bottom };
    if (plane) disc(tools, answer.points, found);
    else bars(tools, answer.values, found, xName);
    if (strip) outlier({ ...tools, from: body, to: width }, found);
  }

  function bars(
    { context, colours, hue, trace, across, note, levels, width, height, foot },
    values,
    { law, predicted },
    xName,
  ) {
    const hist = bins(predicted === null ? values : values.slice(0, -1), law);
    const count = hist.heights.length;
    const high = top(hist, law);
    const end = hist.low + count * hist.width;
    const right = (x) => SIDE.left + ((width - SIDE.left - SIDE.right) * (x - hist.low)) / (end - hist.low);
    const up = (y) => foot - (foot - SIDE.top) * Math.min(1, y / high);
    const marks = ticks([0, high], false, 4).map((y) => [up(y), digits(y)]);
    levels(marks, SIDE.left, width - SIDE.right);
    context.fillStyle = hue("blue");
    context.globalAlpha = 0.55;
    hist.heights.forEach((y, k) => {
      const x = right(hist.low + k * hist.width);
      context.fillRect(x + 0.5, up(y), right(hist.low + (k + 1) * hist.width) - x - 1, foot - up(y));
    });
    context.globalAlpha = 1;
    across(foot, SIDE.left, width - SIDE.right, colours.edge, 1);
    for (const x of ticks([hist.low, end], false, 6)) note(digits(x), right(x), foot + 12);
    note(xName, (SIDE.left + width) / 2, height - 8);
    const span = law.high - law.low;
    const curve = Array.from({ length: STEPS + 1 }, (_, k) => {
      const x = law.low + span * (0.5 - 0.5 * Math.cos((Math.PI * k) / STEPS));
      return [right(x), up(k === 0 && law.name === "marchenko-pastur" ? high : law.density(x))];
    });
    trace(curve, hue("orange"), 2.4);
  }

  function disc(
    { context, colours, hue, across, upright, disc: dot, note, width, height },
    { re, im },
    { law, predicted },
  ) {
    const reach = WIDEST * law.high;
    const unit = (Math.min(width, height) / 2 - 4) / reach;
    const place = (x, y) => [width / 2 + unit * x, height / 2 - unit * y];
    for (const value of ticks([-reach, reach], false, 4)) {
      const [px, py] = place(value, value);
      const colour = value === 0 ? colours.edge : colours.line;
      upright(px, 0, height, colour, 1);
      across(py, 0, width, colour, 1);
      note(digits(value), px, height - 9);
      if (value) note(`${digits(value)} i`, 4, py, "left");
    }
    context.globalAlpha = 0.75;
    for (let i = 0; i < re.length; i++) {
      const inStrip = predicted !== null && Math.hypot(re[i], im[i]) > reach;
      if (!inStrip) dot(place(re[i], im[i]), 2.6, hue("blue"));
    }
    context.globalAlpha = 1;
    context.strokeStyle = hue("orange");
    context.lineWidth = 2.4;
    context.beginPath();
    context.arc(...place(0, 0), unit * law.high, 0, 2 * Math.PI);
    context.stroke();
  }

  /** Found and predicted place beside each other, on a scale of their own. */
  function outlier(
    { context, colours, hue, across, upright, disc: dot, note, from, to, height, foot },
    { largest, predicted },
  ) {
    const [low, high] = apart(largest, predicted);
    const right = (x) => from + 14 + ((to - from - 24) * (x - low)) / (high - low);
    const middle = (from + to) / 2 + 2;
    const [found, theory] = [0.42, 0.66].map((share) => foot - share * (foot - SIDE.top));
    across(foot, from + 6, to - 4, colours.edge, 1);
    upright(from, 0, height, colours.edge, 1, [2, 4]); // a scale ends here, another begins
    note(to - from > 120 ? "outlier, own scale" : "outlier", middle, height - 8);
    upright(right(predicted), theory, foot, hue("orange"), 2.4, [6, 4]);
    upright(right(largest), found, foot, hue("blue"), 2.4);
    dot([right(largest), found], 4.5, hue("blue"));
    write(context, { ...colours, ink: hue("orange") }, `theory ${digits(predicted, 4)}`, middle, theory - 14);
    write(context, { ...colours, ink: hue("blue") }, `found ${digits(largest, 4)}`, middle, SIDE.top + 6);
  }
  return { face, draw };
}
