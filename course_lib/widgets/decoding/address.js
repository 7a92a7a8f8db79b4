// How a link holds the settings of each model; moment "end", head "mean" and top_k "all" stand for None.

import { codecsOf } from "../shell/settings.js";
import declared from "./settings.json" with { type: "json" };

const codecs = codecsOf(declared);
const withText = (takes) => ({ ...codecs, ...codecsOf({ text: { kind: "text", takes } }) });
export const CODECS = {
  translator: withText([1, 200]),
  table: codecs,
  towns: withText([0, 40]), // letters that the reader takes make it longer than what can be typed
};
