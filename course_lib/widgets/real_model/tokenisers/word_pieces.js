// MiniLM's tokeniser: case and accents are taken away, words and marks parted, and each word is cut into the longest
// pieces that the vocabulary has, from the left; a piece inside a word begins with ##. Held to the model's own by
// tests/widgets/test_tokenisers.py.

import { around, classOf } from "./characters.js";

const LONGEST = 100; // characters; a longer word is unknown

/** What tokeniser_files.word_pieces made → {encode(text) → ids, piece(id), pieces: how many}. */
export function wordPieces({ pieces: joined, special, dropped, changed, apart, spaces, marks }) {
  const pieces = joined.split("\n");
  const ids = new Map(pieces.map((piece, id) => [piece, id]));
  const cut = around(Object.keys(special));
  const [isDropped, isChanged, standsApart, isSpace, isMark] = [dropped, changed, apart, spaces, marks].map(classOf);

  /**
   * A character as it is looked up: nothing, itself, or its letter without case and accent; spaces where it ends a
   * word.
   */
  function plain(character) {
    if (isDropped(character)) return "";
    if (isSpace(character)) return " ";
    const kept = isChanged(character)
      ? [...character.normalize("NFD")].map((each) => (isDropped(each) ? "" : each.toLowerCase())).join("")
      : character;
    return standsApart(character) ? ` ${kept} ` : kept;
  }
  const known = new Map(); // character → plain, with spaces round a mark
  function prepared(character) {
    if (!known.has(character)) {
      const each = plain(character);
      known.set(character, [...each].map((c) => (isMark(c) ? ` ${c} ` : c)).join(""));
    }
    return known.get(character);
  }
  function ofWord(word) {
    if ([...word].length > LONGEST) return [special["[UNK]"]];
    const found = [];
    for (let start = 0, end; start < word.length; start = end) {
      const inner = start ? "##" : "";
      end = word.length;
      while (end > start && !ids.has(inner + word.slice(start, end))) end--;
      if (end === start) return [special["[UNK]"]];
      found.push(ids.get(inner + word.slice(start, end)));
    }
    return found;
  }
  const wordsOf = (part) => [...part].map(prepared).join("").split(" ").filter(Boolean);
  const encode = (text) => [
    special["[CLS]"],
    ...cut(text.toWellFormed?.() ?? text).flatMap((part) =>
      part in special ? [special[part]] : wordsOf(part).flatMap(ofWord),
    ),
    special["[SEP]"],
  ];
  return { encode, piece: (id) => pieces[id], pieces: pieces.length };
}
