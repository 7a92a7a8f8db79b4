// What the picture shows, in words: the same sentences are shown and spoken.

import { EACH, NOISE } from "./run.js";

export const FLOOR = NOISE ** 2;
export const neurons = (width) => (width === 1 ? "One neuron" : `${width} neurons`);
/** An error, to two digits after the point, small ones to three. */
export const told = (error) => error.toFixed(error < 0.0995 ? 3 : 2);
export const NOISE_ALONE = String(Number(FLOOR.toFixed(3)));

/** The moment at which an error was lowest, up to `at`. */
export function lowest(moments, kind, at = moments.length - 1) {
  let best = 0;
  for (let i = 1; i <= at; i++) if (moments[i].errors[kind] < moments[best].errors[kind]) best = i;
  return best;
}

/** What the three errors mean. */
function verdict(moments, at) {
  const { training, test } = moments[at].errors;
  const best = lowest(moments, "test", at);
  const least = moments[best].errors.test;
  if (training > 2 * FLOOR)
    return "Even the training points are missed by far more than the noise: so far it underfits.";
  if (training < FLOOR && test > 1.25 * least)
    return (
      `The training error is below the noise, so noise has been learned, and the test error has risen: it was ` +
      `${told(least)} after ${best * EACH} steps. It overfits.`
    );
  if (test < 2 * FLOOR)
    return "The test error is near the noise, and on average no curve can be below that: a good fit.";
  return training < FLOOR
    ? "The training error is below the noise: some of the noise has been learned. The test error has not risen yet."
    : "It is on the way.";
}

/** state: the settings; moments: all that are computed. */
export function sentence({ width, step }, moments) {
  const at = Math.min(step / EACH, moments.length - 1);
  const { training, validation, test } = moments[at].errors;
  const errors = `training error ${told(training)}, validation error ${told(validation)}, test error ${told(test)}`;
  if (at === 0) return `${neurons(width)}, nothing learned yet: ${errors}. The noise alone makes ${NOISE_ALONE}.`;
  return `${neurons(width)} after ${at * EACH} steps: ${errors}. ${verdict(moments, at)}`;
}
