// The box of a surface and how it is seen: three-dimensional points to the screen, without perspective. Pure functions.
// The box: x and y from -1 to 1, z from -TALL to TALL. On the screen one unit is one unit of the box, y grows upwards.

export const TALL = 0.62;
const radians = (degrees) => (degrees * Math.PI) / 180;

/**
 * The reader's place: azimuth 0 stands before the side y = -1, 90 before x = 1; elevation 90 looks straight down.
 * Returns see(x, y, z) → [right, up, near]: larger `near` is nearer to the reader.
 */
export function camera(azimuth, elevation) {
  const sa = Math.sin(radians(azimuth));
  const ca = Math.cos(radians(azimuth));
  const se = Math.sin(radians(elevation));
  const ce = Math.cos(radians(elevation));
  return (x, y, z) => {
    const toward = x * sa - y * ca;
    return [x * ca + y * sa, z * ce - toward * se, toward * ce + z * se];
  };
}

/** Rows and columns of the cells, the far ones first: painted in this order, near cells cover far ones. */
export function farFirst(rows, columns, azimuth) {
  const count = (n, backwards) => Array.from({ length: n }, (_, i) => (backwards ? n - 1 - i : i));
  return { rows: count(rows, Math.cos(radians(azimuth)) > 0), columns: count(columns, Math.sin(radians(azimuth)) < 0) };
}

/** [row, column] of a cell's corners, round the cell. */
export const cornersOf = (i, j) => [
  [i, j],
  [i, j + 1],
  [i + 1, j + 1],
  [i + 1, j],
];

/** Axis values to -1 … 1. */
export const toBox = (axis) => (value) => (2 * (value - axis[0])) / (axis.at(-1) - axis[0]) - 1;

/** The cell of an increasing axis that holds a value, and how far into it: [index, part]. */
export function within(axis, value) {
  let i = 0;
  while (i < axis.length - 2 && axis[i + 1] <= value) i++;
  return [i, (value - axis[i]) / (axis[i + 1] - axis[i])];
}

/** Height at (x, y) between the points, bilinear; null beside a hole. */
export function heightAt({ x, y }, z, px, py) {
  const [j, s] = within(x, px);
  const [i, t] = within(y, py);
  const corners = [z[i][j], z[i][j + 1], z[i + 1][j], z[i + 1][j + 1]];
  if (corners.some((value) => value === null)) return null;
  return (1 - t) * ((1 - s) * corners[0] + s * corners[1]) + t * ((1 - s) * corners[2] + s * corners[3]);
}

/**
 * The point [row, column] drawn nearest to (right, up), of several within `reach` the nearest to the reader; null if
 * none.
 */
export function hit(points, right, up, reach) {
  let best = null;
  let nearest = -Infinity;
  points.forEach((row, i) =>
    row.forEach((point, j) => {
      if (point && Math.hypot(point[0] - right, point[1] - up) < reach && point[2] > nearest) {
        nearest = point[2];
        best = [i, j];
      }
    }),
  );
  return best;
}
