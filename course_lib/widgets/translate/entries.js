// The sentences that were asked for, each with what both models make of it. The latest are kept.

import { END, UNKNOWN } from "../runtime/shipped.js";
import { compare } from "./compare.js";
import { translation } from "./run.js";
import { each } from "./words.js";

const KEPT = 24;

/**
 * chains: sentences, each a list of [English, French] pieces; offers: [what, English, French]; cut(text): its tokens
 * (decoding/models.js). Gives sentence(example, clauses) in
 * English; of(text): the sentence, translated as far as the page has come, `changed()` after each slice; and close().
 */
export function entries({ models, chains, offers, cut, changed }) {
  const { target } = models.rnnsearch;
  const upTo = (chain, clauses, language) =>
    `${chain
      .slice(0, clauses)
      .map((piece) => piece[language])
      .join(" ")} .`;
  const pairs = chains.flatMap((chain) => chain.map((_, i) => [upTo(chain, i + 1, 0), upTo(chain, i + 1, 1)]));
  for (const [, english, french] of offers) pairs.push([english, french]);
  const references = new Map(pairs.map(([english, french]) => [english, french.split(" ")]));
  const known = new Map();

  function begun(text) {
    const { words, ids, unknown } = cut(text);
    const names = words.map((word, i) => (ids[i] === UNKNOWN ? "⟨unk⟩" : word));
    const reference = references.get(words.join(" ")) ?? null;
    if (known.size >= KEPT) {
      const [[oldest, { found }]] = known;
      found.close();
      known.delete(oldest);
    }
    return { text, words, ids, unknown, names, reference, found: translation(models, ids, changed) };
  }
  function of(text) {
    const entry = known.get(text) ?? begun(text);
    known.delete(text); // the latest goes to the end
    known.set(text, entry);
    const { steps, done, error } = entry.found;
    entry.ready = done && !error;
    entry.total = Math.max(...Object.values(steps).map(({ length }) => length));
    if (entry.ready && !entry.said) {
      entry.said = each((name) => steps[name].filter(({ token }) => token !== END).map(({ token }) => target[token]));
      entry.marks = entry.reference && each((name) => compare(entry.said[name], entry.reference));
      entry.errors = entry.marks && each((name) => entry.marks[name].errors);
    }
    return entry;
  }
  return {
    of,
    sentence: (example, clauses) => upTo(chains[example], clauses, 0),
    close: () => {
      for (const { found } of known.values()) found.close();
    },
  };
}
