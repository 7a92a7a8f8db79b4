// The settings as short text for the page's address, and back; null where the text is none.

import { flag } from "../shell/codecs.js";
import { DIVISORS, FORMS, MOMENTS, VALUES } from "./ensemble.js";

export const SIZES = [10, 300];
export const whole = (low, high) => ({
  write: String,
  read: (text) => (/^\d+$/.test(text) && Number(text) >= low && Number(text) <= high ? Number(text) : null),
});
export const word = (options) => ({ write: String, read: (text) => (options.includes(text) ? text : null) });

export const CODECS = {
  n: whole(...SIZES),
  entries: word(Object.keys(MOMENTS)),
  form: word(FORMS),
  divisor: word(DIVISORS),
  values: { write: (name) => name.split(" ")[0], read: (text) => VALUES.find((name) => name.split(" ")[0] === text) ?? null },
  centre: flag,
  seed: whole(0, 9999),
};
