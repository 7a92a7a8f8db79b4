// The journey's settings as text for the page's address, and back; null where the text is not one. Places count from 1 there.

import { STATIONS } from "./route.js";

const from1 = (most) => ({
  write: (i) => (i === null ? "auto" : String(i + 1)),
  read: (text) => (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= most ? Number(text) - 1 : null),
});
const line = (most) => ({ write: String, read: (text) => (text.length <= most ? text : null) });

export const CODECS = {
  sentence: line(120), // whether the model knows its words is seen later
  written: { write: (words) => words.join(" "), read: (text) => (text.length <= 400 ? text.split(" ").filter(Boolean) : null) },
  station: { write: String, read: (text) => (STATIONS.includes(text) ? text : null) },
  layer: from1(12),
  head: from1(16),
  row: from1(2000),
  column: from1(2000),
  matrix: line(20),
};
