// Cosines among the words of the table: the twin of `nearest` in __init__.py.

export const SHOWN = 6;
const CLOSE = 4; // known words that are offered for one that is not known

/** The table opened: {words, number (a map), rows: a Float64Array a word, of length 1}. */
export function opened({ words, steps, codes }) {
  const letters = atob(codes);
  const width = steps.length;
  const rows = words.map((_, i) => {
    const row = new Float64Array(width);
    for (let k = 0; k < width; k++) {
      const byte = letters.charCodeAt((i * width + k) >> 1);
      row[k] = ((k % 2 ? byte & 15 : byte >> 4) - 7.5) * steps[k];
    }
    return scaled(row);
  });
  return { words, number: new Map(words.map((word, i) => [word, i])), rows };
}
function scaled(row) {
  const length = Math.sqrt(dot(row, row));
  return row.map((entry) => entry / length);
}
function dot(a, b) {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

/** [word, cosine] of the nearest to Σ plus − Σ minus, best first; struck: words that may not answer. */
export function nearest({ words, number, rows }, { plus, minus = [], struck = [], count = SHOWN }) {
  const q = new Float64Array(rows[0].length);
  const add = (word, sign) => rows[number.get(word)].forEach((entry, k) => (q[k] += sign * entry));
  for (const word of plus) add(word, 1);
  for (const word of minus) add(word, -1);
  const aim = scaled(q);
  const all = words.map((word, i) => [word, dot(rows[i], aim)]);
  return all
    .filter(([word]) => !struck.includes(word))
    .sort((a, b) => b[1] - a[1])
    .slice(0, count);
}

/** As the table has it: readers write King, and a blank behind it. */
export const plain = (text) => text.normalize("NFC").trim().toLowerCase();

/** What is wrong with what was typed, in a sentence; "" where nothing is. */
export function fault({ words, number }, text) {
  const word = plain(text);
  if (!word) return "An empty field: type a word.";
  if (number.has(word)) return "";
  const shown = word.length > 14 ? `${word.slice(0, 13)}…` : word;
  if (/\s/.test(word)) return `“${shown}” is more than one word: type one.`;
  const begin = word.slice(0, 3);
  const close = words.filter((each) => each.startsWith(begin)).slice(0, CLOSE);
  const offer = close.length ? ` Try ${close.join(", ")}.` : " Try any word, or choose from the list.";
  return `“${shown}” is none of the ${words.length.toLocaleString("en")} words of this table.${offer}`;
}

/**
 * {nearest, alone} of good settings; alone, the neighbours of `start` without the given words, is null where one word
 * is asked for.
 */
export function found(table, { ask, given, ...typed }) {
  const [word, start, minus, plus] = ["word", "start", "minus", "plus"].map((name) => plain(typed[name]));
  if (ask === "word") return { nearest: nearest(table, { plus: [word], struck: [word] }), alone: null };
  const struck = given === "struck" ? [start, minus, plus] : [];
  return {
    nearest: nearest(table, { plus: [start, plus], minus: [minus], struck }),
    alone: nearest(table, { plus: [start], struck: [start, minus, plus] }),
  };
}
