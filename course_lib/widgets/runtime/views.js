// Views: where a tensor's numbers lie in the heap. A view is {offset, shape, strides}, counted in floats.
// Permuting, expanding, slicing and most reshaping only make new views; nothing is copied.

export const count = (shape) => shape.reduce((product, n) => product * n, 1);

export function rowMajor(shape) {
  const strides = Array(shape.length);
  for (let i = shape.length - 1, step = 1; i >= 0; i--) {
    strides[i] = step;
    step *= shape[i];
  }
  return strides;
}

export const isView = (value) => value?.offset !== undefined;

// Dense: the numbers lie one after the other in row-major order. An axis of one entry may have any stride.
export function isDense(view) {
  const strides = rowMajor(view.shape);
  return view.shape.every((n, i) => n === 1 || view.strides[i] === strides[i]);
}

// An axis counted from the end (-1 is the last) becomes one counted from the front.
export const axisOf = (axis, axes) => (axis < 0 ? axis + axes : axis);

export function broadcast(shapes) {
  const result = Array(Math.max(0, ...shapes.map((shape) => shape.length))).fill(1);
  for (const shape of shapes) {
    shape.forEach((n, i) => {
      const k = i + result.length - shape.length;
      if (n !== 1 && result[k] !== 1 && result[k] !== n)
        throw Error(`shapes [${shapes.join("] and [")}] do not broadcast`);
      if (n !== 1) result[k] = n;
    });
  }
  return result;
}

// The strides with which a loop over `shape` walks through a view that broadcasts to it: 0 stands still.
export function stridesOver(view, shape) {
  const lead = shape.length - view.shape.length;
  return shape.map((_, i) => (i < lead || view.shape[i - lead] === 1 ? 0 : view.strides[i - lead]));
}

// Strides that lay `shape` over the view's numbers in row-major order without moving them, or null where none do.
export function restride(view, shape) {
  if (isDense(view)) return rowMajor(shape);
  const runs = []; // neighbouring axes that are one evenly spaced run
  view.shape.forEach((n, i) => {
    if (n === 1) return;
    const last = runs.at(-1);
    const step = view.strides[i];
    if (last && last.step === n * step) {
      last.n *= n;
      last.step = step;
    } else runs.push({ n, step });
  });
  const strides = Array(shape.length).fill(1);
  let run = runs.pop() ?? { n: 1, step: 1 };
  for (let i = shape.length - 1; i >= 0; i--) {
    if (shape[i] === 1) continue;
    if (run.n === 1 && runs.length) run = runs.pop();
    if (run.n % shape[i]) return null;
    strides[i] = run.step;
    run.step *= shape[i];
    run.n /= shape[i];
  }
  return strides;
}

// The value of a size expression, a sum of products such as "b*n" or "n+-1".
export function sizeOf(expression, sizes) {
  if (typeof expression === "number") return expression;
  const factor = (text) => {
    const value = text in sizes ? sizes[text] : Number(text);
    if (Number.isNaN(value))
      throw Error(`the graph needs the size '${text}', got sizes ${Object.keys(sizes).join(", ")}`);
    return value;
  };
  return expression.split("+").reduce((sum, term) => sum + term.split("*").reduce((p, f) => p * factor(f), 1), 0);
}
