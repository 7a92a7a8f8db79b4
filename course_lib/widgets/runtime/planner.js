// The planner: what graph.js does while it walks a graph. A slot is a place for one value of the graph: {value, uses},
// where value is a view, an expression {op, args, shape}, a number or a list of these, and uses counts the readers
// still to come.

import { compileLoop, FORMULAS } from "./loops.js";
import { OPERATORS } from "./ops.js";
import { broadcast, count, isDense, isView, stridesOver } from "./views.js";

const isSlot = (arg) => arg?.uses !== undefined;
const plain = (arg) => (isSlot(arg) ? arg.value : arg);

// What the operators see: it puts numbers into the heap and collects the steps that will do so again at every run.
export class Planner {
  steps = [];
  #products = [];

  constructor(heap, generate) {
    this.heap = heap;
    this.generate = generate;
  }

  apply(operator, args) {
    if (Object.hasOwn(FORMULAS, operator)) return this.elementwise(operator, args);
    if (Object.hasOwn(OPERATORS, operator)) return OPERATORS[operator](this, ...args);
    throw Error(`graph.js does not have the operator '${operator}'`);
  }

  elementwise(op, args) {
    if (args.length === 3 && op !== "where") args = [args[0], this.elementwise("mul", args.slice(1))]; // add's alpha
    if (args.every((arg) => typeof plain(arg) === "number")) return Number(FORMULAS[op](...args.map(plain)));
    const shape = broadcast(args.map((arg) => this.shape(arg)));
    args = args.map((arg) => this.inline(arg, shape));
    // a place, to be chosen
    if (op === "where") args = args.map((arg) => (typeof arg === "number" ? this.filled([], arg) : arg));
    return { op, args, shape };
  }

  shape(arg) {
    const value = plain(arg);
    return typeof value === "number" ? [] : value.shape;
  }

  // As part of a larger expression where that computes nothing twice, else as numbers in the heap.
  inline(arg, shape) {
    const value = plain(arg);
    if (typeof value === "number" || isView(value)) return value;
    const once = !isSlot(arg) || arg.uses === 1;
    return once && count(value.shape) === count(shape) ? value : this.view(arg);
  }

  view(arg) {
    const value = plain(arg);
    if (isView(value)) return value;
    const stored = typeof value === "number" ? this.filled([], value) : this.store(value, value.shape);
    if (isSlot(arg)) arg.value = stored;
    return stored;
  }

  dense(arg) {
    const view = this.view(arg);
    return isDense(view) ? view : this.store(view, view.shape);
  }

  allocate(shape) {
    return this.heap.allocate(shape);
  }

  // One number seen as a tensor of any shape. It lies in the heap from now on, so it costs no step.
  filled(shape, number) {
    const { offset } = this.allocate([]);
    this.heap.floats[offset] = number;
    return { offset, shape, strides: shape.map(() => 0) };
  }

  store(expression, shape, reduced = [], reduction = "sum") {
    const result = this.allocate(shape.filter((_, i) => !reduced.includes(i)));
    let next = 0;
    const strides = shape.map((_, i) => (reduced.includes(i) ? 0 : result.strides[next++]));
    this.#loop(shape, expression, { offset: result.offset, strides }, reduced, reduction);
    return result;
  }

  write(expression, target) {
    const value = plain(expression);
    this.#loop(target.shape, value, { offset: target.offset, strides: stridesOver(target, target.shape) }, [], "sum");
  }

  #loop(shape, expression, out, reduced, reduction) {
    this.emit("loop", compileLoop(shape, expression, out, { reduced, reduction, generate: this.generate }));
  }

  matmul(x, y) {
    const [batch, M, K] = x.shape;
    const N = y.shape[2];
    const result = this.allocate([batch, M, N]);
    const { heap } = this;
    const [aBatch, aRow, aColumn] = x.strides;
    const [bBatch, bRow, bColumn] = y.strides;
    const room = { floats: K * N, offset: 0 };
    this.#products.push(room);
    this.emit("matmul", (H) =>
      heap.kernel(
        H,
        batch,
        M,
        N,
        K,
        x.offset,
        aBatch,
        aRow,
        aColumn,
        y.offset,
        bBatch,
        bRow,
        bColumn,
        result.offset,
        room.offset,
      ),
    );
    return result;
  }

  emit(label, step) {
    this.steps.push(Object.assign(step, { label }));
  }

  runner() {
    const { heap, steps } = this;
    const scratch = heap.allocate([this.#products.reduce((most, { floats }) => Math.max(most, floats), 0)]);
    for (const room of this.#products) room.offset = scratch.offset;
    return () => {
      const H = heap.floats;
      for (let i = 0; i < steps.length; i++) steps[i](H);
    };
  }
}

// ---- The graph before planning.
export const isReference = (arg) => typeof arg === "string" && /^[$^]\d+$/.test(arg);

// How often each value is used on the way to the wanted outputs; one that is not used at all is not computed.
export function liveness(graph, wanted) {
  const inputs = graph.inputs.length;
  const uses = Array(inputs + graph.nodes.length).fill(0);
  const place = (ref, node) => (ref[0] === "$" ? Number(ref.slice(1)) : inputs + node - Number(ref.slice(1)));
  const visit = (arg, node) => {
    if (Array.isArray(arg)) arg.forEach((entry) => visit(entry, node));
    else if (isReference(arg)) uses[place(arg, node)]++;
  };
  for (const [, ref] of wanted) visit(ref, graph.nodes.length);
  for (let i = graph.nodes.length - 1; i >= 0; i--) if (uses[inputs + i]) visit(graph.nodes[i].slice(1), i);
  return { place, uses };
}

// The sizes, read off the shapes of the inputs in use; the same name must mean the same number everywhere.
export function matchSizes(graph, inputs, uses) {
  const sizes = {};
  graph.inputs.forEach(([name, shape], i) => {
    if (!inputs[name] && uses[i]) throw Error(`graph '${graph.name}' needs the input '${name}' [${shape}]`);
    if (!inputs[name]) return;
    const got = inputs[name].shape;
    const fits =
      got.length === shape.length &&
      shape.every((size, k) => {
        if (typeof size === "number") return size === got[k];
        sizes[size] ??= got[k];
        return sizes[size] === got[k];
      });
    if (!fits) {
      const known = Object.entries(sizes)
        .map(([size, n]) => `${size} = ${n}`)
        .join(", ");
      throw Error(`input '${name}' of graph '${graph.name}' has shape [${shape}] with ${known}, got [${got}]`);
    }
  });
  return sizes;
}

// ---- Which numbers a value still has to read.
const extent = (view) => view.shape.reduce((last, n, i) => last + (n - 1) * view.strides[i], view.offset);

export const overlaps = (view, target) => view.offset <= extent(target) && target.offset <= extent(view);

export function reads(value, target) {
  if (isView(value)) return overlaps(value, target);
  if (Array.isArray(value)) return value.some((part) => reads(part, target));
  return value?.args?.some((arg) => reads(arg, target)) ?? false;
}

// Would writing `value` into target, entry by entry, overwrite what a later entry reads?
export function clashes(value, target) {
  if (!isView(value)) return value?.args?.some((arg) => clashes(arg, target)) ?? false;
  const same =
    value.offset === target.offset &&
    String(stridesOver(value, target.shape)) === String(stridesOver(target, target.shape));
  return overlaps(value, target) && !same;
}
