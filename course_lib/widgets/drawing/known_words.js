// The words that a translator knows, folded: who types a sentence of her own must not guess.

import { UNKNOWN } from "../runtime/shipped.js";
import { h } from "./ui.js";

/** The words of a vocabulary whose first tokens are the signs ⟨…⟩; a full stop is none. */
export const wordsOf = (vocabulary) => vocabulary.slice(UNKNOWN + 1).filter((word) => /\p{L}/u.test(word));

export function knownWords(vocabulary) {
  const known = wordsOf(vocabulary).sort((a, b) => a.localeCompare(b));
  return h(
    "details",
    { class: "course-known" },
    h("summary", {}, `the ${known.length} words it knows`),
    h("p", { class: "course-soft" }, known.join(", ")),
  );
}
