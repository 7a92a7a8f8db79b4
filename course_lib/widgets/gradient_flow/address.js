// The settings, what they take, and how a link holds them.

import { short } from "../shell/address.js";
import { codecsOf, takesOf } from "../shell/settings.js";
import declared from "./settings.json" with { type: "json" };

export const TAKES = takesOf(declared);
const plain = codecsOf(declared);
const decimals = (name, count) => ({ ...plain[name], write: (x) => short(x, count) });
export const CODECS = {
  ...plain,
  scale: decimals("scale", 2),
  inputs: decimals("inputs", 2),
  bias: decimals("bias", 2),
  threshold: decimals("threshold", 6),
};
