// Trains a model in the page: one graph gives loss and gradients (course_lib/graphs/training.py), another is Adam.
//
// All parameters lie in one vector, and so do Adam's averages and the gradients; the gradient graph writes each
// gradient straight to its place there. The positions come last, so that Adam can leave them alone by taking a shorter
// vector.

import { Heap, plan } from "./graph.js";
import { count, rowMajor, sizeOf } from "./views.js";

const LAST = "positions";
const BETA_1 = 0.9;

// graph, adam: the two graphs; sizes {name: number} of the first. options: kernel (bytes for Heap.accelerate), generate
// (see plan), learnPositions (true unless given).
export function trainer(graph, adam, sizes, options = {}) {
  const heap = new Heap();
  if (options.kernel) heap.accelerate(options.kernel);
  const shapes = Object.fromEntries(
    graph.inputs.map(([name, shape]) => [name, shape.map((size) => sizeOf(size, sizes))]),
  );
  const outputs = graph.outputs.map(([name]) => name);
  const learns = (name) => outputs.includes(`gradient.${name}`);
  const trained = Object.keys(shapes)
    .filter(learns)
    .sort((a, b) => (a === LAST) - (b === LAST));
  const total = trained.reduce((sum, name) => sum + count(shapes[name]), 0);
  const moving = (options.learnPositions ?? true) ? total : total - count(shapes[LAST]);

  // Adam's vectors, the parameters first and the gradient last, and its numbers.
  const named = (isVector) => adam.inputs.filter(([, shape]) => shape.length > 0 === isVector).map(([name]) => name);
  const vectors = Object.fromEntries(named(true).map((name) => [name, heap.allocate([total])]));
  const dials = Object.fromEntries(named(false).map((name) => [name, heap.allocate([])]));
  const moved = Object.keys(vectors).filter((name) => name !== "gradient");

  // The views of the parameters in a vector, one after the other.
  const cut = (whole, prefix = "") => {
    let { offset } = whole;
    return Object.fromEntries(
      trained.map((name) => {
        const view = { offset, shape: shapes[name], strides: rowMajor(shapes[name]) };
        offset += count(shapes[name]);
        return [prefix + name, view];
      }),
    );
  };
  const inputs = {
    ...Object.fromEntries(
      Object.keys(shapes)
        .filter((name) => !learns(name))
        .map((name) => [name, heap.allocate(shapes[name])]),
    ),
    ...cut(vectors.parameters),
  };
  const gradients = cut(vectors.gradient, "gradient.");
  if (moving < total) delete gradients[`gradient.${LAST}`];
  const forward = outputs.filter((name) => name === "logits" || name.startsWith("weights."));
  const step = plan(heap, graph, inputs, gradients, {
    ...options,
    outputs: ["loss", ...forward, ...Object.keys(gradients)],
  });

  const part = (name) => [name, { offset: vectors[name].offset, shape: [moving], strides: [1] }];
  const own = Object.fromEntries(moved.map(part));
  const update = plan(heap, adam, { ...own, gradient: part("gradient")[1], ...dials }, own, options);

  let t = 0;
  let latest = step.outputs;
  let forwardPass;
  const find = (name) => {
    const view = inputs[name] ?? latest[name];
    if (!view)
      throw Error(
        `graph '${graph.name}' has no '${name}', it has ${[...Object.keys(inputs), ...Object.keys(latest)].join(", ")}`,
      );
    return view;
  };
  return {
    trained, // names of the parameters, positions last
    parameterCount: moving,
    get steps() {
      return t;
    },
    shape: (name) => [...find(name).shape],
    // A view of an input, a parameter, or a result of the latest step or look: copy it to keep it.
    get: (name) => heap.read(find(name)),
    set(name, numbers) {
      if (!inputs[name])
        throw Error(`graph '${graph.name}' has no input '${name}', it has ${Object.keys(inputs).join(", ")}`);
      heap.write(inputs[name], numbers);
    },
    // [name, values] of all parameters, or of their averages in another of Adam's vectors.
    parameters: (vector = "parameters") =>
      Object.entries(cut(vectors[vector])).map(([name, view]) => [name, heap.read(view)]),
    // One step of Adam on the present tokens; gives the loss before it. weight: the newest parameters' share in their
    // average.
    step(rate, { beta_2 = 0.999, weight = 0 } = {}) {
      step.run();
      latest = step.outputs;
      t += 1;
      const numbers = {
        rate,
        beta_1: BETA_1,
        beta_2,
        weight,
        mean_share: 1 - BETA_1 ** t,
        square_share: 1 - beta_2 ** t,
      };
      for (const [name, place] of Object.entries(dials)) heap.write(place, [numbers[name]]);
      update.run();
      return heap.read(step.outputs.loss)[0];
    },
    // The forward pass alone on the present tokens: logits and weights, nothing learned.
    look() {
      forwardPass ??= plan(heap, graph, inputs, {}, { ...options, outputs: forward });
      forwardPass.run();
      latest = forwardPass.outputs;
    },
    // Everything that training has changed, and the way back there.
    snapshot: () => ({ t, vectors: moved.map((name) => heap.read(vectors[name]).slice()) }),
    restore(moment) {
      t = moment.t;
      moved.forEach((name, i) => heap.write(vectors[name], moment.vectors[i]));
    },
  };
}
