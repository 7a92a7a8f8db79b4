// What a step shows, and how the number came out, in words.

import { number } from "../drawing/ui.js";

/** state: settings, steps, right, at (the step told, from 1), word(token), and the sentences of the beam. */
export function words(state) {
  const { sentences, width } = state;
  return sentences.length ? `${told(state)} A beam of ${width} likes best: ${sentences[0][0]}.` : told(state);
}

function told({ steps, right, at, reads, word }) {
  const { read, said, probabilities } = steps[at - 1];
  const wanted = right[at - 1];
  const p = number(probabilities[said]);
  const judged =
    steps.slice(0, at - 1).some((each, k) => each.said !== right[k]) && reads === "own"
      ? ""
      : said === wanted
        ? ", which is right"
        : `; right would be ${word(wanted)}`;
  const step = `Step ${at}: it reads ${word(read)} and says ${word(said)} with probability ${p}${judged}.`;
  if (at < steps.length) return step;
  const wrong = steps.filter((each, k) => each.said !== right[k]).length;
  if (reads === "right")
    return `${step} Told the right word each time, it names ${steps.length - wrong} of ${steps.length} words rightly.`;
  const same = steps.length === right.length && wrong === 0;
  const answer = right.slice(0, -1).map(word).join(" ");
  return same ? `${step} The number is written without a mistake.` : `${step} It is wrong: the number is ${answer}.`;
}
