// The rules by which a card judges what is typed, in the page and in a notebook, and its text marks: no DOM here, so that Node can test it.

import { close, figure } from "./number.js";
import { parseNumber } from "./typed_number.js";

export const LETTERS = "abcdefgh"; // of options
const TRUTH = new Map(Object.entries({ True: "1", False: "0" })); // as a learner's function returns it
export const verdict = (correct, message, more = {}) => ({ correct, message, detail: "", counts: true, ...more });
export const unread = (message, at) => verdict(false, message, { counts: false, at });

/** The text's FNV-1a hash of 32 bits. */
function hash(text) {
  let bits = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) bits = Math.imul(bits ^ byte, 0x01000193);
  return bits >>> 0;
}
/** A choice's options as they are shown: by a hash, so that the right one stands anywhere, and always there. */
export function shown({ id, options }) {
  const place = ({ text }) => hash(`${id}\n${text}`);
  return [...options].sort((a, b) => place(a) - place(b));
}
/** The option of this text. An older record holds a letter, of the author's order. */
export const chosen = ({ options }, answer) =>
  options.find(({ text }) => text === answer) ?? options[[...LETTERS].indexOf(answer)];

function choice(spec, answer) {
  const option = chosen(spec, answer);
  return option
    ? verdict(option.correct, option.reason)
    : unread(`Choose one of the options a to ${LETTERS[spec.options.length - 1]}.`);
}

/** How near a wrong number is, or "". */
function nearness(x, answer, tolerance, within = `±${figure(tolerance)}`) {
  if (close(-x, answer, tolerance)) return "The size is right, the sign is not.";
  if (!close(x, answer, 10 * tolerance)) return "";
  const percent = Math.ceil(Math.abs((100 * (x - answer)) / answer));
  return `Close${percent <= 50 ? `: within ${percent} % of it` : ""}, but an answer counts within ${within}.`;
}
/** What is said where another reading of what was typed is right, or "". */
function misread({ read, others }, answer, tolerance) {
  const meant = others.find((x) => close(x, answer, tolerance));
  return meant === undefined ? "" : `${read} As ${figure(meant)} it is right: write it so.`;
}

function value(spec, typed) {
  const { answer, tolerance, unit } = spec;
  const given = parseNumber(typed, unit);
  if (given.problem) return unread(given.problem, 0);
  const x = given.value;
  const note = given.read && ` ${given.read}`;
  if (close(x, answer, tolerance)) return verdict(true, `Right: ${spec.shown}.${note}`);
  const meant = misread(given, answer, tolerance);
  if (meant) return unread(meant, 0);
  const wrong = (message) => verdict(false, message + note, { at: 0 });
  for (const [mistake, hint] of spec.mistakes) if (close(x, mistake, tolerance)) return wrong(hint);
  const shares = /%|per ?cent/i.test(unit + spec.question + typed);
  if (shares && [x / 100, 100 * x].some((other) => close(other, answer, tolerance)))
    return wrong("Right but for a factor of 100: is it a share, or in %?");
  return wrong(nearness(x, answer, tolerance, spec.within) || "Not yet. A hint may help.");
}

/** A case's numbers as the reader gave them, row by row. */
function figures(shape, flat) {
  if (!shape.length) return figure(flat[0]);
  const step = flat.length / shape[0];
  return `[${Array.from({ length: shape[0] }, (_, i) => figures(shape.slice(1), flat.slice(i * step, (i + 1) * step))).join(", ")}]`;
}

/** The mistake that gives these numbers in case i. Where several do, the later cases tell them apart, as far as they can be read. */
function likely(spec, i, given) {
  const fits = (values, read) =>
    values.length === read.length && read.every((one, k) => close(one.value, values[k], spec.tolerance));
  const found = spec.mistakes.filter(({ values }) => fits(values[i], given[i]));
  const later = given.map((read, k) => [read, k]).filter(([read, k]) => k > i && read.every((one) => !one.problem));
  return found.find(({ values }) => later.every(([read, k]) => fits(values[k], read))) ?? found[0];
}

