// Dimension 2: the target, the network and the residual before the last correction as three maps, with U⁺ and U⁻ and
// the covers on the third.

import { begin } from "../drawing/canvas.js";
import { colour, digits } from "../drawing/scale.js";
import { h, setText } from "../drawing/ui.js";

const SHADES = 97; // cells an axis that are drawn

export function maps() {
  const faces = ["target", "network", "before the last correction"].map((name) => {
    const canvas = h("canvas", { "aria-hidden": "true" });
    const note = h("figcaption", {});
    return { name, canvas, note, el: h("figure", { class: "app-map" }, note, canvas) };
  });
  const el = h("div", { class: "app-maps", hidden: true }, ...faces.map((face) => face.el));

  /** scene: as for the graph. */
  function draw({ grid, values, outputs, low, high, last }) {
    const width = faces[0].el.clientWidth;
    if (!width) return;
    const shades = (at, { size }) =>
      Array.from({ length: SHADES ** 2 }, (_, k) =>
        at(
          Math.round((Math.floor(k / SHADES) * (size - 1)) / (SHADES - 1)) * size +
            Math.round(((k % SHADES) * (size - 1)) / (SHADES - 1)),
        ),
      );
    const tone = (value) => colour((value - low) / (high - low));
    [values, outputs].forEach((field, k) => {
      paint(
        faces[k],
        width,
        shades((i) => tone(field[i]), grid),
      );
      setText(faces[k].note, `the ${faces[k].name}, from ${digits(low)} to ${digits(high)}`);
    });
    const style = getComputedStyle(faces[2].canvas);
    const rgb = (name) =>
      style
        .getPropertyValue(`--course-${name}`)
        .trim()
        .match(/[\da-f]{2}/gi)
        ?.map((part) => parseInt(part, 16)) ?? [128, 128, 128];
    const [plus, minus, ground] = [rgb("orange"), rgb("green"), rgb("line")];
    faces[2].el.hidden = !last;
    if (!last) return;
    const context = paint(
      faces[2],
      width,
      shades((i) => (last.positive[i] ? plus : last.negative[i] ? minus : ground), last.grid),
    );
    setText(faces[2].note, "before it: U⁺, U⁻ and the polygons’ points");
    covers(
      context,
      last,
      width,
      style.getPropertyValue("--course-purple").trim(),
      style.getPropertyValue("--course-ground").trim(),
    );
  }
  function paint({ canvas }, width, cells) {
    const { context } = begin(canvas, width, width);
    const image = new ImageData(SHADES, SHADES);
    cells.forEach((shade, k) => {
      // x to the right, y upwards: the grid's first axis is x
      const at = 4 * ((SHADES - 1 - (k % SHADES)) * SHADES + Math.floor(k / SHADES));
      image.data.set([...shade, 255], at);
    });
    const small = new OffscreenCanvas(SHADES, SHADES);
    small.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(small, 0, 0, width, width);
    return context;
  }
  function covers(context, { separator, grid }, width, ink, ground) {
    const [[x0, x1], [y0, y1]] = grid.box;
    const at = ([x, y]) => [((x - x0) / (x1 - x0)) * width, (1 - (y - y0) / (y1 - y0)) * width];
    for (const { around } of separator.guards) {
      context.beginPath();
      context.arc(...at(around), 3.5, 0, 2 * Math.PI);
      context.fillStyle = ink;
      context.strokeStyle = ground;
      context.lineWidth = 1.5;
      context.fill();
      context.stroke();
    }
  }
  return { el, draw };
}
