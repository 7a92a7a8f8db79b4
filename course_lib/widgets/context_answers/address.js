// The settings, what they take, and how a link holds them.

import { codecsOf, numbers, takesOf } from "../shell/settings.js";
import declared from "./settings.json" with { type: "json" };

export const TAKES = takesOf(declared);
export const MOST = declared.points.most;
export const WIDE = [-1, 1];
export const TALL = [-3, 3];

const pair = numbers(TALL, [2]);
const inside = ([x]) => x >= WIDE[0] && x <= WIDE[1];
/** Points [[x, y], …], one after the other. */
const points = {
  write: (value) => value.map(pair.write).join(","),
  read(text) {
    const parts = text.split(",");
    if (parts.length % 2 || parts.length > 2 * MOST) return null;
    const read = Array.from({ length: parts.length / 2 }, (_, k) => pair.read(parts.slice(2 * k, 2 * k + 2).join()));
    return read.every((point) => point && inside(point)) ? read : null;
  },
};
export const CODECS = codecsOf(declared, { points });
