// A canvas as sharp as the screen, with the page's font and colours; what both views share.

export const MARGIN = { left: 52, right: 14, top: 12, bottom: 40 };

/** The drawing context of a canvas of width × height pixels of the page, cleared, with the theme's colours in it. */
export function begin(canvas, width, height) {
  const density = Math.min(3, globalThis.devicePixelRatio || 1);
  const style = getComputedStyle(canvas);
  if (canvas.width !== Math.round(width * density) || canvas.height !== Math.round(height * density)) {
    canvas.width = Math.round(width * density);
    canvas.height = Math.round(height * density);
  }
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = `12px ${style.fontFamily}`;
  context.lineJoin = context.lineCap = "round";
  const named = (name) => style.getPropertyValue(`--course-${name}`).trim();
  const colours = Object.fromEntries(
    ["ground", "ink", "soft", "line", "edge", "orange"].map((name) => [name, named(name)]),
  );
  return { context, colours };
}

/** Text that stays readable on whatever lies under it. */
export function write(context, { ink, ground }, text, x, y, { align = "center", baseline = "middle" } = {}) {
  context.textAlign = align;
  context.textBaseline = baseline;
  context.lineWidth = 3.5;
  context.strokeStyle = ground;
  context.strokeText(text, x, y);
  context.fillStyle = ink;
  context.fillText(text, x, y);
}

/** A line through points of the screen. */
export function trace(context, points, colour, width, dash = []) {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash(dash);
  context.beginPath();
  points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.stroke();
  context.setLineDash([]);
}

/** The path from its first point (a ring) to its last (a disc), and the marker: drawn with a halo, over everything. */
export function drawPath(context, { ink, ground }, points) {
  if (!points.length) return;
  const fine = points.length > 60; // a long way that crosses itself stays a line
  trace(context, points, ground, fine ? 3 : 5);
  trace(context, points, ink, fine ? 1.1 : 2);
  dot(context, ink, ground, points[0], 4.5, false);
  if (points.length > 1) dot(context, ink, ground, points.at(-1), 4.5, true);
}

export function dot(context, ink, ground, [x, y], radius, full) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = full ? ink : ground;
  context.strokeStyle = full ? ground : ink;
  context.lineWidth = 2;
  context.fill();
  context.stroke();
}

export function drawMarker(context, { orange, ground }, [x, y]) {
  dot(context, orange, ground, [x, y], 6.5, true);
}
