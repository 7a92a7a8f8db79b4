// The settings, what they take, and how a link holds them.

import { codecsOf, takesOf } from "../shell/settings.js";
import declared from "./settings.json" with { type: "json" };

export const TAKES = takesOf(declared);
const plain = codecsOf(declared);
/** A codec that leaves alone what does not pass as well. */
const only = (codec, passes) => ({
  ...codec,
  read(text) {
    const value = codec.read(text);
    return value !== null && passes(value, text) ? value : null;
  },
});
export const CODECS = {
  ...plain,
  k: only(plain.k, (k) => k % 2 === 1),
  // one at least, none twice
  kinds: only(plain.kinds, (kinds, text) => kinds.length > 0 && text.split(",").length === kinds.length),
};

/** The largest divisor of d that is not above h. */
export function fitting(h, d) {
  let best = Math.min(h, d);
  while (d % best) best--;
  return best;
}
