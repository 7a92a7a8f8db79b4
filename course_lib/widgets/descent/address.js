// The settings as short text for the page's address, and back; null where the text is none.

import { SAMPLES, STEPS } from "./run.js";
import { REACH, SURFACES } from "./surfaces.js";
import { NAMES } from "./words.js";

const within = (text, low, high) => text.trim() !== "" && Number(text) >= low && Number(text) <= high;
const whole = (low, high, good = () => true) => ({
  write: String,
  read: (text) => (/^\d+$/.test(text) && within(text, low, high) && good(Number(text)) ? Number(text) : null),
});
const between = (low, high) => ({
  write: (x) => String(Number(x.toPrecision(3))),
  read: (text) => (within(text, low, high) ? Number(text) : null),
});
const word = (options) => ({ write: String, read: (text) => (options.includes(text) ? text : null) });

export const CODECS = {
  surface: word(Object.keys(SURFACES)),
  optimiser: word(Object.keys(NAMES)),
  rate: between(0.001, 10),
  decay: between(0, 0.2),
  batch: whole(1, SAMPLES, (size) => SAMPLES % size === 0),
  seed: whole(0, 9999),
  step: whole(0, STEPS),
  start: {
    write: (pair) => pair.join(","),
    read(text) {
      const parts = text.split(",");
      return parts.length === 2 && parts.every((part) => within(part, -REACH, REACH))
        ? parts.map((part) => Math.round(10 * Number(part)) / 10)
        : null;
    },
  },
  view: word(["surface", "map"]),
  azimuth: between(-180, 180),
  elevation: between(5, 90),
};
