// Squashing functions and lemma 2.3, the twin of course_lib/approximation/squash.py.

export const SQUASHES = {
  logistic: (x) => 0.5 * (1 + Math.tanh(0.5 * x)),
  arctan: (x) => 0.5 + Math.atan(x) / Math.PI,
  clip: (x) => Math.min(1, Math.max(0, x)),
};

/** A y with σ(y) = level, by halving. */
export function preimage(sigma, level) {
  let low = -1;
  let high = 1;
  while (sigma(low) > level) low *= 2;
  while (sigma(high) < level) high *= 2;
  for (let k = 0; k < 200; k++) {
    const middle = 0.5 * (low + high);
    if (!(low < middle && middle < high)) break;
    if (sigma(middle) < level) low = middle;
    else high = middle;
  }
  return 0.5 * (low + high);
}

/** {s, t} with σ(s + t x0) = low and σ(s + t x1) = high. */
export function step(x0, x1, low, high, sigma) {
  const y0 = preimage(sigma, low);
  const y1 = preimage(sigma, high);
  const t = (y1 - y0) / (x1 - x0);
  return { s: y0 - t * x0, t };
}
