// Trains a model in the page: one graph gives loss and gradients (course_lib/graphs/training.py), another is Adam.
//
// All parameters lie in one vector, and so do Adam's two averages and the gradients; the gradient graph writes each gradient
// straight to its place there. The positions come last, so that Adam can leave them alone by taking a shorter vector.

import { Heap, plan } from "./graph.js";
import { count, rowMajor, sizeOf } from "./views.js";

const LAST = "positions";

// graph, adam: the two graphs; sizes {b, n, vocab, d, m, h, r}. options: kernel (bytes for Heap.accelerate), generate (see
// plan), learnPositions (true unless given).
export function trainer(graph, adam, sizes, options = {}) {
  const heap = new Heap();
  if (options.kernel) heap.accelerate(options.kernel);
  const shapes = Object.fromEntries(graph.inputs.map(([name, shape]) => [name, shape.map((size) => sizeOf(size, sizes))]));
  const outputs = graph.outputs.map(([name]) => name);
  const learns = (name) => outputs.includes(`gradient.${name}`);
  const trained = Object.keys(shapes)
    .filter(learns)
    .sort((a, b) => (a === LAST) - (b === LAST));
  const total = trained.reduce((sum, name) => sum + count(shapes[name]), 0);
  const moving = (options.learnPositions ?? true) ? total : total - count(shapes[LAST]);
  const vector = () => heap.allocate([total]);
  const parameters = vector();
  const gradient = vector();
  const mean = vector();
  const square = vector();

  // The views of the parameters in a vector, one after the other.
  const cut = (whole) => {
    let { offset } = whole;
    return Object.fromEntries(
      trained.map((name) => {
        const view = { offset, shape: shapes[name], strides: rowMajor(shapes[name]) };
        offset += count(shapes[name]);
        return [name, view];
      }),
    );
  };
  const inputs = {
    ...Object.fromEntries(
      Object.keys(shapes)
        .filter((name) => !learns(name))
        .map((name) => [name, heap.allocate(shapes[name])]),
    ),
    ...cut(parameters),
  };
  const gradients = Object.fromEntries(Object.entries(cut(gradient)).map(([name, view]) => [`gradient.${name}`, view]));
  if (moving < total) delete gradients[`gradient.${LAST}`];
  const forward = outputs.filter((name) => name === "logits" || name.startsWith("weights."));
  const step = plan(heap, graph, inputs, gradients, { ...options, outputs: ["loss", ...forward, ...Object.keys(gradients)] });

  const part = ({ offset }) => ({ offset, shape: [moving], strides: [1] });
  const own = { parameters: part(parameters), mean: part(mean), square: part(square) };
  const dials = Object.fromEntries(["rate", "mean_share", "square_share"].map((name) => [name, heap.allocate([])]));
  const update = plan(heap, adam, { ...own, gradient: part(gradient), ...dials }, own, options);

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
      if (!inputs[name]) throw Error(`graph '${graph.name}' has no input '${name}', it has ${Object.keys(inputs).join(", ")}`);
      heap.write(inputs[name], numbers);
    },
    // One step of Adam on the present tokens; gives the loss before it.
    step(rate) {
      step.run();
      latest = step.outputs;
      t += 1;
      heap.write(dials.rate, [rate]);
      heap.write(dials.mean_share, [1 - 0.9 ** t]);
      heap.write(dials.square_share, [1 - 0.999 ** t]);
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
    snapshot: () => ({ t, vectors: [parameters, mean, square].map((view) => heap.read(view).slice()) }),
    restore(moment) {
      t = moment.t;
      [parameters, mean, square].forEach((view, i) => heap.write(view, moment.vectors[i]));
    },
  };
}
