// What happens at a step, in one sentence with the numbers of this very word. Plain text: the same is shown and spoken.

import { number } from "../drawing/ui.js";
import { percent, quote } from "../journey/words.js";

const largest = (list) => list.reduce((best, x, i) => (x > list[best] ? i : best), 0);

/** step: 1 to 7; scenes: of steps.js; words: the sentence; said: the word that is about to be written. */
export function told(step, { scenes, words, written, said }) {
  const { matrices } = scenes[step - 1];
  const last = quote(written.at(-1) ?? "⟨start⟩");
  switch (step) {
    case 1:
      return (
        `Each of the ${words.length} words gets a row of ${matrices.H.cols} numbers, its state: half of them ` +
        `from reading forwards, half from reading backwards. They are made once for the sentence.`
      );
    case 2:
      return `The query is the decoder's state, ${matrices.q.cols} numbers. It has not read ${last} yet.`;
    case 3:
      return (
        `Each state times W_k is a key of ${matrices.K.cols} numbers. These too are made once for the ` +
        `sentence; the value is the state itself.`
      );
    case 4: {
      const scores = matrices.S.numbers;
      const best = largest(scores);
      return (
        `The query meets each key: T has ${matrices.T.cols} numbers between −1 and 1 for each word, and w ` +
        `weighs them. The largest score is that of ${quote(words[best])}, ${number(scores[best])}.`
      );
    }
    case 5: {
      const weights = matrices.A.numbers;
      const best = largest(weights);
      return `The softmax makes shares of the scores: ${quote(words[best])} gets ${percent(weights[best])}.`;
    }
    case 6: {
      const weights = matrices.A.numbers;
      const best = largest(weights);
      return (
        `The context is the average of the ${words.length} states with these weights: ` +
        `${percent(weights[best])} of it is the state of ${quote(words[best])}.`
      );
    }
    default:
      return (
        `The cell reads ${last} and the context, and a layer gives every French word a probability: ` +
        `${quote(said)} has ${percent(matrices.P.numbers[0])}.`
      );
  }
}
