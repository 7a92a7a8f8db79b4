// What a 2 × 2 matrix does to the plane, and how it is said. Rows are vectors: x ↦ xW.

import { number } from "../drawing/ui.js";

const FLAT = 1e-9; // below it, an area is none: entries are twentieths

export const times = ([x, y], [[a, b], [c, d]]) => [x * a + y * c, x * b + y * d];
export const pair = (row) => `(${row.map((value) => number(value)).join(", ")})`;

/** {area, turned, stretch: [largest, smallest], rank, image} of W = [first, second] and a point. */
export function seen({ first, second, point }) {
  const [[a, b], [c, d]] = [first, second];
  const det = a * d - b * c;
  const [sum, gap] = [Math.hypot(a + d, b - c) / 2, Math.hypot(a - d, b + c) / 2];
  const area = Math.abs(det) < FLAT ? 0 : Math.abs(det);
  const largest = sum + gap;
  const rank = area ? 2 : largest ? 1 : 0;
  return {
    area,
    turned: area > 0 && det < 0,
    stretch: [largest, area / (largest || 1)],
    rank,
    image: times(point, [first, second]),
  };
}

/** In sentences, for everybody. */
export function told({ first, second, point }, { area, turned, stretch, rank, image }) {
  const rows = `(1, 0) goes to row 1, ${pair(first)}; (0, 1) goes to row 2, ${pair(second)}.`;
  const [x, y] = point.map((value) => number(value));
  const goes = `x = ${pair(point)} goes to ${x} · row 1 + ${y} · row 2 = ${pair(image)}.`;
  if (rank === 0) return `${rows} ${goes} Both rows are zero: everything goes to the origin. The rank is 0.`;
  if (rank === 1)
    return (
      `${rows} ${goes} Both rows lie on one line, so everything lands on it: the plane is flat. The rank is 1, ` +
      `areas become 0.`
    );
  const even = stretch[0] - stretch[1] < 1e-6;
  const lengths = even
    ? `Every arrow of length 1 becomes ${number(stretch[0])} long, whatever its direction.`
    : `An arrow of length 1 becomes at most ${number(stretch[0])} and at least ${number(stretch[1])} long.`;
  return (
    `${rows} ${goes} Areas grow by the factor ${number(area)}` +
    `${turned ? ", and the plane is turned over" : ""}. ${lengths}`
  );
}
