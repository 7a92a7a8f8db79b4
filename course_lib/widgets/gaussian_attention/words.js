// What is to be seen, in sentences: shown and spoken. cloud, seen: the closed form and the particles after `shown`
// layers.

import { digits } from "../drawing/scale.js";
import { axes, eigenvalues, shownSpectrum } from "./maps.js";
import { errors } from "./particles.js";

export const percent = (share) => (share === null ? "–" : `${digits(100 * share, 2)}\u00a0%`);
const point = ([x, y]) => `(${digits(x)}, ${digits(y)})`;
const after = (layers) => (layers === 0 ? "At the start" : `After ${layers} ${layers === 1 ? "layer" : "layers"}`);

export function told(state, shown, cloud, seen) {
  const [large, small] = shownSpectrum(cloud.sigma);
  const error = errors(cloud, seen);
  const spreads =
    small === null
      ? `standard deviation ${digits(Math.sqrt(large))} along its first axis, next to which the other is lost ` +
        `in rounding`
      : `standard deviations ${digits(Math.sqrt(large))} and ${digits(Math.sqrt(small))} along its axes`;
  const first = `${after(shown)} the closed form has its mean at ${point(cloud.mean)} and ${spreads}.`;
  const second =
    `The mean of the ${state.n} particles is ${digits(error.gap, 2)} away from it ` +
    `(${percent(error.mean)} of the cloud's width), and their covariance is off by ${percent(error.covariance)}.`;
  return `${first} ${second} ${why(state, shown, seen)}`;
}

/** Where the difference comes from: the sampling at the start, then a softmax over few or many particles. */
function why({ n, matched }, shown, seen) {
  if (shown === 0)
    return matched
      ? "The sample was given the cloud's own mean and covariance."
      : "So far this is the error of sampling alone: nothing has looked at anything.";
  const rested = digits(seen.effective);
  const keys = `In the last layer a query's softmax rested on ${rested} of the ${n} particles on average`;
  return seen.effective < n / 10 ? `${keys}: too few to stand for the whole cloud.` : `${keys}.`;
}

/** Where float64 ends, or "". */
export function ended({ layers }, shown, closedEnd, particlesEnd) {
  const at = (end) => `at layer ${end} a number is larger than float64 can hold, 1.8·10³⁰⁸`;
  const texts = [];
  if (closedEnd) texts.push(`The closed form ends here: ${at(closedEnd)}.`);
  if (particlesEnd) texts.push(`The particles end: ${at(particlesEnd)}.`);
  if (texts.length && layers > shown) texts.push(`Shown is layer ${shown}.`);
  return texts.join(" ");
}

/** "1.3 and 0.8", or "0.9 ± 0.2 i"; next to a huge one the other is rounding. */
export function pair(A) {
  const [[p, turn], [q]] = eigenvalues(A);
  if (Math.abs(p) > 1e10 && Math.abs(q) < 1e-14 * Math.abs(p)) return `${digits(p)}, other lost`;
  return turn ? `${digits(p)} ± ${digits(Math.abs(turn))} i` : `${digits(p)} and ${digits(q)}`;
}

/** The picture for who cannot see it. */
export function pictured(state, cloud, seen, closedOutside) {
  const { large, small, angle } = axes(cloud.sigma);
  const degrees = Math.round((angle * 180) / Math.PI);
  const closed = closedOutside
    ? "The closed form's ellipse is far larger than the picture."
    : `The solid ellipse, two standard deviations of the closed form, has half axes ${digits(2 * large)}, at ` +
      `${digits(degrees)}° from the horizontal, and ${digits(2 * small)}.`;
  const own = axes(seen.sigma);
  return (
    `${closed} The dashed ellipse, that of the ${state.n} dots, has half axes ${digits(2 * own.large)} and ` +
    `${digits(2 * own.small)}. ` +
    `The dotted ellipse with the three handles is the start, N(μ, Σ) with μ = ${point(state.mean)}; thin lines are ` +
    `the closed form after the layers between.`
  );
}
