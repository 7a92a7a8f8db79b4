// One run: a network with one hidden layer of tanh neurons on noisy points of a wave. The traced training step does it
// all; twin of tests/shared/fit_run.py, number for number. Weights and errors of every tenth step are kept, so that the
// reader can go back.

import { evaluator } from "../runtime/graph.js";
import { KERNEL } from "../runtime/kernel.js";
import { Generator } from "../runtime/random.js";
import { trainer } from "../runtime/training.js";
import { TAKES } from "./address.js";

export const NOISE = 0.3;
export const EACH = 10; // steps from one moment that is kept to the next
export const LAST = TAKES.step[1];
export const GRID = Array.from({ length: 161 }, (_, i) => (i - 80) / 80);
const RATE = 0.01;
const STREAM = 10_000;
const HELD_OUT = { validation: 20, test: 500 };
const kernel = Uint8Array.from(atob(KERNEL), (letter) => letter.charCodeAt(0));

export const wave = (x) => Math.sin(5 * x);

/** {x, y}: the first `count` points of a stream. */
export function draw(stream, count) {
  const random = new Generator(stream);
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const at = 2 * random.uniform() - 1;
    x[i] = at;
    y[i] = wave(at) + NOISE * random.normal();
  }
  return { x, y };
}

/**
 * graphs: {fit, adam}. The run: {points, moments: [{weights, errors}], advance(): ten steps more, outputs(weights): on
 * GRID}.
 */
export function makeRun({ graphs, width, points: count, seed, generate }) {
  const points = { training: draw(seed, count) };
  Object.entries(HELD_OUT).forEach(([kind, number], i) => {
    points[kind] = draw(seed + (i + 1) * STREAM, number);
  });
  const options = { kernel, generate };
  const model = trainer(graphs.fit, graphs.adam, { n: count, r: width }, options);
  model.set("x", points.training.x);
  model.set("y", points.training.y);
  const random = new Generator(seed + 3 * STREAM);
  for (const name of model.trained) {
    const reach = name.endsWith("0") ? 1 : Math.sqrt(1 / width);
    model.set(
      name,
      Float32Array.from(model.get(name), () => reach * (2 * random.uniform() - 1)),
    );
  }
  const reader = (outputs, { x, y }) => {
    const read = evaluator(graphs.fit, { n: x.length, r: width }, { ...options, outputs });
    read.set("x", x);
    if (y) read.set("y", y);
    return (weights) => {
      for (const [name, values] of weights) read.set(name, values);
      read.run();
      return read.get(outputs[0]);
    };
  };
  const curve = reader(["output"], { x: Float32Array.from(GRID) });
  const error = Object.fromEntries(Object.entries(points).map(([kind, each]) => [kind, reader(["loss"], each)]));
  const moments = [];
  const losses = [];
  function keep() {
    const weights = model.parameters().map(([name, values]) => [name, values.slice()]);
    moments.push({
      weights,
      errors: Object.fromEntries(Object.entries(error).map(([kind, of]) => [kind, of(weights)[0]])),
    });
  }
  keep();
  return {
    points,
    moments,
    losses, // before each step
    count: model.parameterCount,
    advance() {
      for (let i = 0; i < EACH; i++) losses.push(model.step(RATE));
      keep();
    },
    outputs: (at) => curve(moments[at].weights),
  };
}
