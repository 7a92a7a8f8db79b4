// Gauss–Hermite quadrature for the standard normal: Σ weights f(nodes) = E f(Z) for polynomials of degree up to 2 count
// − 1.

import { tridiagonal } from "../spectrum/eigen.js";

const known = new Map();

/** The orthonormal Hermite polynomial of this degree at x: h_{k+1} = (x h_k − √k h_{k−1}) / √(k + 1). */
function polynomial(degree, x) {
  let before = 0;
  let now = 1;
  for (let k = 0; k < degree; k++) [before, now] = [now, (x * now - Math.sqrt(k) * before) / Math.sqrt(k + 1)];
  return now;
}

/** {nodes, weights}, nodes rising: the eigenvalues of the recurrence's matrix [Golub & Welsch 1969]. */
export function hermite(count) {
  if (!known.has(count)) {
    const beside = Array.from({ length: count - 1 }, (_, k) => Math.sqrt(k + 1));
    const nodes = Array.from(tridiagonal(new Float64Array(count), beside));
    const weights = nodes.map((x) => 1 / (count * polynomial(count - 1, x) ** 2));
    known.set(count, { nodes, weights });
  }
  return known.get(count);
}
