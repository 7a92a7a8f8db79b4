// The settings, what they take, and how a link holds them.

import { codecsOf, takesOf } from "../shell/settings.js";
import declared from "./settings.json" with { type: "json" };

export const RANGES = takesOf(declared);
export const KNOTS = declared.heights.counts[0];
export const CODECS = codecsOf(declared);
