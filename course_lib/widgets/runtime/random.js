// The page's random generator, the twin of course_lib/graphs/random.py: the same numbers, bit by bit, from the same
// seed.
// What it is and why it avoids Math.log and Math.cos is told there.

// biome-ignore lint/suspicious/noApproximativeNumericConstant: the twin's digits, whatever a browser's Math.LN2 is
const LN2 = 0.6931471805599453;
const MIDDLE = [
  [3.3871327179, 50.434271938, 159.29113202, 59.10937472],
  [1, 17.895169469, 78.757757664, 67.1875636],
];
const SHOULDER = [
  [1.4234372777, 2.75681539, 1.3067284816, 0.17023821103],
  [1, 0.7370016425, 0.12021132975],
];
const TAIL = [
  [6.657905115, 3.081226386, 0.42868294337, 0.017337203997],
  [1, 0.24197894225, 0.012258202635],
];

export class Generator {
  constructor(seed) {
    if (!(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32))
      throw Error(`seed must be an integer from 0 to 2**32 - 1, got ${seed}`);
    this.state = seed;
  }

  // One integer from 0 to 2³² - 1 (mulberry32).
  integer() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  uniform() {
    return (this.integer() + 0.5) / 2 ** 32;
  } // strictly between 0 and 1
  below(bound) {
    return Math.floor(this.uniform() * bound);
  } // 0 … bound - 1
  normal() {
    return normalQuantile(this.uniform());
  }
}

export function normalQuantile(p) {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) return q * ratio(MIDDLE, 0.180625 - q * q);
  const r = Math.sqrt(-logarithm(q < 0 ? p : 1 - p));
  const outer = r <= 5 ? ratio(SHOULDER, r - 1.6) : ratio(TAIL, r - 5);
  return q < 0 ? -outer : outer;
}

function logarithm(x) {
  let exponent = 0;
  while (x < Math.SQRT1_2) {
    x *= 2;
    exponent--;
  }
  const z = (x - 1) / (x + 1);
  const square = z * z;
  let series = 0;
  for (let k = 21; k > 0; k -= 2) series = series * square + 1 / k;
  return exponent * LN2 + 2 * z * series;
}

const ratio = ([above, below], r) => polynomial(above, r) / polynomial(below, r);
const polynomial = (coefficients, r) => coefficients.reduceRight((value, c) => value * r + c, 0);
