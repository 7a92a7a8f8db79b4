// The journey's settings as text for the page's address, and back. Places count from 1 there. Whether the model knows
// the words is seen later.

import { codecsOf } from "../shell/settings.js";
import declared from "./settings.json" with { type: "json" };

const { examples: _, ...settings } = declared;
export const CODECS = codecsOf(settings, {
  written: {
    write: (words) => words.join(" "),
    read: (text) => (text.length <= 400 ? text.split(" ").filter(Boolean) : null),
  },
});
