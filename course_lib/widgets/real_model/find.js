// Which head does one thing most: each thing is a score from 0 to 1 of a head's map. Whoever asks has looked at all
// heads at once.

const mean = (values) => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : 0);
const range = (n) => Array.from({ length: n }, (_, i) => i);

/** Places i with the place behind the last earlier one that has the same piece: what a copy head looks at. */
export const copies = (words) =>
  range(words.length)
    .map((i) => [i, words.lastIndexOf(words[i], i - 1)])
    .filter(([i, before]) => i > 0 && before >= 0)
    .map(([i, before]) => [i, before + 1]);

export const SCORES = {
  here: { label: "looks most from this token at that one", score: (at, _, { row, column }) => at(row, column) },
  previous: {
    label: "looks one token back",
    score: (at, words) =>
      mean(
        range(words.length)
          .slice(1)
          .map((i) => at(i, i - 1)),
      ),
  },
  first: {
    label: "looks at the first token",
    score: (at, words) =>
      mean(
        range(words.length)
          .slice(1)
          .map((i) => at(i, 0)),
      ),
  },
  copy: {
    label: "looks at what came next the last time (copy)",
    score: (at, words) => mean(copies(words).map(([i, j]) => at(i, j))),
  },
};

/** The head that does it most: {layer, head, score}, and whether the text has any place at which it can be done. */
export function most(kind, { layers, heads }, { words, weight }, cell) {
  const n = words.length;
  let best = { layer: 0, head: 0, score: -1 };
  for (let layer = 0; layer < layers; layer++)
    for (let head = 0; head < heads; head++) {
      const map = weight(layer, head);
      const score = SCORES[kind].score((i, j) => map[i * n + j], words, cell);
      if (score > best.score) best = { layer, head, score };
    }
  return { ...best, possible: kind !== "copy" || copies(words).length > 0 };
}
