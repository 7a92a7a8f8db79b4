// What is asked of a context, and the wanted answer at every x. Twin: the targets of studies/in_context_targets.py, and
// ridge regression.

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const NOISE = 0.25; // the variance of the heights

/** The best line for points (x, y): w minimises Σ (y − w₀ − w₁x)² + σ² |w|². */
export function ridge(points) {
  let [a, b, d, p, q] = [NOISE, 0, NOISE, 0, 0];
  for (const [x, y] of points) {
    a += 1;
    b += x;
    d += x * x;
    p += y;
    q += x * y;
  }
  const whole = a * d - b * b;
  return [(d * p - b * q) / whole, (a * q - b * p) / whole];
}
const ofCloud = (f) => (points) => (x) => mean(points.map(([y]) => f(x, y)));

/** name, the range of the heights shown, wanted(points) → x → number. `flat`: points are places on the line alone. */
export const QUESTIONS = {
  kernel: { name: "kernel", range: [-0.2, 1.1], flat: true, wanted: ofCloud((x, y) => Math.exp(-8 * (x - y) ** 2)) },
  rank: { name: "rank", range: [-0.2, 1.2], flat: true, wanted: ofCloud((x, y) => 1 / (1 + Math.exp(10 * (y - x)))) },
  centred: { name: "centred", range: [-2, 2], flat: true, wanted: ofCloud((x, y) => x - y) },
  line: {
    name: "line",
    range: [-3, 3],
    flat: false,
    wanted(points) {
      const [level, slope] = ridge(points);
      return (x) => level + slope * x;
    },
  },
};
