// The optimisers, the twin of course_lib/optimisers.py: what each is and where it comes from is told there. θ, gradient
// and the parts of a state are lists of numbers; step(θ, g, state, rate) gives [θ, state].

const each = (f, ...lists) => lists[0].map((_, i) => f(...lists.map((list) => list[i])));
const zeros = (theta) => theta.map(() => 0);

export const OPTIMISERS = {
  sgd: { start: () => [], step: (theta, g, state, rate) => [each((x, d) => x - rate * d, theta, g), state] },
  momentum: {
    start: (theta) => [zeros(theta)],
    step(theta, g, [old], rate) {
      const velocity = each((v, d) => 0.9 * v + d, old, g);
      return [each((x, v) => x - rate * v, theta, velocity), [velocity]];
    },
  },
  adagrad: {
    start: (theta) => [zeros(theta)],
    step(theta, g, [old], rate) {
      const total = each((sum, d) => sum + d * d, old, g);
      return [each((x, d, sum) => x - (rate * d) / (Math.sqrt(sum) + 1e-10), theta, g, total), [total]];
    },
  },
  rmsprop: {
    start: (theta) => [zeros(theta)],
    step(theta, g, [old], rate) {
      const square = each((u, d) => 0.99 * u + (1 - 0.99) * d * d, old, g);
      return [each((x, d, u) => x - (rate * d) / (Math.sqrt(u) + 1e-8), theta, g, square), [square]];
    },
  },
  adadelta: {
    start: (theta) => [zeros(theta), zeros(theta)],
    step(theta, g, [oldSquare, oldChange], rate) {
      const square = each((u, d) => 0.9 * u + (1 - 0.9) * d * d, oldSquare, g);
      const delta = each((d, u, w) => d * (Math.sqrt(w + 1e-6) / Math.sqrt(u + 1e-6)), g, square, oldChange);
      const change = each((w, by) => 0.9 * w + (1 - 0.9) * by * by, oldChange, delta);
      return [each((x, by) => x - rate * by, theta, delta), [square, change]];
    },
  },
  adam: {
    start: (theta) => [zeros(theta), zeros(theta), 1, 1],
    step(theta, g, [oldMean, oldSquare, oldPast, oldPastSquare], rate) {
      const past = 0.9 * oldPast;
      const pastSquare = 0.999 * oldPastSquare;
      const mean = each((v, d) => 0.9 * v + (1 - 0.9) * d, oldMean, g);
      const square = each((u, d) => 0.999 * u + (1 - 0.999) * d * d, oldSquare, g);
      const change = each((v, u) => v / (1 - past) / (Math.sqrt(u / (1 - pastSquare)) + 1e-8), mean, square);
      return [each((x, by) => x - rate * by, theta, change), [mean, square, past, pastSquare]];
    },
  },
};

export const decayed = (rate, decay, step) => rate / (1 + decay * step);
