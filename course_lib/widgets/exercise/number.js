// Numbers that a reader types, compared and shown. `close` is that of course_lib/answers.py; shared test vectors hold them together.

const DECIMAL = "[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]{1,3})?";
const NUMBER = new RegExp(`^(${DECIMAL})(?: */ *(${DECIMAL}))?$`);
export const THOUSANDS = /^[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9])/;
export const SPACES = " \t\n\r\u00a0\u202f";
const EDGES = new RegExp(`^[${SPACES}]+|[${SPACES}]+$`, "g");

const FOR_EXAMPLE = "write something like 0.25, 1/4, −2 or 1e-3.";
const EMPTY = `There is no answer yet: ${FOR_EXAMPLE}`;
const UNREAD = `That is no number I can read: ${FOR_EXAMPLE}`;
export const COMMA = "A comma before three digits can be read in two ways: leave it out, or write a decimal point.";
const ZERO = "A fraction needs a denominator other than 0.";
export const LARGE = "That number is too large to read.";

export const trim = (text) => text.replace(EDGES, "");

/** {value}, or {problem} in words for the reader. Takes 0.25, .25, 2,5 (a decimal comma), −2, 1e-3 and fractions 1/4. */
export function parseNumber(typed) {
  const text = trim(typed).replaceAll("−", "-").replaceAll("–", "-");
  if (!text) return { problem: EMPTY };
  const found = [...text].length <= 40 ? NUMBER.exec(text) : null;
  if (!found) return { problem: THOUSANDS.test(text) ? COMMA : UNREAD };
  const parts = found.slice(1).filter((part) => part !== undefined);
  if (parts.some((part) => THOUSANDS.test(part))) return { problem: COMMA };
  const [above, below] = parts.map((part) => Number(part.replace(",", ".")));
  if (below === 0) return { problem: ZERO };
  const value = below === undefined ? above : above / below;
  return Number.isFinite(value) ? { value } : { problem: LARGE };
}

/** |x − answer| ≤ tolerance, edge included; the slack forgives rounding only. */
export const close = (x, answer, tolerance) =>
  Number.isFinite(x) && Math.abs(x - answer) <= tolerance * (1 + 1e-9) + 1e-12 * Math.max(Math.abs(x), Math.abs(answer));

/** A result with at most 6 significant digits, in one way in both languages: 0.25, 1.5e-7, −3. */
export function figure(x) {
  const [mantissa, exponent] = x.toExponential(5).split("e");
  const text =
    exponent >= -4 && exponent < 6 ? String(Number(`${mantissa}e${exponent}`) + 0) : `${Number(mantissa)}e${Number(exponent)}`;
  return text.replaceAll("-", "−");
}
