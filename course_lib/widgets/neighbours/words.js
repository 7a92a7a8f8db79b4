// What the lists show, in words.

import { plain } from "./nearest.js";
import { number } from "../drawing/ui.js";

/** found: {nearest, alone} of nearest.js. */
export function told({ ask, given, ...typed }, { nearest, alone }) {
  const [[first, cosine], [second]] = nearest;
  if (ask === "word")
    return `Nearest to ${plain(typed.word)} is ${first}, with cosine ${number(cosine)}; then ${second}.`;
  const [start, minus, plus] = [typed.start, typed.minus, typed.plus].map(plain);
  const said = `Nearest to ${start} − ${minus} + ${plus} is ${first}, with cosine ${number(cosine)}.`;
  const lazy = `Nearest to ${start} alone is ${alone[0][0]}.`;
  if (first === start)
    return `${said} That is the word that you started from: the arithmetic did not leave it. ${lazy}`;
  if ([minus, plus].includes(first)) return `${said} That is one of the given words. ${lazy}`;
  if (first === alone[0][0]) return `${said} Without any arithmetic, ${start} alone gives the same word.`;
  return `${said} ${lazy} So here the arithmetic changed the answer; whether to the right one is yours to judge.`;
}
