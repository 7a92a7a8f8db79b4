// The settings, what they take, and how a link holds them.

import { codecsOf, numbers, takesOf } from "../shell/settings.js";
import declared from "./settings.json" with { type: "json" };

const { place, weight, most } = declared.tokens;
export const RANGES = { ...takesOf(declared), place, weight };
export const HEADS = declared.heads.most;
export const TOKENS = most;

const row = numbers([-Infinity, Infinity], [3]);
const ranges = [place, place, weight];
const inside = (token) => token.every((value, i) => value >= ranges[i][0] && value <= ranges[i][1]);
/** Tokens [[x, y, weight], …], one after the other. */
const tokens = {
  write: (value) => value.map(row.write).join(","),
  read(text) {
    const parts = text.split(",");
    if (parts.length % 3 || parts.length > 3 * TOKENS) return null;
    const read = Array.from({ length: parts.length / 3 }, (_, k) => row.read(parts.slice(3 * k, 3 * k + 3).join()));
    return read.every((token) => token && inside(token)) ? read : null;
  },
};
export const CODECS = codecsOf(declared, { tokens });
