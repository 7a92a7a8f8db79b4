// The error after every correction on a logarithmic scale, with the line that the theorem's factor predicts and ε.

import { begin, label, write } from "../surface/canvas.js";
import { ticks } from "../surface/scale.js";
import { h } from "../drawing/ui.js";

const SIDE = { left: 48, right: 12, top: 10, bottom: 32 };

export function falling() {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const face = h("div", { class: "app-chart" }, canvas);
  const el = h(
    "figure",
    { class: "app-figure" },
    h("figcaption", {}, "Largest error after each correction; dashed: what the theorem promises; thin line: ε"),
    face,
  );

  function draw(errors, shown, factor, eps) {
    const width = face.clientWidth;
    if (!width) return;
    const height = Math.round(Math.min(0.6 * width, 210));
    const { context, colours } = begin(canvas, width, height);
    const style = getComputedStyle(canvas);
    const hue = (name) => style.getPropertyValue(`--course-${name}`).trim();
    const quiet = { ...colours, ink: colours.soft };
    const count = Math.max(4, errors.length - 1);
    const promise = Array.from({ length: count + 1 }, (_, k) => errors[0] * factor ** k);
    const all = [...errors, ...promise, eps].filter((value) => value > 0).map(Math.log10); // 0 has no logarithm: it is not drawn
    const low = Math.min(...all) - 0.08;
    const high = Math.max(...all) + 0.08;
    const right = (k) => SIDE.left + (width - SIDE.left - SIDE.right) * ((k + 0.3) / (count + 0.6));
    const up = (value) => height - SIDE.bottom - (height - SIDE.top - SIDE.bottom) * ((Math.log10(value) - low) / (high - low));
    const line = (points, colour, thick, dash) => {
      context.strokeStyle = colour;
      context.lineWidth = thick;
      context.setLineDash(dash);
      context.beginPath();
      points.forEach(([x, y], k) => context[k ? "lineTo" : "moveTo"](x, y));
      context.stroke();
      context.setLineDash([]);
    };
    for (const value of ticks([10 ** low, 10 ** high], true, 4)) {
      line(
        [
          [SIDE.left, up(value)],
          [width - SIDE.right, up(value)],
        ],
        colours.line,
        1,
        [],
      );
      write(context, quiet, label(value), SIDE.left - 6, up(value), { align: "right" });
    }
    const every = Math.ceil(count / 12);
    for (let k = 0; k <= count; k += every) write(context, quiet, String(k), right(k), height - SIDE.bottom + 11);
    write(context, quiet, "corrections", (SIDE.left + width) / 2, height - 7);
    line(
      [
        [SIDE.left, up(eps)],
        [width - SIDE.right, up(eps)],
      ],
      colours.edge,
      1.4,
      [],
    );
    const drawn = (values) =>
      values
        .map((value, k) => [right(k), value])
        .filter(([, value]) => value > 0)
        .map(([x, value]) => [x, up(value)]);
    line(drawn(promise), colours.ink, 1.2, [5, 4]);
    line(drawn(errors), hue("blue"), 1.6, []);
    errors.forEach((value, k) => {
      if (!(value > 0)) return;
      context.beginPath();
      context.arc(right(k), up(value), k === shown ? 5.5 : 3.5, 0, 2 * Math.PI);
      context.fillStyle = hue("blue");
      context.fill();
    });
  }
  return { el, draw };
}
