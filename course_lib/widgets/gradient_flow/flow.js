// From settings to numbers: random weights and inputs, the cell forwards, and gradients back through it. The cell and
// its vector–Jacobian product are the traced PyTorch step (course_lib/graphs/gradients.py); the loop over time is here.

import { evaluator } from "../runtime/graph.js";
import { KERNEL } from "../runtime/kernel.js";
import { Generator } from "../runtime/random.js";
import { orthogonal, spectralNorm } from "./matrices.js";

const kernel = Uint8Array.from(atob(KERNEL), (letter) => letter.charCodeAt(0));
const GATES = { rnn: 1, gru: 3, lstm: 4 };
const KEEPS = { gru: 1, lstm: 1 }; // which gate keeps the state: z of q, z, proposal; f of i, f, g, o
const STEEPEST = { tanh: 1, relu: 1, identity: 1, sigmoid: 0.25 }; // the largest slope of each activation

export const kindOf = ({ cell, activation }) => (cell === "rnn" ? `rnn_${activation}` : cell);

/**
 * W_s [r, g, r], the unit vector v [r], and what the cell reads, T rows [g·r]: a longer sequence begins with the
 * shorter one.
 */
export function drawn({ cell, weights, scale, inputs, bias, r, length: T, seed }) {
  const g = GATES[cell];
  const generator = new Generator(seed);
  const normals = (count) => Float64Array.from({ length: count }, () => generator.normal());
  const W = new Float32Array(r * g * r);
  for (let gate = 0; gate < g; gate++) {
    const block = normals(r * r);
    const Q = weights === "orthogonal" ? orthogonal(block, r) : block.map((x) => x / Math.sqrt(r));
    for (let i = 0; i < r; i++) for (let j = 0; j < r; j++) W[(i * g + gate) * r + j] = scale * Q[i * r + j];
  }
  const direction = normals(r);
  const size = Math.hypot(...direction);
  const keeps = KEEPS[cell];
  const reads = Array.from({ length: T }, () =>
    Float32Array.from(normals(g * r), (x, at) => inputs * x + (Math.floor(at / r) === keeps ? bias : 0)),
  );
  return { W, v: Float32Array.from(direction, (x) => x / size), reads };
}

const repeated = (row, count) => {
  const all = new Float32Array(row.length * count);
  for (let i = 0; i < count; i++) all.set(row, i * row.length);
  return all;
};

/** Divides all numbers by the largest of them; the logarithm of that, −∞ where all are 0. */
function shrunk(blocks) {
  const size = blocks.reduce((most, block) => block.reduce((m, x) => Math.max(m, Math.abs(x)), most), 0);
  if (size > 0) for (const block of blocks) for (let i = 0; i < block.length; i++) block[i] /= size;
  return Math.log(size);
}
const length = (x) => Math.sqrt(x.reduce((sum, each) => sum + each * each, 0));

/**
 * One graph as planned for a width: forwards, back for a whole Jacobian, and back for one vector with the gradient by
 * W_s.
 */
export function machine(graph, r) {
  const names = graph.outputs.map(([name]) => name);
  const parts = names.includes("c") ? ["s", "c"] : ["s"];
  const before = parts.map((part) => `before.${part}`);
  const rows = parts.length * r; // the LSTM: r rows begin at s, r at c
  return {
    parts,
    rows,
    r,
    ahead: evaluator(graph, { b: 1, r }, { kernel, outputs: parts }),
    many: evaluator(graph, { b: rows, r }, { kernel, outputs: before }),
    one: evaluator(graph, { b: 1, r }, { kernel, outputs: [...before, "gradient"] }),
  };
}

/** All numbers of the picture, as natural logarithms where they may leave the range of floats. */
export function compute(state, { parts, rows, r, ahead, many, one }) {
  const { W, v, reads } = drawn(state);
  const T = reads.length;
  for (const model of [ahead, many, one]) model.set("W_s", W);
  const states = [parts.map(() => new Float32Array(r))];
  for (const read of reads) {
    parts.forEach((part, k) => ahead.set(part, states.at(-1)[k]));
    ahead.set("read", read);
    ahead.run();
    states.push(parts.map((part) => Float32Array.from(ahead.get(part))));
  }
  return {
    ...back(many, states, reads, { parts, rows, r }),
    ...weightGradient(one, states, reads, { parts, r, v }),
    bound: bound(state, W, T),
  };
}

/**
 * ln ‖∂s_T/∂s_t‖, and for the LSTM ln ‖∂c_T/∂c_t‖, t = 0 … T. Each group of r rows is kept near 1, and its size apart:
 * floats end at 1e-38.
 */
function back(model, states, reads, { parts, rows, r }) {
  const T = reads.length;
  const logs = parts.map(() => 0);
  const norms = parts.map(() => new Float64Array(T + 1));
  let rowsOf = parts.map((_, k) => {
    const one = new Float32Array(rows * r);
    for (let i = 0; i < r; i++) one[(k * r + i) * r + i] = 1;
    return one;
  });
  for (let t = T - 1; t >= 0; t--) {
    parts.forEach((part, k) => {
      model.set(part, repeated(states[t][k], rows));
      model.set(`after.${part}`, rowsOf[k]);
    });
    model.set("read", repeated(reads[t], rows));
    model.run();
    rowsOf = parts.map((part) => Float32Array.from(model.get(`before.${part}`)));
    parts.forEach((_, k) => {
      // this group's rows, by every part of the state
      const mine = rowsOf.map((all) => all.subarray(k * r * r, (k + 1) * r * r));
      logs[k] += shrunk(mine);
      norms[k][t] = logs[k] + Math.log(spectralNorm(mine[k], r, r));
    });
  }
  return { norms: norms[0], memory: norms[1] ?? null };
}

/**
 * ln of the length of each step's part in ∂⟨v, s_T⟩/∂W_s, t = 2 … T, and of their sum. The first step has no part: s_0
 * is zero.
 */
function weightGradient(model, states, reads, { parts, r, v }) {
  const T = reads.length;
  const logs = new Float64Array(T - 1);
  let sum = null;
  let log = 0;
  let sumLog = 0;
  let rows = parts.map((_, k) => (k === 0 ? v : new Float32Array(r)));
  for (let t = T; t >= 2; t--) {
    parts.forEach((part, k) => {
      model.set(part, states[t - 1][k]);
      model.set(`after.${part}`, rows[k]);
    });
    model.set("read", reads[t - 1]);
    model.run();
    const gradient = model.get("gradient");
    logs[t - 2] = log + Math.log(length(gradient));
    const top = Math.max(log, sumLog);
    const [old, new_] = [Math.exp(sumLog - top), Math.exp(log - top)]; // the sum is kept near 1 too
    sum = Float64Array.from(gradient, (x, i) => (sum ? sum[i] * old : 0) + x * new_);
    sumLog = top;
    rows = parts.map((part) => Float32Array.from(model.get(`before.${part}`)));
    log += shrunk(rows);
  }
  return { parts: logs, total: sumLog + Math.log(length(sum)) };
}

/** ln (steepest · ‖W_s‖)^(T - t), t = 0 … T: the theorem's bound, which the plain cell alone has. */
function bound({ cell, activation, r }, W, T) {
  if (cell !== "rnn") return null;
  const each = Math.log(STEEPEST[activation]) + Math.log(spectralNorm(W, r, r));
  return Float64Array.from({ length: T + 1 }, (_, t) => each * (T - t));
}
