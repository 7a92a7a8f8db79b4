// What every card's rule gives, the rule for a choice, and a card's text marks: no DOM here, so that Node can test it.
// Numbers and formulas, which take far more code, have theirs apart.

export const LETTERS = "abcdefgh"; // of options
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

/**
 * A rule a kind: the verdict on what the reader gave, {correct, message, detail, counts, at}; `at` is the field to look
 * at.
 */
export const rules = { choice };

const MARK = /`(?<code>[^`]+)`|\*\*(?=\S)(?<strong>[^*]*[^*\s])\*\*|\*(?=[^\s*])(?<em>[^*]*[^*\s])\*|\n/g;
// A letter, "_", and its index: {…}, or one or two letters or digits, with a second index after a comma.
const SIGN = "[\\p{Lu}\\p{Ll}\\p{Nd}]";
const INDEX = new RegExp(
  `[A-Za-z\\p{Script=Greek}]_(?:\\{([^{}\\n]+)\\}|(${SIGN}{1,2}(?:,${SIGN})?)(?![\\p{Lu}\\p{Ll}\\p{Nd}_]))`,
  "gu",
);
// Before the letter: from_x, p["W_x"], self.w_o. Older browsers cannot look behind in a pattern.
const CODE = /[\p{Lu}\p{Ll}\p{Nd}_"'.]/u;

/**
 * Text → [[kind, text], …]: `part(found)` is [kind, text, where in the text the match begins], or nothing where it is
 * none.
 */
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

/**
 * Text with marks → [[kind, text], …], kind "text", "code", "strong", "em" or "br". A lone mark stays itself: 2 * 3 *
 * 4.
 */
export const marks = (text) =>
  cut(text, MARK, ({ groups, index }) => [
    ...(Object.entries(groups).find(([, part]) => part !== undefined) ?? ["br", ""]),
    index,
  ]);

/**
 * A part that is no code → [[kind, text], …], kind "text" or "sub": W_Q, s_{t−1} and W_O,2 have an index, max_points
 * has none.
 */
export const indices = (text) =>
  cut(text, INDEX, ({ 1: braced, 2: plain, index }) =>
    CODE.test(text[index - 1] ?? "") ? [] : ["sub", braced ?? plain, index + 1],
  );
