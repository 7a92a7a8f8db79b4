// Numbers that a reader types: read, compared and shown. `close` is that of course_lib/answers.py; shared test vectors hold them together.

const EMPTY = "There is no answer yet: write something like 0.25, 1/4, −2 or 1e-3.";
const NUMERAL = /\p{L}[\p{L}0-9_]*|[0-9.,]+(?:[ \u00a0\u2009\u202f][0-9]{3}(?![0-9]))*/gu; // or a name, whose digits are its own
const SPACED = /^[1-9][0-9]{0,2}(?:[^0-9.,][0-9]{3})+$/;
const GROUPED = /^[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?$/;
const EITHER = /^[0-9]+,[0-9]+$/; // one comma, which could be a decimal one

/** The text with its thousands joined; `decimal`: a comma that could be either is a decimal one. */
const joined = (text, decimal) =>
  text.replace(NUMERAL, (one) => {
    if (GROUPED.test(one)) return decimal && EITHER.test(one) ? one.replace(",", ".") : one.replaceAll(",", "");
    return SPACED.test(one) ? one.replace(/[^0-9]/g, "") : one;
  });

/**
 * {value, others, read}, or {problem} in words. Takes 2,5, −2, 2^-4; thousands 10,000 and 10 000; and
 * 60.7 %, a share unless the unit is %. `others` are the values of other readings; `read` then says which was taken. `valued` reads
 * what is left without thousands and sign of per cent: {value} or {problem}.
 */
export function readNumber(valued, typed, unit = "") {
  const text = typed.trim();
  const percent = text.endsWith("%");
  const bare = percent ? text.slice(0, -1).trim() : text;
  if (!bare) return { problem: EMPTY };
  const [one, two] = [joined(bare, false), joined(bare, true)].map(valued);
  if (one.problem) return one;
  const share = percent && !/^(?:%|percent)/.test(unit);
  const [value, other] = [one.value, two.value].map((x) => (share ? x / 100 : x));
  const others = [...(share ? [one.value] : []), ...(other === value || two.problem ? [] : [other])];
  return { value, others, read: others.length ? `I read \`${text}\` as ${figure(value)}.` : "" };
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

const PART = "(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:e[-−+]?[0-9]+)?";
const PLAIN = new RegExp(`^([-−+]?)(${PART})(?:\\s*([/^])\\s*([-−+]?${PART}))?$`, "i");
const plainly = (text) => Number(text.replaceAll("−", "-"));
/** A number, a fraction or a power: what a guess needs. A formula's reader (typed_number.js) takes five times the code. */
export const plainNumber = (typed, unit) =>
  readNumber(
    (text) => {
      const [, sign, one, between, two] = PLAIN.exec(text) ?? [];
      if (one === undefined) return { problem: "That is no number I can read: write something like 0.25, 1/4, 2^-4 or 1e-3." };
      const value = between === "/" ? plainly(one) / plainly(two) : between === "^" ? plainly(one) ** plainly(two) : plainly(one);
      return Number.isFinite(value) ? { value: /[-−]/.test(sign) ? -value : value } : { problem: "That has no value." };
    },
    typed,
    unit,
  );