/**
 * typed: for each case its texts, row by row. `at` counts the fields of all cases. The failing case is shown with what was
 * given; what was expected only from the second try on, so that the first miss leaves something to find.
 */
function byHand(spec, typed, tried) {
  const all = typed.map((texts) => texts.map((text) => parseNumber(TRUTH.get(text.trim()) ?? text)));
  let at = 0;
  for (const [i, { call, shape, expected }] of spec.cases.entries()) {
    const read = all[i];
    const blank = read.findIndex((one) => one.problem);
    if (blank >= 0) return unread(`\`${call}\`: ${read[blank].problem}`, at + blank);
    const wrong = read.findIndex((one, k) => !close(one.value, expected[k], spec.tolerance));
    if (wrong >= 0) {
      const meant = misread(read[wrong], expected[wrong], spec.tolerance);
      if (meant) return unread(`\`${call}\`: ${meant}`, at + wrong);
      const mistake = likely(spec, i, all);
      const near = nearness(read[wrong].value, expected[wrong], spec.tolerance) || "not yet.";
      const entry = expected.length > 1 ? ` Look at number ${wrong + 1}.` : "";
      const values = read.map((one) => one.value);
      const given = `call:     ${call}\ngiven:    ${figures(shape, values)}`;
      const detail = tried ? `${given}\nexpected: ${figures(shape, expected)}` : given;
      return verdict(false, `\`${call}\`: ${mistake ? mistake.hint : near + entry}`, { detail, at: at + wrong });
    }
    at += read.length;
  }
  const total = spec.cases.length;
  return verdict(true, `Right on ${total === 1 ? "the one case" : `all ${total} cases`}.`);
}

/** A rule a kind: the verdict on what the reader gave, {correct, message, detail, counts, at}; `at` is the field to look at. */
export const rules = { choice, value, function: byHand };

const MARK = /`(?<code>[^`]+)`|\*\*(?=\S)(?<strong>[^*]*[^*\s])\*\*|\*(?=[^\s*])(?<em>[^*]*[^*\s])\*|\n/g;
// A letter, "_", and its index: {…}, or one or two letters or digits, with a second index after a comma.
const INDEX =
  /[A-Za-z\p{Script=Greek}]_(?:\{([^{}\n]+)\}|([\p{Lu}\p{Ll}\p{Nd}]{1,2}(?:,[\p{Lu}\p{Ll}\p{Nd}])?)(?![\p{Lu}\p{Ll}\p{Nd}_]))/gu;
const CODE = /[\p{Lu}\p{Ll}\p{Nd}_"'.]/u; // before the letter: from_x, p["W_x"], self.w_o. Older browsers cannot look behind in a pattern

/** Text → [[kind, text], …]: `part(found)` is [kind, text, where in the text the match begins], or nothing where it is none. */
function cut(text, pattern, part) {
  const parts = [];
  let last = 0;
  for (const found of text.matchAll(pattern)) {
    const [kind, inside, start] = part(found);
    if (!kind) continue;
    if (start > last) parts.push(["text", text.slice(last, start)]);
    parts.push([kind, inside]);
    last = found.index + found[0].length;
  }
  if (last < text.length) parts.push(["text", text.slice(last)]);
  return parts;
}

/** Text with marks → [[kind, text], …], kind "text", "code", "strong", "em" or "br". A lone mark stays itself: 2 * 3 * 4. */
export const marks = (text) =>
  cut(text, MARK, ({ groups, index }) => [
    ...(Object.entries(groups).find(([, part]) => part !== undefined) ?? ["br", ""]),
    index,
  ]);

/** A part that is no code → [[kind, text], …], kind "text" or "sub": W_Q, s_{t−1} and W_O,2 have an index, max_points has none. */
export const indices = (text) =>
  cut(text, INDEX, ({ 1: braced, 2: plain, index }) =>
    CODE.test(text[index - 1] ?? "") ? [] : ["sub", braced ?? plain, index + 1],
  );
