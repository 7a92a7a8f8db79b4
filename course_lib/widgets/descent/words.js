// What has happened so far, in a sentence or two: shown and spoken.

import { digits } from "../drawing/scale.js";
import { decayed } from "./optimisers.js";
import { SAMPLES } from "./run.js";
import { SURFACES } from "./surfaces.js";

export const NAMES = {
  gd: "gradient descent",
  sgd: "SGD",
  momentum: "momentum",
  adagrad: "Adagrad",
  rmsprop: "RMSprop",
  adadelta: "Adadelta",
  adam: "Adam",
};
export const noisy = ({ optimiser, batch }) => optimiser !== "gd" && batch < SAMPLES;

/** "of SGD with 4 of 64 samples a step (2.5 epochs)" */
const how = (state, taken) => {
  const name = NAMES[state.optimiser];
  if (!noisy(state)) return `of ${name}${state.optimiser === "gd" ? "" : " on all samples"}`;
  const epochs = (taken * state.batch) / SAMPLES;
  return (
    `of ${name} with ${state.batch} of ${SAMPLES} samples a step (${digits(epochs)} epoch` +
    `${epochs === 1 ? "" : "s"})`
  );
};

const loss = (height) => (height < 1e-6 ? "loss below 10⁻⁶" : `loss ${digits(height)}`);

/** state: the settings, step included; done: what `run` gave. */
export function told(state, done) {
  const taken = Math.min(state.step, done.positions.length - 1);
  const [x, y] = done.positions[taken];
  const where = `${loss(done.heights[taken])}, ${SURFACES[state.surface].place(x, y, digits)}`;
  if (done.left !== null && state.step >= done.left) {
    return (
      `Step ${done.left} ${how(state, done.left)} leads out of the picture: the run has diverged, and ends. ` +
      `Before it: ${loss(done.heights[taken])}.`
    );
  }
  if (taken === 0) return `At the start: ${where}.`;
  const rate = state.decay > 0 ? ` The rate is down to ${digits(decayed(state.rate, state.decay, taken))}.` : "";
  return `After ${taken} step${taken === 1 ? "" : "s"} ${how(state, taken)}: ${where}.${rate}`;
}
