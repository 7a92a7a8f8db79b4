// The operators that are no plain formula: views, reductions, matrix products, row operators. Names and arguments are
// those of PyTorch's core operators (docs: torch.compiler, "Core ATen IR"). Exporting a graph reads this table's names.
//
// An operator receives the planner p and its arguments: a tensor comes as a slot, whose numbers p.view(slot) puts into
// the heap, or p.dense(slot) in row-major order. It returns a view, an expression, a number, or a list of views.

import { axisOf, count, restride, rowMajor } from "./views.js";
import { logSoftmax, normalize, softmax } from "./rows.js";

export const OPERATORS = {
  // ---- views
  permute: (p, x, order) => {
    const { offset, shape, strides } = p.view(x);
    order = order.map((i) => axisOf(i, shape.length));
    return { offset, shape: order.map((i) => shape[i]), strides: order.map((i) => strides[i]) };
  },
  view: (p, x, wanted) => {
    const view = p.view(x);
    const known = wanted.filter((n) => n !== -1);
    const shape = wanted.map((n) => (n === -1 ? count(view.shape) / count(known) : n));
    const strides = restride(view, shape);
    return strides
      ? { offset: view.offset, shape, strides }
      : { offset: p.dense(x).offset, shape, strides: rowMajor(shape) };
  },
  unsqueeze: (p, x, axis) => {
    const { offset, shape, strides } = p.view(x);
    const at = axisOf(axis, shape.length + 1);
    return { offset, shape: insert(shape, at, 1), strides: insert(strides, at, 1) };
  },
  squeeze: (p, x, axes) => {
    const { offset, shape, strides } = p.view(x);
    const drop = axesOf(axes, shape);
    const kept = (_, i) => !(drop.includes(i) && shape[i] === 1);
    return { offset, shape: shape.filter(kept), strides: strides.filter(kept) };
  },
  expand: (p, x, shape) => {
    const view = p.view(x);
    const lead = shape.length - view.shape.length;
    const at = (i) => view.shape[i - lead] ?? 1;
    return {
      offset: view.offset,
      shape: shape.map((n, i) => (n === -1 ? at(i) : n)),
      strides: shape.map((_, i) => (at(i) === 1 ? 0 : view.strides[i - lead])),
    };
  },
  slice: (p, x, axis = 0, start = 0, end = Infinity, step = 1) => {
    const { offset, shape, strides } = p.view(x);
    const at = axisOf(axis, shape.length);
    const n = shape[at];
    const clip = (i) => Math.min(n, Math.max(0, i < 0 ? i + n : i));
    const first = clip(start ?? 0);
    const length = Math.max(0, Math.ceil((clip(end ?? n) - first) / step));
    return {
      offset: offset + first * strides[at],
      shape: shape.with(at, length),
      strides: strides.with(at, strides[at] * step),
    };
  },
  select: (p, x, axis, index) => {
    const { offset, shape, strides } = p.view(x);
    const at = axisOf(axis, shape.length);
    const others = (_, i) => i !== at;
    return {
      offset: offset + axisOf(index, shape[at]) * strides[at],
      shape: shape.filter(others),
      strides: strides.filter(others),
    };
  },
  alias: (p, x) => p.view(x),
  clone: (p, x) => p.inline(x, p.shape(x)),
  _to_copy: (p, x) => p.inline(x, p.shape(x)),
  getitem: (_p, x, index) => x.value[index],

  // ---- numbers
  scalar_tensor: (_p, number) => number,
  full: (p, shape, number) => p.filled(shape, number),
  full_like: (p, x, number) => p.filled(p.shape(x), number),

  // ---- reductions
  sum: (p, x, axes, keep) => reduce(p, x, axes, keep, "sum"),
  amax: (p, x, axes, keep) => reduce(p, x, axes, keep, "amax"),
  amin: (p, x, axes, keep) => reduce(p, x, axes, keep, "amin"),
  any: (p, x, axes, keep) => reduce(p, x, axes, keep, "any"),
  mean: (p, x, axes, keep) => {
    const n = axesOf(axes, p.shape(x)).reduce((product, i) => product * p.shape(x)[i], 1);
    return p.elementwise("div", [reduce(p, x, axes, keep, "sum"), n]);
  },
  clamp: (p, x, low, high) => {
    const raised = low == null ? x : p.elementwise("maximum", [x, low]);
    return high == null ? raised : p.elementwise("minimum", [raised, high]);
  },

  // ---- matrix products
  bmm: (p, x, y) => p.matmul(p.view(x), p.view(y)),
  mm: (p, x, y) => matrixProduct(p, x, y),
  addmm: (p, bias, x, y) => p.elementwise("add", [matrixProduct(p, x, y), bias]),

  // ---- rows
  _softmax: (p, x, axis) => alongAxis(p, x, axis, softmax),
  _log_softmax: (p, x, axis) => alongAxis(p, x, axis, logSoftmax),
  native_layer_norm: (p, x, shape, weight, bias, eps) => {
    const source = p.dense(x);
    const n = count(shape);
    const rows = count(source.shape) / n;
    const lead = source.shape.length - shape.length;
    const once = [...source.shape.slice(0, lead), ...shape.map(() => 1)];
    const [result, mean, inverse] = [source.shape, once, once].map((s) => p.allocate(s));
    p.emit("layer norm", (H) => normalize(H, source.offset, result.offset, mean.offset, inverse.offset, rows, n, eps));
    const scaled = weight == null ? result : p.elementwise("mul", [result, weight]);
    const shifted = bias == null ? scaled : p.elementwise("add", [scaled, bias]);
    return [shifted, mean, inverse];
  },
  cat: (p, parts, axis = 0) => {
    const views = parts.map((part) => p.view(part));
    const at = axisOf(axis, views[0].shape.length);
    const whole = p.allocate(
      views[0].shape.with(
        at,
        views.reduce((sum, view) => sum + view.shape[at], 0),
      ),
    );
    let start = 0;
    for (const view of views) {
      p.write(view, { offset: whole.offset + start * whole.strides[at], shape: view.shape, strides: whole.strides });
      start += view.shape[at];
    }
    return whole;
  },
};

