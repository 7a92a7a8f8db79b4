// graph.js: runs a page graph, a PyTorch function traced to core operators with symbolic sizes (format:
// graphs/trace.py).
//
// It knows operators, not models. `plan` walks the graph once with the real sizes and settles every shape, stride,
// buffer and loop; run() then only computes: it allocates nothing and works out no shapes.
//
// All numbers are float32 in one heap. A tensor is a view into it (views.js). An elementwise result stays an
// expression until somebody needs its numbers, so that a chain of operators becomes one loop (loops.js). Everything
// else is an operator of ops.js. Steps receive the heap's floats when they run, so the heap may grow between runs.

import { mayGenerate } from "./loops.js";
import { compiledMatmul, matmul } from "./matmul.js";
import { clashes, isReference, liveness, matchSizes, overlaps, Planner, reads } from "./planner.js";
import { count, rowMajor, sizeOf } from "./views.js";

const PAGE = 65536;
const MOST_PAGES = 16384; // WebAssembly's pages; at most 1 GB

// One growing block of float32 numbers. `kernel` multiplies matrices; see matmul.js.
export class Heap {
  #top = 16;

  constructor() {
    this.memory = new WebAssembly.Memory({ initial: 16 });
    this.floats = new Float32Array(this.memory.buffer);
    this.kernel = matmul;
  }

  // Multiply with a compiled kernel from now on; false where the page's policy forbids one. Nothing else changes.
  accelerate(bytes) {
    const kernel = compiledMatmul(bytes, this.memory);
    if (kernel) this.kernel = kernel;
    return kernel !== null;
  }

  allocate(shape) {
    const offset = this.#top;
    this.#top += (count(shape) + 3) & ~3; // 16 bytes, what a vector load likes
    const missing = Math.ceil((this.#top * 4) / PAGE) - this.memory.buffer.byteLength / PAGE;
    if (missing > 0) {
      const pages = this.memory.buffer.byteLength / PAGE;
      if (!(pages + missing <= MOST_PAGES))
        throw Error(`a tensor of shape [${shape}] does not fit into the page's memory`);
      this.memory.grow(Math.max(missing, Math.min(pages, MOST_PAGES - pages)));
      this.floats = new Float32Array(this.memory.buffer);
    }
    return { offset, shape, strides: rowMajor(shape) };
  }

  // The numbers of a dense view. The array is current until the heap grows: ask again after planning.
  read(view) {
    return this.floats.subarray(view.offset, view.offset + count(view.shape));
  }

  write(view, numbers) {
    if (numbers.length !== count(view.shape)) {
      throw Error(`a tensor of shape [${view.shape}] takes ${count(view.shape)} numbers, got ${numbers.length}`);
    }
    this.floats.set(numbers, view.offset);
  }
}

// Plan a graph on views of the heap: inputs {name: view}, `into` {output name: dense view that receives it} (the view
// of an input too: Adam updates in place). options.outputs: the names wanted (all unless given), what they do not need
// is left out, inputs included; options.generate: false keeps away from generated code. Returns { run(), outputs:
// {name: dense view}, steps }.
export function plan(heap, graph, inputs, into = {}, options = {}) {
  const planner = new Planner(heap, options.generate ?? mayGenerate());
  const wanted = graph.outputs.filter(([name]) => options.outputs?.includes(name) ?? true);
  const unknown = [...(options.outputs ?? []), ...Object.keys(into)].find((name) =>
    graph.outputs.every((o) => o[0] !== name),
  );
  if (unknown)
    throw Error(
      `graph '${graph.name}' has no output '${unknown}', it has ${graph.outputs.map((o) => o[0]).join(", ")}`,
    );
  const { place, uses } = liveness(graph, wanted);
  const sizes = matchSizes(graph, inputs, uses);
  const slots = graph.inputs.map(([name], i) => ({ value: inputs[name], uses: uses[i] ?? 0 }));
  const targets = new Map(
    wanted.filter(([name]) => into[name]).map(([name, ref]) => [place(ref, graph.nodes.length), into[name]]),
  );
  const own = graph.inputs.map(([name]) => inputs[name]).filter(Boolean);
  const waiting = [];

  graph.nodes.forEach(([operator, ...args], i) => {
    const at = graph.inputs.length + i;
    if (!uses[at]) return;
    const touched = [];
    const resolve = (arg) => {
      if (Array.isArray(arg)) return arg.map(resolve);
      if (typeof arg !== "string") return arg;
      if (!isReference(arg)) return Number.isNaN(Number(arg)) ? sizeOf(arg, sizes) : Number(arg);
      const slot = slots[place(arg, i)];
      touched.push(slot);
      return slot;
    };
    const slot = { value: planner.apply(operator, args.map(resolve)), uses: uses[at] };
    slots[at] = slot;
    for (const used of touched) used.uses--;
    const target = targets.get(at);
    if (!target) return;
    const disturbed =
      own.some((view) => overlaps(view, target)) &&
      slots.some((s) => s !== slot && s.uses > 0 && reads(s.value, target));
    if (disturbed || clashes(slot.value, target)) waiting.push([slot, target]);
    else {
      planner.write(slot.value, target);
      slot.value = target;
    }
  });

  // Outputs that would have overwritten something still to be read: first all of them get their numbers, then they
  // move.
  for (const [slot] of waiting) slot.value = planner.store(slot.value, planner.shape(slot));
  for (const [slot, target] of waiting) {
    planner.write(slot.value, target);
    slot.value = target;
  }
  const outputs = {};
  for (const [name, ref] of wanted) {
    const slot = slots[place(ref, graph.nodes.length)];
    if (into[name] && slot.value !== into[name]) planner.write(slot.value, into[name]); // one value, two outputs
    outputs[name] = into[name] ?? planner.dense(slot);
  }
  return { outputs, steps: planner.steps, run: planner.runner() };
}

// A small graph on its own heap: sizes {name: number}, options as for `plan`, and `kernel` (bytes for Heap.accelerate).
export function evaluator(graph, sizes, options = {}) {
  for (const name of graph.sizes) {
    if (!(Number.isInteger(sizes[name]) && sizes[name] > 0)) {
      throw Error(`size '${name}' of graph '${graph.name}' must be a whole number > 0, got ${sizes[name]}`);
    }
  }
  const heap = new Heap();
  const inputs = {};
  if (options.kernel) heap.accelerate(options.kernel);
  for (const [name, shape] of graph.inputs) inputs[name] = heap.allocate(shape.map((s) => sizeOf(s, sizes)));
  const { outputs, run } = plan(heap, graph, inputs, {}, options);
  const find = (name) =>
    outputs[name] ??
    inputs[name] ??
    fail(
      `graph '${graph.name}' has no '${name}', it has ${[...Object.keys(inputs), ...Object.keys(outputs)].join(", ")}`,
    );
  return {
    set(name, numbers) {
      if (!inputs[name]) fail(`graph '${graph.name}' has no input '${name}', it has ${Object.keys(inputs).join(", ")}`);
      heap.write(inputs[name], numbers);
    },
    run,
    get: (name) => heap.read(find(name)),
    shape: (name) => [...find(name).shape],
  };
}

function fail(words) {
  throw Error(words);
}
