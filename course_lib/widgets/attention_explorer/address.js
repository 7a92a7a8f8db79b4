// The explorer's settings as short text for the page's address, and back; null where the text is none.

import { TASKS } from "./dials.js";

const whole = (low, high, by = 1) => ({
  write: String,
  read: (text) => {
    const x = Number(text);
    return /^\d+$/.test(text) && x >= low && x <= high && x % by === 0 ? x : null;
  },
});
const oneOf = (values) => ({ write: String, read: (text) => (values.includes(text) ? text : null) });
const flag = { write: (on) => (on ? "1" : "0"), read: (text) => (text === "0" || text === "1" ? text === "1" : null) };
const from1 = (high) => ({
  write: (i) => String(i + 1),
  read: (text) => {
    const i = whole(1, high).read(text);
    return i === null ? null : i - 1;
  },
});
const pair = (text) => {
  const match = /^([12])\.([1-8])$/.exec(text);
  return match && [match[1] - 1, match[2] - 1];
};
const writePair = ([layer, head]) => `${layer + 1}.${head + 1}`;

export const CODECS = {
  task: oneOf(TASKS),
  d: whole(4, 64, 2),
  m: whole(1, 32),
  h: whole(1, 8),
  layers: whole(1, 2),
  positions: oneOf(["none", "sinusoidal", "learned"]),
  norm: oneOf(["pre", "post", "none"]),
  residual: flag,
  causal: flag,
  scaled: flag,
  seed: whole(0, 9999),
  rate: {
    write: (x) => String(Number(x.toPrecision(3))),
    read: (text) => (Number(text) >= 1e-5 && Number(text) <= 1 ? Number(text) : null),
  },
  speed: {
    write: (x) => (x === null ? "max" : String(x)),
    read: (text) => (text === "max" ? "max" : Number(text) >= 1 && Number(text) <= 1000 ? Number(text) : null),
  },
  text: { write: (text) => text.replaceAll(" ", ""), read: (text) => (text.length <= 80 ? text : null) },
  layer: from1(2),
  head: from1(8),
  row: from1(12),
  compare: { write: (to) => (to ? writePair(to) : "none"), read: (text) => pair(text) },
  off: {
    write: (pairs) => pairs.map(writePair).join(",") || "none",
    read: (text) => {
      const pairs = text.split(",").map(pair);
      return pairs.every(Boolean) ? pairs : null;
    },
  },
};
