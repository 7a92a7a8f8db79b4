// The settings, what they take, and how a link holds them.

import { codecsOf, takesOf } from "../shell/settings.js";
import declared from "./settings.json" with { type: "json" };

export const TAKES = takesOf(declared);

const pair = (text) => {
  const match = /^([12])\.([1-8])$/.exec(text);
  return match && [match[1] - 1, match[2] - 1];
};
const writePair = ([layer, head]) => `${layer + 1}.${head + 1}`;

export const CODECS = codecsOf(declared, {
  text: { ...codecsOf({ text: declared.text }).text, write: (text) => text.replaceAll(" ", "") },
  compare: { write: writePair, read: pair },
  off: {
    write: (pairs) => pairs.map(writePair).join(",") || "none",
    read(text) {
      const pairs = text === "none" ? [] : text.split(",").map(pair);
      return pairs.every(Boolean) ? pairs : null;
    },
  },
});
