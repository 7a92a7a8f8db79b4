// The settings, what they take, and how a link holds them.

import { codecsOf, numbers, takesOf } from "../shell/settings.js";
import declared from "./settings.json" with { type: "json" };

export const TAKES = takesOf(declared);

const shares = numbers(TAKES.p, [2, 3, 4, 5, 6, 7, 8], 6);
const kept = codecsOf({ average: { kind: "number", takes: TAKES.average, digits: 6 } }).average;
const isWhole = (p) => p !== null && Math.abs(p.reduce((a, b) => a + b) - 1) < 1e-6;

export const CODECS = codecsOf(declared, {
  p: { ...shares, read: (text) => (isWhole(shares.read(text)) ? shares.read(text) : null) },
  average: {
    write: (average) => (average === "tail" ? average : kept.write(average)),
    read: (text) => (text === "tail" ? text : kept.read(text)),
  },
});
