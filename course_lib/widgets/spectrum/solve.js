// From the settings to the values: {values, points}. points: {re, im} where eigenvalues lie in the plane, values then
// their sizes.

import { general, singular, symmetric } from "./eigen.js";
import { dividedBy, draw, lawName } from "./ensemble.js";

export function* solve(state) {
  const { n, form } = state;
  const name = lawName(state);
  const by = dividedBy(state);
  const W = draw(state);
  yield;
  if (name === "disc") {
    const { re, im } = yield* general(W, n);
    const points = { re: re.map((x) => x / by), im: im.map((x) => x / by) };
    return { points, values: points.re.map((x, i) => Math.hypot(x, points.im[i])).sort() };
  }
  if (name === "semicircle") return { values: (yield* symmetric(W, n)).map((x) => x / by), points: null };
  // |eigenvalues| are the singular values where W is symmetric; the eigenvalues of W Wᵀ are their squares.
  const sizes = form === "symmetric" ? (yield* symmetric(W, n)).map(Math.abs).sort() : yield* singular(W, n);
  return { values: sizes.map((x) => (form === "product" ? x * x : x) / by), points: null };
}
