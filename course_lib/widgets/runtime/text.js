// A text of the reader's, whatever keyboard wrote it. `words` is the twin of course_lib/text/tokenisers.py, held to it
// by tests/widgets/test_typed_text.py.

// soft hyphen, signs of direction, byte order mark …
const HIDDEN = "\\u00ad\\u061c\\u180e\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff";
const WITH_IT = "\\p{M}\\u200c\\u200d"; // marks stand on a letter, joiners hold on to it
const LETTER = "\\p{L}\\p{N}_";
const WORD = `[${LETTER}][${LETTER}${WITH_IT}]*(?:(?:['’·‐‑-]|[${HIDDEN}]+)[${LETTER}${WITH_IT}]+)*`;
const SIGN = `[^${LETTER}\\s${HIDDEN}\\u200b-\\u200d]`;
const TAIL = `[${WITH_IT}\\u{1f3fb}-\\u{1f3ff}\\u{e0020}-\\u{e007f}]*`;
const TOKEN = new RegExp(`${WORD}|[\\u{1f1e6}-\\u{1f1ff}]{2}|${SIGN}${TAIL}(?:(?<=\\u200d)${SIGN}${TAIL})*`, "gu");
const UNSEEN = new RegExp(`[${HIDDEN}\\u200b]`, "g");

/** The words of a text, and each punctuation mark. */
export const words = (text) => text.normalize("NFC").match(TOKEN) ?? [];

/**
 * The text in the signs of those that the shipped models have read: accents in their letter, ' and - and blanks as a
 * typewriter has them.
 */
export const plain = (text) =>
  text
    .normalize("NFC")
    .replaceAll(UNSEEN, "")
    .replaceAll(/[‘’ʼ]/g, "'")
    .replaceAll(/[‐‑–]/g, "-")
    .replaceAll(/\s/g, " ");

/** The tokens of an English sentence as the translators have read them: lower case, words and marks apart. */
export const sentence = (text) => words(plain(text).toLowerCase());

/** The letters of a text, each with the marks that stand on it; with `special` the likes of ⟨end⟩ count as one. */
export const letters = (text, special = false) =>
  plain(text).match(special ? /⟨\p{L}+⟩|.\p{M}*/gsu : /.\p{M}*/gsu) ?? [];
