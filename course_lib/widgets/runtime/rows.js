// Operators that need a whole row at once. Rows are dense, n numbers each; x, y and so on are offsets into the heap H.

export function softmax(H, x, y, rows, n) {
  for (let i = 0; i < rows * n; i += n) {
    let top = -Infinity;
    let sum = 0;
    for (let j = i; j < i + n; j++) top = Math.max(top, H[x + j]);
    for (let j = i; j < i + n; j++) {
      const e = Math.exp(H[x + j] - top);
      H[y + j] = e;
      sum += e;
    }
    for (let j = i; j < i + n; j++) H[y + j] /= sum;
  }
}

export function logSoftmax(H, x, y, rows, n) {
  for (let i = 0; i < rows * n; i += n) {
    let top = -Infinity;
    let sum = 0;
    for (let j = i; j < i + n; j++) top = Math.max(top, H[x + j]);
    for (let j = i; j < i + n; j++) sum += Math.exp(H[x + j] - top);
    const shift = top + Math.log(sum);
    for (let j = i; j < i + n; j++) H[y + j] = H[x + j] - shift;
  }
}

// y = (x - mean)/√(variance + eps); also writes each row's mean and 1/√(variance + eps), which the gradient needs.
export function normalize(H, x, y, mean, inverse, rows, n, eps) {
  for (let row = 0, i = 0; row < rows; row++, i += n) {
    let m = 0;
    let variance = 0;
    for (let j = i; j < i + n; j++) m += H[x + j];
    m /= n;
    for (let j = i; j < i + n; j++) variance += (H[x + j] - m) ** 2;
    const scale = 1 / Math.sqrt(variance / n + eps);
    H[mean + row] = m;
    H[inverse + row] = scale;
    for (let j = i; j < i + n; j++) H[y + j] = (H[x + j] - m) * scale;
  }
}
