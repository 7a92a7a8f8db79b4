// The little linear algebra that is no network: random orthogonal matrices, and how far a matrix stretches.

/**
 * The rows of a square matrix made orthonormal, one after the other (Gram and Schmidt, each twice: once is not exact
 * enough).
 */
export function orthogonal(A, r) {
  const Q = Float64Array.from(A);
  const row = (i) => Q.subarray(i * r, (i + 1) * r);
  const dot = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0);
  for (let i = 0; i < r; i++) {
    const mine = row(i);
    for (let again = 0; again < 2; again++) {
      for (let j = 0; j < i; j++) {
        const other = row(j);
        const share = dot(mine, other);
        for (let k = 0; k < r; k++) mine[k] -= share * other[k];
      }
    }
    const length = Math.sqrt(dot(mine, mine));
    for (let k = 0; k < r; k++) mine[k] /= length;
  }
  return Q;
}

const MOST = 500;
const ENOUGH = 1e-7;

/**
 * The spectral norm of A [rows, columns], row-major: the longest A·v for a vector v of length 1, by the power method on
 * AᵀA.
 */
export function spectralNorm(A, rows, columns) {
  const u = new Float64Array(rows);
  // no vector of any special direction
  let v = Float64Array.from({ length: columns }, (_, k) => 1 + 0.1 * Math.sin(7 * k + 1));
  let norm = 0;
  for (let time = 0; time < MOST; time++) {
    const length = Math.hypot(...v);
    if (length === 0) return 0;
    for (let k = 0; k < columns; k++) v[k] /= length;
    for (let i = 0; i < rows; i++) {
      let sum = 0;
      for (let k = 0; k < columns; k++) sum += A[i * columns + k] * v[k];
      u[i] = sum;
    }
    const now = Math.hypot(...u);
    if (Math.abs(now - norm) <= ENOUGH * now) return now;
    norm = now;
    const next = new Float64Array(columns);
    for (let i = 0; i < rows; i++) for (let k = 0; k < columns; k++) next[k] += A[i * columns + k] * u[i];
    v = next;
  }
  return norm;
}
