// Numbers as colours. Signed: blank is 0, blue above, orange below, full at the largest size in the matrix. Shares:
// blank is 0, full blue 1, always, so that two maps can be compared. Blue and orange differ for colour-blind eyes too.

const RAMPS = {
  light: { none: [255, 255, 255], above: [0, 84, 147], below: [179, 71, 0], masked: [222, 226, 230] },
  dark: { none: [30, 35, 42], above: [122, 196, 245], below: [255, 168, 104], masked: [62, 70, 79] },
};
const channel = (c) => {
  c /= 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
};
const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);

/** x at the scale `most`, the size that gets the full colour, as [red, green, blue]. */
export function colour(x, most, theme) {
  const { none, above, below } = RAMPS[theme];
  const full = x < 0 ? below : above;
  const share = Math.min(1, Math.abs(x) / (most || 1));
  return none.map((from, i) => Math.round(from + share * (full[i] - from)));
}
/** The scale itself, from -1 or, for shares, 0 to 1, as a background. */
export const ramp = (signed, theme) =>
  `background:linear-gradient(to right, ` +
  `${(signed ? [-1, -0.5, 0, 0.5, 1] : [0, 0.5, 1]).map((x) => css(colour(x, 1, theme)))})`;
export const masked = (theme) => RAMPS[theme].masked;
export const css = (rgb) => `rgb(${rgb})`;
/** Black or white, whichever reads better on the colour. */
export const ink = (rgb) => (luminance(rgb) > 0.179 ? "#000" : "#fff");

/** The style of a cell in a colour, its text black or white, whichever reads better. */
export const painted = (rgb) => `background:${css(rgb)};color:${ink(rgb)}`;

/** What gets the full colour in a matrix: 1 for shares, else the largest size, rounded up to two digits. */
export function scaleOf({ kind, numbers }) {
  if (kind === "share") return 1;
  const most = numbers.reduce((best, x) => Math.max(best, Math.abs(x)), 0);
  if (most === 0) return 1;
  const digit = 10 ** (Math.floor(Math.log10(most)) - 1);
  return Number((Math.ceil(most / digit - 1e-9) * digit).toPrecision(2));
}

/** Draws a matrix with one pixel an entry; the page enlarges it without smoothing. */
export function paint(canvas, matrix, most, theme) {
  const { rows, cols, numbers } = matrix;
  const context = canvas.getContext("2d");
  if (canvas.width !== cols) canvas.width = cols;
  if (canvas.height !== rows) canvas.height = rows;
  const image = context.createImageData(cols, rows);
  for (let at = 0; at < rows * cols; at++) {
    const hidden = matrix.masked?.(Math.floor(at / cols), at % cols);
    image.data.set(hidden ? masked(theme) : colour(numbers[at], most, theme), 4 * at);
    image.data[4 * at + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}
