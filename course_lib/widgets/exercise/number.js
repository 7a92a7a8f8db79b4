// Numbers compared and shown, and those that a page's cells have printed. What a reader types is read in
// typed_number.js.
// `close` is that of course_lib/answers.py; shared test vectors hold them together.

/** |x − answer| ≤ tolerance, edge included; the slack forgives rounding only. */
export const close = (x, answer, tolerance) =>
  Number.isFinite(x) &&
  Math.abs(x - answer) <= tolerance * (1 + 1e-9) + 1e-12 * Math.max(Math.abs(x), Math.abs(answer));

/** A result with at most 6 significant digits, in one way in both languages: 0.25, 1.5e-7, −3. */
export function figure(x) {
  const [mantissa, exponent] = x.toExponential(5).split("e");
  const text =
    exponent >= -4 && exponent < 6
      ? String(Number(`${mantissa}e${exponent}`) + 0)
      : `${Number(mantissa)}e${Number(exponent)}`;
  return text.replaceAll("-", "−");
}

/** A number as a cell prints it: −0.006, 10,000, 2.2e-07; NaN where it is none. */
export const printed = (text) => (text.trim() ? Number(text.replaceAll("−", "-").replaceAll(",", "")) : Number.NaN);
