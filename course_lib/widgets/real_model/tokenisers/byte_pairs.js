// SmolLM2's tokeniser: a text is cut into words, digits and marks, each part is written as bytes, and neighbours are
// merged, the pair that was learned first before all others. Held to the model's own by
// tests/widgets/test_tokenisers.py. The same in small, to be read first: course_lib/text/tokenisers.py.

import { around, inside } from "./characters.js";

const SPACES = "\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const MOST = 1 << 16; // more than there are pieces: a pair of pieces as one number

/** The letter by which the vocabulary writes each byte: itself where it can be seen, else one from 256 on. */
function letters() {
  const seen = (byte) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(seen(byte) ? byte : next++));
}

/** What tokeniser_files.byte_pairs made → {encode(text) → ids, text(ids), piece(id), pieces: how many}. */
export function bytePairs({ special, alphabet, merges, letters: letter, numbers }) {
  const first = special.length;
  const base = first + alphabet.length;
  const bytes = Uint8Array.from(atob(merges), (each) => each.charCodeAt(0));
  const halves = new DataView(bytes.buffer);
  const many = bytes.length / 4;
  const pair = (k) => [halves.getUint16(4 * k, true), halves.getUint16(4 * k + 2, true)];
  const merged = new Map(); // pair of ids → the id of what they become; an earlier merge has a smaller one
  for (let k = many - 1; k >= 0; k--) {
    const [a, b] = pair(k);
    merged.set(a * MOST + b, base + k);
  }
  const signs = letters();
  // some bytes no text has
  const ofByte = signs.map((sign) => alphabet.indexOf(sign)).map((at) => (at < 0 ? null : first + at));
  const known = new Map(special.map((text, id) => [text, id]));
  const cut = around(special);
  const digit = new RegExp(`([${inside(numbers)}])`, "u");
  const L = inside(letter);
  const word = new RegExp(
    `'(?:[sdmt]|ll|ve|re)| ?[${L}]+| ?[^${SPACES}${L}]+|[${SPACES}]+(?![^${SPACES}])|[${SPACES}]+`,
    "gu",
  );
  const utf8 = new TextEncoder();
  const cache = new Map();

  function join(part) {
    const ids = [...utf8.encode(part)].map((byte) => ofByte[byte]).filter((id) => id !== null);
    for (;;) {
      let best = Infinity;
      for (let i = 0; i + 1 < ids.length; i++)
        best = Math.min(best, merged.get(ids[i] * MOST + ids[i + 1]) ?? Infinity);
      if (best === Infinity) return ids;
      const [a, b] = pair(best - base);
      for (let i = 0; i + 1 < ids.length; i++) if (ids[i] === a && ids[i + 1] === b) ids.splice(i, 2, best);
    }
  }
  function idsOf(part) {
    if (!cache.has(part)) {
      if (cache.size > 5000) cache.clear();
      cache.set(part, join(part));
    }
    return cache.get(part);
  }
  const encode = (text) =>
    cut(text.toWellFormed?.() ?? text).flatMap((part) =>
      known.has(part)
        ? [known.get(part)]
        : part.split(digit).flatMap((each) => (each.match(word) ?? []).flatMap(idsOf)),
    );

  const byteOf = Object.fromEntries(signs.map((sign, byte) => [sign, byte]));
  function spell(id) {
    if (id < first) return [...utf8.encode(special[id])];
    return id < base ? [byteOf[alphabet[id - first]]] : pair(id - base).flatMap(spell);
  }
  /** What these pieces say together; a part of a character alone is �. */
  const text = (ids) => new TextDecoder().decode(Uint8Array.from(ids.flatMap(spell)));
  return { encode, text, piece: (id) => text([id]), pieces: base + many };
}
