// What the picture says, in sentences. Logarithms are natural.

import { digits } from "../drawing/scale.js";

/**
 * The number whose logarithm this is, for a reader: 0.0042, 3.1·10⁻¹². Sixty steps stay within what a double can hold.
 */
export const amount = (log, count = 2) => digits(Math.exp(log), count);

/** What to do first, and where it can be done: in the plain cell whose slopes depend on what it reads. */
export const TASK = "turn the input strength. W_s and its bound stay; does the gradient?";
export const hasTask = ({ cell, activation, view }) =>
  view === "states" && cell === "rnn" && ["tanh", "sigmoid"].includes(activation);

const steps = (k) => (k === 1 ? "1 step" : `${k} steps`);
const left = (log) =>
  log <= Math.log(1.005)
    ? `${amount(log)} of the gradient is left`
    : `the gradient has grown to ${amount(log)} times its length`;

function states({ back, norms, memory, bound }) {
  const at = norms.length - 1 - back;
  const log = norms[at];
  if (back === 0)
    return "At the last state the gradient sets out, with length 1. Move the mark to the left, back in time.";
  const rate = log === -Infinity ? "" : `, a factor of ${amount(log / back, 3)} a step`;
  const first = `After ${steps(back)} back ${left(log)}${rate}.`;
  const kept = memory ? ` Through the memory c, ${amount(memory[at])}.` : "";
  const most = bound ? ` The bound allows ${amount(bound[at])}.` : "";
  return first + kept + most;
}

function clipping({ back, parts, total, threshold }) {
  const last = parts.length + 1;
  const t = last - back;
  const log = parts[t - 2];
  const longest = Math.max(...parts);
  const cut = Math.log(threshold) - total;
  if (longest === -Infinity)
    return "No step adds anything to the gradient by W_s: on every way a unit is switched off.";
  const share = Math.exp(log - longest);
  const of = share > 0.995 ? "the longest of all" : `${amount(log - longest)} times the longest`;
  const together = `All steps together: ${amount(total)}, `;
  const effect =
    cut >= 0
      ? `no longer than the threshold ${digits(threshold, 2)}. Clipping does nothing.`
      : `clipped to ${digits(threshold, 2)}. Every step's part is multiplied by ${amount(cut)}: what was small ` +
        `beside the others stays as small beside them.`;
  return `Step ${t} of ${last} adds a gradient by W_s of length ${amount(log)}, ${of}. ${together}${effect}`;
}

export const words = (state) => (state.view === "states" ? states(state) : clipping(state));
