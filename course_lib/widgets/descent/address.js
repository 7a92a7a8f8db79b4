// The settings, what they take, and how a link holds them.

import { codecsOf, takesOf } from "../shell/settings.js";
import declared from "./settings.json" with { type: "json" };

export const TAKES = takesOf(declared);
const codecs = codecsOf(declared);
const tenth = (value) => Math.round(10 * value) / 10;
export const CODECS = {
  ...codecs,
  start: { ...codecs.start, read: (text) => codecs.start.read(text)?.map(tenth) ?? null },
};
