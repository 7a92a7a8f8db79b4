// The settings with their ranges, and as short text for the page's address; null where a text is none.

import { list, number, whole } from "../shell/codecs.js";
import { RULES } from "./build.js";
import { SQUASHES } from "./squash.js";
import { KNOTS, TARGETS } from "./targets.js";

export const RANGES = { height: [-1.5, 1.5], eps: [0.02, 0.5], corrections: [0, 24] };
const name = (options) => ({ write: String, read: (text) => (Object.hasOwn(options, text) ? text : null) });
export const CODECS = {
  target: name(TARGETS),
  heights: list(RANGES.height, [KNOTS]),
  eps: number(RANGES.eps),
  sigma: name(SQUASHES),
  rule: name(RULES),
  corrections: whole(RANGES.corrections),
};
