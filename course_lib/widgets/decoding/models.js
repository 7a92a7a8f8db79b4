// The two shipped models, and a language written down as a table, as the widget needs them: text to tokens, and what a
// prefix is followed by, with the maps of its last look.

import { END, START, UNKNOWN } from "../runtime/shipped.js";
import { letters, sentence } from "../runtime/text.js";

const STEP = 12; // a plan serves sentences of up to 12, 24, 36 tokens: fewer plans than lengths
const LONGEST = 48; // letters of a name: the longest real one has 47
const room = (n) => STEP * Math.ceil(n / STEP);

/** Rows 0 … n - 1 of [h, N, k] as [h][n][k]. */
function rows({ shape, numbers }, n) {
  const [h, N, k] = shape.slice(-3);
  return Array.from({ length: h }, (_, head) =>
    Array.from({ length: n }, (_, i) => numbers.subarray((head * N + i) * k, (head * N + i + 1) * k)),
  );
}
const logitsOf = ({ shape, numbers }, n) => numbers.slice((n - 1) * shape.at(-1), n * shape.at(-1));
/** The mean over heads of [h][n][k], or one head, row i. */
export function rowOf(heads, head, i) {
  if (head !== null) return heads[head][i];
  return heads[0][i].map((_, j) => heads.reduce((sum, map) => sum + map[i][j], 0) / heads.length);
}

/** words(text) → {words, ids, unknown}; open(ids) → read(tokens) → {logits [v], cross [layer][head][n][s]}. */
export function translatorModel({ config, source, target, run }) {
  const numbers = new Map(source.map((word, i) => [word, i]));
  const maps = Array.from({ length: config.layers }, (_, layer) => `decoder.${layer}.cross_weights`);
  return {
    layers: config.layers,
    heads: config.h,
    start: START,
    end: END,
    target,
    words(text) {
      // every sentence that the model has read ends with a full stop
      const words = sentence(text);
      if (words.length && words.at(-1) !== ".") words.push(".");
      const ids = words.map((word) => numbers.get(word) ?? UNKNOWN);
      return { words, ids, unknown: words.filter((_, i) => ids[i] === UNKNOWN) };
    },
    open: (ids) => (tokens) => {
      const got = run({ source: ids, target: tokens }, ["logits", ...maps], { room: room(tokens.length) });
      return { logits: logitsOf(got.logits, tokens.length), cross: maps.map((name) => rows(got[name], tokens.length)) };
    },
  };
}

/**
 * A language by what follows each word, {word: {next: probability}}: the translator's twin without a source and without
 * attention.
 */
export function tableModel(follows) {
  const words = Object.keys(follows).filter((word) => word !== "⟨start⟩");
  const target = ["⟨pad⟩", "⟨start⟩", "⟨end⟩", ...words];
  const read = (tokens) => ({ logits: target.map((next) => Math.log(follows[target[tokens.at(-1)]][next] ?? 0)) });
  return {
    layers: 0,
    start: START,
    end: END,
    target,
    words: () => ({ words: [], ids: [], unknown: [] }),
    open: () => read,
  };
}

/**
 * letters(text, special): {ids, unknown}: the tokens up to the first letter that the model has never seen, and that
 * letter or null; with
 * `special` the likes of ⟨end⟩ count as one. read(tokens) → {logits [v], looks [layer][head][n][n]}.
 */
export function townsModel({ config, vocabulary, run }) {
  const numbers = new Map(vocabulary.map((letter, i) => [letter, i]));
  const maps = Array.from({ length: config.layers }, (_, layer) => `layers.${layer}.weights`);
  return {
    layers: config.layers,
    heads: config.h,
    longest: LONGEST,
    start: START,
    end: END,
    vocabulary,
    letters(text, special = false) {
      const all = letters(text, special);
      const at = all.findIndex((letter) => !numbers.has(letter));
      return {
        ids: all.slice(0, at < 0 ? undefined : at).map((letter) => numbers.get(letter)),
        unknown: at < 0 ? null : all[at],
      };
    },
    read(tokens) {
      const got = run({ tokens }, ["logits", ...maps], { room: room(tokens.length) });
      return { logits: logitsOf(got.logits, tokens.length), looks: maps.map((name) => rows(got[name], tokens.length)) };
    },
  };
}
