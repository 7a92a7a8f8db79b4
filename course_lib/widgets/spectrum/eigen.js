// Eigenvalues and singular values, without vectors. Householder reflections bring a matrix to Hessenberg form
// (tridiagonal where it is symmetric) or to two diagonals; then the QL or the double-shift QR iteration [Martin, Peters
// & Wilkinson 1970; EISPACK's tql1 and hqr]. The generators yield between steps, so that the page can draw. A is
// changed, row by row in a Float64Array.

const EPS = 2 ** -52;
const TRIES = 60;

/**
 * x = a[from], a[from + stride], …: writes the reflection's unit vector v into `v` from `at`, returns the entry it
 * leaves; 0: none needed.
 */
function reflector(a, from, stride, count, v, at) {
  let square = 0;
  for (let k = 0; k < count; k++) {
    v[at + k] = a[from + k * stride];
    square += v[at + k] ** 2;
  }
  if (square - v[at] ** 2 === 0) return null; // nothing below the first entry
  const alpha = v[at] > 0 ? -Math.sqrt(square) : Math.sqrt(square);
  const norm = Math.sqrt(square - v[at] * alpha + alpha * (alpha - v[at]));
  v[at] -= alpha;
  for (let k = 0; k < count; k++) v[at + k] /= norm;
  return alpha;
}
/** A ← (1 − 2vvᵀ)A on the rows from `row`, columns from `column`. */
function fromLeft(a, n, v, row, column, w) {
  w.fill(0, column);
  for (let i = row; i < n; i++) for (let j = column, at = i * n + column; j < n; j++, at++) w[j] += v[i] * a[at];
  for (let i = row; i < n; i++) {
    const twice = 2 * v[i];
    for (let j = column, at = i * n + column; j < n; j++, at++) a[at] -= twice * w[j];
  }
}
/** A ← A(1 − 2vvᵀ) on the rows from `row`, columns from `column`. */
function fromRight(a, n, v, row, column) {
  for (let i = row; i < n; i++) {
    const begin = i * n;
    let sum = 0;
    for (let j = column; j < n; j++) sum += a[begin + j] * v[j];
    sum *= 2;
    for (let j = column; j < n; j++) a[begin + j] -= sum * v[j];
  }
}

/** A becomes QᵀAQ with zeros below the first subdiagonal. */
export function* hessenberg(a, n) {
  const v = new Float64Array(n);
  const w = new Float64Array(n);
  for (let k = 0; k < n - 2; k++) {
    const alpha = reflector(a, (k + 1) * n + k, n, n - k - 1, v, k + 1);
    if (alpha === null) continue;
    fromLeft(a, n, v, k + 1, k, w);
    fromRight(a, n, v, 0, k + 1);
    a[(k + 1) * n + k] = alpha;
    for (let i = k + 2; i < n; i++) a[i * n + k] = 0;
    yield;
  }
}

/**
 * Eigenvalues, ascending, of the symmetric tridiagonal matrix with the diagonal d [n] and the one beside it e [n − 1].
 */
export function tridiagonal(diagonal, beside) {
  const n = diagonal.length;
  const d = Float64Array.from(diagonal);
  const e = Float64Array.from({ length: n }, (_, i) => beside[i] ?? 0);
  const small = EPS * d.reduce((most, x, i) => Math.max(most, Math.abs(x) + Math.abs(e[i])), 0);
  for (let l = 0; l < n; l++)
    for (let tries = 0; ; tries++) {
      let m = l;
      while (m < n - 1 && Math.abs(e[m]) > small) m++;
      if (m === l) break;
      if (tries === TRIES) throw Error("the QL iteration does not converge");
      let g = (d[l + 1] - d[l]) / (2 * e[l]);
      let s = 1;
      let c = 1;
      let p = 0;
      let i = m - 1;
      g = d[m] - d[l] + e[l] / (g + (g < 0 ? -1 : 1) * Math.hypot(g, 1));
      for (; i >= l; i--) {
        const f = s * e[i];
        const b = c * e[i];
        const r = Math.hypot(f, g);
        e[i + 1] = r;
        if (r === 0) {
          d[i + 1] -= p;
          e[m] = 0;
          break;
        } // the matrix falls in two: begin anew
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        const t = (d[i] - g) * s + 2 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
      }
      if (i >= l) continue;
      d[l] -= p;
      e[l] = g;
      e[m] = 0;
    }
  return d.sort();
}

/** Eigenvalues of a symmetric matrix, ascending. */
export function* symmetric(a, n) {
  yield* hessenberg(a, n);
  return tridiagonal(
    Float64Array.from({ length: n }, (_, i) => a[i * n + i]),
    Float64Array.from({ length: n - 1 }, (_, i) => a[(i + 1) * n + i]),
  );
}

/**
 * Singular values of any square matrix, ascending: A becomes upper bidiagonal (q, e); ± each of them is an eigenvalue
 * of the tridiagonal matrix with diagonal 0 and q₁ e₁ q₂ e₂ … beside it [Golub & Kahan 1965], so nothing is squared.
 */