const insert = (list, at, entry) => [...list.slice(0, at), entry, ...list.slice(at)];

// Axes as PyTorch gives them: one number, a list, or nothing for all.
function axesOf(axes, shape) {
  const list = axes == null ? [] : typeof axes === "number" ? [axes] : axes;
  return list.length ? list.map((i) => axisOf(i, shape.length)) : shape.map((_, i) => i);
}

function reduce(p, x, axes, keep, reduction) {
  const shape = p.shape(x);
  const reduced = axesOf(axes, shape);
  const { offset } = p.store(p.inline(x, shape), shape, reduced, reduction);
  const left = keep ? shape.map((n, i) => (reduced.includes(i) ? 1 : n)) : shape.filter((_, i) => !reduced.includes(i));
  return { offset, shape: left, strides: rowMajor(left) };
}

function matrixProduct(p, x, y) {
  const lead = ({ offset, shape, strides }) => ({ offset, shape: [1, ...shape], strides: [0, ...strides] });
  const { offset, shape } = p.matmul(lead(p.view(x)), lead(p.view(y)));
  return { offset, shape: shape.slice(1), strides: rowMajor(shape.slice(1)) };
}

// A row kernel along any axis: that axis goes last, and comes back afterwards.
function alongAxis(p, x, axis, kernel) {
  const view = p.view(x);
  const last = view.shape.length - 1;
  const at = axisOf(axis, last + 1);
  const swap = (v) => {
    const swapped = (list) => list.map((entry, i) => (i === at ? list[last] : i === last ? list[at] : entry));
    return { offset: v.offset, shape: swapped(v.shape), strides: swapped(v.strides) };
  };
  const source = p.dense(at === last ? x : swap(view));
  const result = p.allocate(source.shape);
  const n = source.shape.at(-1) ?? 1;
  const rows = count(source.shape) / n;
  p.emit(kernel.name, (H) => kernel(H, source.offset, result.offset, rows, n));
  return at === last ? result : swap(result);
}
