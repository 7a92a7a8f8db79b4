// Heights to places and colours: one range for both fields or one for each, linear or logarithmic. Pure functions.

// Five stops of Cividis (Nuñez et al., 2018), as in the course's other figures: dark is low and yellow high, to every
// kind of colour vision.
export const STOPS = [
  [0, 34, 78],
  [67, 78, 108],
  [125, 124, 120],
  [188, 174, 108],
  [254, 232, 56],
];

export const colour = (part) => {
  const t = Math.min(1, Math.max(0, part)) * (STOPS.length - 1);
  const i = Math.min(STOPS.length - 2, Math.floor(t));
  return STOPS[i].map((from, c) => from + (t - i) * (STOPS[i + 1][c] - from));
};

const known = (z) => z.flat().filter((value) => value !== null);

/** Lowest and highest height of each field; both fields' own ranges joined where the scale is common. */
export function ranges(fields, scale) {
  const own = fields.map(({ z }) => known(z)).map((values) => [Math.min(...values), Math.max(...values)]);
  if (scale === "own") return own;
  const joined = [Math.min(...own.map(([low]) => low)), Math.max(...own.map(([, high]) => high))];
  return own.map(() => joined);
}

/** height → part of the range, 0 … 1; a flat field lies at the bottom. */
export function partOf([low, high], log) {
  const f = log ? Math.log : (value) => value;
  const span = f(high) - f(low);
  return (value) => (span > 0 ? (f(value) - f(low)) / span : 0);
}
/** The part that is drawn as a colour; `root`: its root, which gives low heights more of the colours. */
export function shareOf(range, log, root) {
  const part = partOf(range, log);
  return root ? (height) => Math.sqrt(Math.max(0, part(height))) : part;
}
/** The height of a part: partOf backwards. */
export function heightOf([low, high], log) {
  return (part) => (log ? low * (high / low) ** part : low + part * (high - low));
}

/**
 * At most about `count` round numbers from low to high; on a logarithmic scale 1, 2, 5 times powers of ten, or powers
 * alone.
 */
export function ticks([low, high], log, count = 4) {
  if (!(high > low)) return [low];
  if (log && high / low > 5) {
    const decades = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e++)
      decades.push(...[1, 2, 5].map((digit) => digit * 10 ** e));
    const seen = decades.filter((value) => value >= low && value <= high);
    if (seen.length <= count + 1) return seen;
    const powers = seen.filter((value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9);
    const every = Math.ceil(powers.length / (count + 1));
    return powers.length > 1 ? powers.filter((_, i) => i % every === 0) : seen.filter((_, i) => i % 2 === 0);
  }
  const rough = (high - low) / count;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * size >= rough * 0.999) * size;
  const list = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) list.push(k * step);
  return list;
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** n as an exponent: ⁻¹². */
export const raised = (n) => (n < 0 ? "⁻" : "") + [...String(Math.abs(n))].map((digit) => SUPERSCRIPTS[digit]).join("");

/** Three significant digits, in words a reader knows: 0.0123, −1.5, 2.4·10⁵. */
export function digits(value, count = 3) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const sign = value < 0 ? "−" : "";
  if (size >= 1e5 || size < 1e-3) {
    const [head, exponent] = size.toExponential(count - 1).split("e");
    return `${sign}${Number(head) === 1 ? "" : `${Number(head)}·`}10${raised(Number(exponent))}`;
  }
  return `${sign}${Number(size.toPrecision(count))}`;
}