export function* singular(a, n) {
  const v = new Float64Array(n);
  const w = new Float64Array(n);
  const beside = new Float64Array(2 * n - 1);
  for (let k = 0; k < n; k++) {
    const q = reflector(a, k * n + k, n, n - k, v, k);
    if (q !== null) fromLeft(a, n, v, k, k, w);
    beside[2 * k] = q ?? a[k * n + k];
    if (k === n - 1) break;
    const e = reflector(a, k * n + k + 1, 1, n - k - 1, v, k + 1);
    if (e !== null) fromRight(a, n, v, k, k + 1);
    beside[2 * k + 1] = e ?? a[k * n + k + 1];
    yield;
  }
  return tridiagonal(new Float64Array(2 * n), beside)
    .slice(n)
    .map((x) => Math.max(0, x));
}

/** Eigenvalues of any matrix: {re, im}, two Float64Array, conjugates beside each other. */
export function* general(a, n) {
  yield* hessenberg(a, n);
  const re = new Float64Array(n);
  const im = new Float64Array(n);
  const at = (i, j) => i * n + j;
  let norm = 0;
  let end = n - 1;
  let shift = 0;
  let tries = 0;
  for (const x of a) norm += Math.abs(x);
  while (end >= 0) {
    let l = end;
    for (; l > 0; l--) {
      const beside = Math.abs(a[at(l - 1, l - 1)]) + Math.abs(a[at(l, l)]) || norm;
      if (Math.abs(a[at(l, l - 1)]) <= EPS * beside) {
        a[at(l, l - 1)] = 0;
        break;
      }
    }
    let x = a[at(end, end)];
    if (l === end) {
      re[end] = x + shift;
      end--;
      tries = 0;
      continue;
    }
    let y = a[at(end - 1, end - 1)];
    let w = a[at(end, end - 1)] * a[at(end - 1, end)];
    if (l === end - 1) {
      const p = (y - x) / 2;
      const q = p * p + w;
      const root = Math.sqrt(Math.abs(q));
      x += shift;
      if (q >= 0) {
        const z = p + (p < 0 ? -root : root);
        re[end - 1] = x + z;
        re[end] = z ? x - w / z : x + z;
      } else {
        re[end] = re[end - 1] = x + p;
        im[end] = root;
        im[end - 1] = -root;
      }
      end -= 2;
      tries = 0;
      continue;
    }
    if (tries === TRIES) throw Error("the QR iteration does not converge");
    if (tries % 10 === 9) {
      // an exceptional shift breaks a cycle
      shift += x;
      for (let i = 0; i <= end; i++) a[at(i, i)] -= x;
      const s = Math.abs(a[at(end, end - 1)]) + Math.abs(a[at(end - 1, end - 2)]);
      x = y = 0.75 * s;
      w = -0.4375 * s * s;
    }
    tries++;
    sweep(a, n, l, end, x, y, w);
    yield;
  }
  return { re, im };
}

/**
 * One double-shift QR step on the rows and columns l … end; x, y, w: the last two diagonal entries and the product
 * beside them.
 */
function sweep(a, n, l, end, x, y, w) {
  let p = 0;
  let q = 0;
  let r = 0;
  let m = end - 2;
  for (; ; m--) {
    // two subdiagonal entries that are small together allow to begin further down
    const z = a[m * n + m];
    const u = x - z;
    const v = y - z;
    const low = a[(m + 1) * n + m];
    p = (u * v - w) / low + a[m * n + m + 1];
    q = a[(m + 1) * n + m + 1] - z - u - v;
    r = a[(m + 2) * n + m + 1];
    const sum = Math.abs(p) + Math.abs(q) + Math.abs(r);
    p /= sum;
    q /= sum;
    r /= sum;
    if (m === l) break;
    const left = Math.abs(a[m * n + m - 1]) * (Math.abs(q) + Math.abs(r));
    if (left <= EPS * Math.abs(p) * (Math.abs(a[(m - 1) * n + m - 1]) + Math.abs(z) + Math.abs(a[(m + 1) * n + m + 1])))
      break;
  }
  for (let i = m + 2; i <= end; i++) {
    a[i * n + i - 2] = 0;
    if (i > m + 2) a[i * n + i - 3] = 0;
  }
  for (let k = m; k < end; k++) {
    const three = k < end - 1;
    let length = 1;
    if (k > m) {
      p = a[k * n + k - 1];
      q = a[(k + 1) * n + k - 1];
      r = three ? a[(k + 2) * n + k - 1] : 0;
      length = Math.abs(p) + Math.abs(q) + Math.abs(r);
      if (length === 0) continue;
      p /= length;
      q /= length;
      r /= length;
    }
    const s = (p < 0 ? -1 : 1) * Math.sqrt(p * p + q * q + r * r);
    if (s === 0) continue;
    if (k > m) a[k * n + k - 1] = -s * length;
    else if (l !== m) a[k * n + k - 1] = -a[k * n + k - 1];
    p += s;
    const f = p / s;
    const g = q / s;
    const h = r / s;
    q /= p;
    r /= p;
    const first = k * n;
    const second = first + n;
    const third = second + n;
    for (let j = k; j <= end; j++) {
      let sum = a[first + j] + q * a[second + j];
      if (three) {
        sum += r * a[third + j];
        a[third + j] -= sum * h;
      }
      a[second + j] -= sum * g;
      a[first + j] -= sum * f;
    }
    for (let i = l, last = Math.min(end, k + 3); i <= last; i++) {
      const row = i * n + k;
      let sum = f * a[row] + g * a[row + 1];
      if (three) {
        sum += h * a[row + 2];
        a[row + 2] -= sum * r;
      }
      a[row + 1] -= sum * q;
      a[row] -= sum;
    }
  }
}
