// What the model computes, once for a sentence and the words so far, and where the reader looks in it.

import { END, START } from "../runtime/shipped.js";
import { cut } from "./sentence.js";

/**
 * translator: of runtime/shipped.js; get(): the settings. Gives a function: {source, target: token numbers, done,
 * results}.
 */
export function computed(translator, get) {
  const { source: english, target: french } = translator;
  let known = { key: null };
  return () => {
    const { sentence, written } = get();
    const key = JSON.stringify([sentence, written]);
    if (known.key === key) return known;
    const source = cut(sentence, english).map((word) => english.indexOf(word));
    const done = written.at(-1) === french[END];
    const target = [START, ...written.filter((word) => word !== french[END]).map((word) => french.indexOf(word))];
    known = { key, source, target, done, results: translator.run({ source, target }, translator.results) };
    return known;
  };
}
