// The checking rules of an exercise without Python, and its text marks: no DOM here, so that Node can test it.
// Twin of course_lib/answers.py and of the `check` methods in course_lib/exercises.py; shared test vectors hold them together.

const DECIMAL = "[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]{1,3})?";
const NUMBER = new RegExp(`^(${DECIMAL})(?: */ *(${DECIMAL}))?$`);
const THOUSANDS = /^[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9])/;
const EDGES = /^[ \t\n\r\u00a0\u202f]+|[ \t\n\r\u00a0\u202f]+$/g;

const FOR_EXAMPLE = "write something like 0.25, 1/4, −2 or 1e-3.";
const EMPTY = `There is no answer yet: ${FOR_EXAMPLE}`;
const UNREAD = `That is no number I can read: ${FOR_EXAMPLE}`;
const COMMA = "A comma before three digits can be read in two ways: leave it out, or write a decimal point.";
const ZERO = "A fraction needs a denominator other than 0.";
const LARGE = "That number is too large to read.";

/** {value}, or {problem} in words for the reader. Takes 0.25, .25, 2,5 (a decimal comma), −2, 1e-3 and fractions 1/4. */
export function parseNumber(typed) {
  const text = typed.replace(EDGES, "").replaceAll("−", "-").replaceAll("–", "-");
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

const verdict = (correct, message, more = {}) => ({ correct, message, counts: true, ...more });
const unread = (message, at) => verdict(false, message, { counts: false, at });

function choice(spec, letter) {
  const option = spec.options["abcdefgh".indexOf(letter || "?")];
  return option ? verdict(option.correct, option.reason) : unread(`Choose one of the options a to ${"abcdefgh"[spec.options.length - 1]}.`);
}

function value(spec, typed) {
  const { value: x, problem } = parseNumber(typed);
  if (problem) return unread(problem, 0);
  if (close(x, spec.answer, spec.tolerance)) return verdict(true, `Right: ${spec.shown}.`);
  const wrong = (message) => verdict(false, message, { at: 0 });
  for (const [mistake, hint] of spec.mistakes) if (close(x, mistake, spec.tolerance)) return wrong(hint);
  if (close(-x, spec.answer, spec.tolerance)) return wrong("The size is right, the sign is not.");
  if (close(x, spec.answer, 3 * spec.tolerance)) return wrong(`Close, but an answer counts within ${spec.within}: carry more decimals.`);
  return wrong("Not yet. A hint may help.");
}

/** typed: for each case its texts, row by row. `at` counts the fields of all cases. */
function byHand(spec, typed) {
  let at = 0;
  for (const [i, { call, expected }] of spec.cases.entries()) {
    const read = typed[i].map(parseNumber);
    const blank = read.findIndex((one) => one.problem);
    if (blank >= 0) return unread(`\`${call}\`: ${read[blank].problem}`, at + blank);
    const wrong = read.findIndex((one, k) => !close(one.value, expected[k], spec.tolerance));
    if (wrong >= 0) {
      const fits = (values) => values.length === read.length && read.every((one, k) => close(one.value, values[k], spec.tolerance));
      const mistake = spec.mistakes.find(({ values }) => fits(values[i]));
      const entry = expected.length > 1 ? ` Look at number ${wrong + 1}.` : "";
      return verdict(false, `\`${call}\`: ${mistake ? mistake.hint : `not yet.${entry}`}`, { at: at + wrong });
    }
    at += read.length;
  }
  const total = spec.cases.length;
  return verdict(true, `Right on ${total === 1 ? "the one case" : `all ${total} cases`}.`);
}

/** The verdict on what the reader gave: {correct, message, counts, at}; `at` is the field to look at, where there is one. */
export const check = (spec, given) => ({ choice, value, function: byHand })[spec.kind](spec, given);

const MARK = /`([^`]+)`|\*\*(?=\S)([^*]*[^*\s])\*\*|\*(?=[^\s*])([^*]*[^*\s])\*|\n/g;

/** Text with marks → [[kind, text], …], kind "text", "code", "strong", "em" or "br". A lone mark stays itself: 2 * 3 * 4. */
export function marks(text) {
  const parts = [];
  let last = 0;
  for (const found of text.matchAll(MARK)) {
    if (found.index > last) parts.push(["text", text.slice(last, found.index)]);
    const [, code, strong, em] = found;
    parts.push(code !== undefined ? ["code", code] : strong !== undefined ? ["strong", strong] : em !== undefined ? ["em", em] : ["br", ""]);
    last = found.index + found[0].length;
  }
  if (last < text.length) parts.push(["text", text.slice(last)]);
  return parts;
}
