// What is on the screen, in sentences: the same ones are shown and spoken.

import { number } from "../drawing/ui.js";

/** Tokens as a reader writes them: "l' eau ." is "l'eau." */
export const joined = (words) =>
  words
    .join(" ")
    .replaceAll("' ", "'")
    .replaceAll(/ ([.,])/g, "$1");
export const quoted = (text) => `“${text}”`;
const listed = (texts) => (texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`);
export const share = (x) => number(x, 2);

/** One step of the search. moment: {kept, dropped, candidates}; text(hypothesis). */
export function stepWords({ at, moment, text, width }) {
  if (at === 0) return "Step 0: only the start token.";
  const { kept, dropped, candidates } = moment;
  const open = kept.filter((each) => !each.finished).length;
  const best = `${quoted(text(kept[0]) || "an empty sentence")}, score ${number(kept[0].score)}`;
  const fallen = dropped.length
    ? ` First below the cut: ${quoted(text(dropped[0]) || "an empty sentence")}, ${number(dropped[0].score)}.`
    : "";
  const state =
    open === kept.length
      ? ""
      : open
        ? ` ${kept.length - open} of them ${kept.length - open === 1 ? "has" : "have"} ended.`
        : " All have ended, so the search is over.";
  return (
    `Step ${at}: ${candidates} candidates, ${width === 1 ? "the best one is" : `the ${kept.length} best are`} ` +
    `kept. On top: ${best}.${state}${fallen}`
  );
}

/** Beam and greedy compared. best, other: {tokens, logProb}, other's with the score it would have among the beam's. */
export function verdict({ best, other, score, text, width }) {
  if (width === 1) return "Width 1 is greedy: it takes the likeliest word and never looks back.";
  if (text(best) === text(other)) return "Greedy finds the same sentence.";
  const gap = best.logProb - other.logProb;
  const factor = Math.exp(Math.abs(gap));
  const odds = `${factor < 100 ? number(factor, factor < 10 ? 1 : 0) : "more than a hundred"} times the probability`;
  const why =
    gap >= 0
      ? `the model gives the beam's sentence ${odds}`
      : best.score >= score
        ? `the model gives greedy's sentence ${odds}, but the beam's is longer and has the better score`
        : `the model gives greedy's sentence ${odds}: the beam dropped its beginning, and a wider search is no ` +
          `guarantee`;
  return (
    `Greedy differs: ${quoted(text(other))} (log p ${number(other.logProb)} against ` +
    `${number(best.logProb)}); ${why}.`
  );
}

/**
 * Where one row of a map looks. weights over names, as they stand in a sentence; who: what looks, as the sentence's
 * beginning.
 */
export function lookWords({ who, names, weights }) {
  if (names.length === 1) return `${who} can look at ${names[0]} only.`;
  const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a]);
  const [first, second] = order;
  const level = weights[first] < 1.6 / names.length && weights[first] < 0.6;
  const largest = share(weights[first]);
  if (level) return `${who} looks at all ${names.length} about alike, with at most ${largest} for ${names[first]}.`;
  return (
    `${who} looks most at ${names[first]}, ${share(weights[first])}` +
    `${weights[second] >= 0.1 ? `, then at ${names[second]}, ${share(weights[second])}` : ""}.`
  );
}

/** What the dials leave of the next letter's distribution. */
export function cutWords({ probabilities, cut, order, spoken, entropy }) {
  const kept = order.filter((token) => probabilities[token] > 0);
  const [byK, byP] = ["k", "p"].map((why) => cut.filter((each) => each === why).length);
  const cuts =
    byK && byP
      ? `Top-k cuts ${byK} and top-p another ${byP}. `
      : byK
        ? `Top-k cuts ${byK}. `
        : byP
          ? `Top-p cuts ${byP}. `
          : "";
  const best = listed(kept.slice(0, 3).map((token) => `${spoken(token)} ${share(probabilities[token])}`));
  const left =
    kept.length === 1
      ? "One token is left: nothing is left to chance."
      : `${kept.length} tokens can be drawn, as unsure as ${number(Math.exp(entropy), 1)} equal ones.`;
  return `Likeliest: ${best}. ${cuts}${left}`;
}
