// The settings, what they take, and how a link holds them.

import { codecsOf, takesOf } from "../shell/settings.js";
import declared from "./settings.json" with { type: "json" };

export const TAKES = takesOf(declared);
const [, MOST] = TAKES.text;
/** The letters of a text that a cell can read, as many as there is room for. */
export const readable = (text) =>
  text
    .toLowerCase()
    .replace(/[–−]/g, "-")
    .replace(/[^ab-]/g, "")
    .slice(0, MOST);
const text = { write: String, read: (given) => (given === readable(given) ? given : null) };
export const CODECS = codecsOf(declared, { text });
