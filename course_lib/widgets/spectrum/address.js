// The settings, what they take, and how a link holds them.

import { codecsOf, takesOf } from "../shell/settings.js";
import declared from "./settings.json" with { type: "json" };

export const TAKES = takesOf(declared);
const first = (name) => name.split(" ")[0]; // a link says "singular"
const values = { write: first, read: (text) => TAKES.values.find((name) => first(name) === text) ?? null };
export const CODECS = codecsOf(declared, { values });
