// The settings as short text for the page's address, and back; null where the text is none.

import { whole, word } from "../spectrum/address.js";
import { KINDS } from "./stack.js";

export const RANGES = {
  n: [16, 2 ** 20],
  d: [16, 16_384],
  h: [1, 256],
  layers: [1, 128],
  radius: [1, 4096],
  k: [3, 65],
  reached: [1, 100],
};
export const WORDS = { work: ["training", "forward"], chart: ["bytes", "flops"] };
const numbers = Object.fromEntries(Object.entries(RANGES).map(([name, range]) => [name, whole(...range)]));
const NAMES = Object.keys(KINDS);

export const CODECS = {
  ...numbers,
  k: {
    write: String,
    read: (text) => {
      const k = numbers.k.read(text);
      return k !== null && k % 2 ? k : null;
    },
  },
  kinds: {
    write: (kinds) => kinds.join(","),
    read: (text) => {
      const asked = text.split(",");
      return asked.every((kind) => NAMES.includes(kind)) && new Set(asked).size === asked.length
        ? NAMES.filter((kind) => asked.includes(kind))
        : null;
    },
  },
  work: word(WORDS.work),
  chart: word(WORDS.chart),
};

/** The largest divisor of d that is not above h. */
export function fitting(h, d) {
  let best = Math.min(h, d);
  while (d % best) best--;
  return best;
}
