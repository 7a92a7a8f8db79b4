// Matrices with names, shapes in letters, and for each entry the way it was computed. Numbers lie row by row.

/** A matrix: rows × cols numbers. more: see `matrix` below for the fields that a scene may add. */
export const dense = (name, letters, rows, cols, numbers, more = {}) => ({
  id: name,
  name,
  letters,
  rows,
  cols,
  numbers,
  kind: "signed",
  ...more,
});
export const rowOf = ({ numbers, cols }, i) => numbers.subarray(i * cols, (i + 1) * cols);
export const columnOf = ({ numbers, rows, cols }, j) =>
  Float32Array.from({ length: rows }, (_, i) => numbers[i * cols + j]);
export const entry = ({ numbers, cols }, i, j) => numbers[i * cols + j];

/** A result or parameter with leading axes of size 1 left out; of [h, …] the part of one head. */
export function slice({ shape, numbers }, head = null) {
  const sizes = shape.slice(-2);
  const count = sizes[0] * sizes[1];
  const from = head === null ? 0 : head * count;
  return { rows: sizes[0], cols: sizes[1], numbers: numbers.subarray(from, from + count) };
}

/** [h, n, m] with the heads side by side, [n, h·m]; for W_O, [h, m, d] is [h·m, d] already. */
export function sideBySide({ shape, numbers }) {
  const [h, n, m] = shape.slice(-3);
  const out = new Float32Array(h * n * m);
  for (let k = 0; k < h; k++)
    for (let i = 0; i < n; i++) for (let c = 0; c < m; c++) out[(i * h + k) * m + c] = numbers[(k * n + i) * m + c];
  return { rows: n, cols: h * m, numbers: out };
}

// Rows and columns count from 1; where they are tokens of the vocabulary, `first` or `firstColumn` is 0, as the tokens'
// numbers begin there.
const nth = (matrix, i) => i + (matrix.first ?? 1);
const across = (matrix, j) => j + (matrix.firstColumn ?? 1);
const at = (matrix, i, j) => `${matrix.name}[${nth(matrix, i)}, ${across(matrix, j)}]`;
const row = (matrix, i) => `${matrix.name}[${nth(matrix, i)}, :]`;
const column = (matrix, j) => `${matrix.name}[:, ${across(matrix, j)}]`;
/** The name of an entry: "Q[2, 5]". A matrix that shows some columns only knows their numbers. */
export const entryName = (matrix, i, j) =>
  matrix.columns ? `${matrix.name}[${nth(matrix, i)}, ${matrix.columns[j]}]` : at(matrix, i, j);

// ---- Ways in which an entry comes about. Each gives (i, j) → {formula: its right side, result, strips: [{name,
// numbers}], parts}.
// The strips are what is multiplied, place by place; `result` is computed from them here, in double precision.

/**
 * left · right, times factor, plus bias[j], cut at 0 where relu. `transposed`: right is given with a row for each
 * column.
 */
export const product =
  (left, right, { factor = 1, factorName = "", bias = null, biasName = "", relu = false, transposed = false } = {}) =>
  (i, j) => {
    const a = rowOf(left, i);
    const b = transposed ? rowOf(right, j) : columnOf(right, j);
    const parts = Float64Array.from(a, (x, k) => x * b[k]);
    const sum = parts.reduce((total, x) => total + x, 0);
    const raw = sum * factor + (bias?.[j] ?? 0);
    const inside =
      `${row(left, i)} · ${transposed ? row(right, j) : column(right, j)}${factorName}` +
      `${bias ? ` + ${biasName}[${j + 1}]` : ""}`;
    return {
      formula: relu ? `max(0, ${inside})` : inside,
      result: relu ? Math.max(0, raw) : raw,
      parts,
      sum,
      cut: relu && raw < 0 ? raw : null,
      bias: bias?.[j] ?? null,
      strips: [
        { name: row(left, i), numbers: a },
        { name: transposed ? row(right, j) : column(right, j), numbers: b },
      ],
    };
  };
export const sum = (left, right) => (i, j) => ({
  formula: `${at(left, i, j)} + ${at(right, i, j)}`,
  terms: [entry(left, i, j), entry(right, i, j)],
  result: entry(left, i, j) + entry(right, i, j),
  strips: [],
});
export const times = (matrix, factor, name) => (i, j) => ({
  formula: `${name} · ${at(matrix, i, j)}`,
  factors: [factor, entry(matrix, i, j)],
  result: factor * entry(matrix, i, j),
  strips: [],
});

/** Layer norm of row i: mean 0 and variance 1, then gain and bias. */
export const norm =
  (matrix, gain, bias, eps = 1e-5) =>
  (i, j) => {
    const x = rowOf(matrix, i);
    const mean = x.reduce((total, v) => total + v, 0) / x.length;
    const deviation = Math.sqrt(x.reduce((total, v) => total + (v - mean) ** 2, 0) / x.length + eps);
    return {
      formula: `gain[${j + 1}] · (${at(matrix, i, j)} − mean) / deviation + bias[${j + 1}]`,
      mean,
      deviation,
      gain: gain[j],
      shift: bias[j],
      result: (gain[j] * (x[j] - mean)) / deviation + bias[j],
      strips: [{ name: row(matrix, i), numbers: x }],
    };
  };

/** e^score over the sum of the row's; a masked entry is 0 and adds nothing. */
export const softmax =
  (scores, masked = () => false) =>
  (i, j) => {
    const seen = Float64Array.from(rowOf(scores, i), (x, k) => (masked(i, k) ? -Infinity : x));
    const largest = Math.max(...seen);
    const powers = seen.map((x) => Math.exp(x - largest));
    const total = powers.reduce((a, b) => a + b, 0);
    return {
      formula: masked(i, j)
        ? "0, because the mask hides this place"
        : `exp(${at(scores, i, j)}) / Σ exp(${row(scores, i)})`,
      share: [seen[j], total * Math.exp(largest)],
      result: powers[j] / total,
      strips: [{ name: row(scores, i), numbers: rowOf(scores, i), hidden: Array.from(seen, (x) => x === -Infinity) }],
    };
  };
/** The sine or cosine that position i has in column j. */
export const wave = (d) => (i, j) => {
  const even = j - (j % 2);
  const angle = i / 10000 ** (even / d);
  return {
    formula: `${j % 2 ? "cos" : "sin"}(${i} / 10000^(${even}/${d}))`,
    result: j % 2 ? Math.cos(angle) : Math.sin(angle),
    strips: [],
  };
};
export const learned = (matrix) => (i, j) => ({
  formula: "",
  learned: true,
  result: entry(matrix(), i, j),
  strips: [],
});
