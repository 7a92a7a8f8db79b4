// How the run stands, in words: the same sentences are shown and spoken.

import { number } from "../drawing/ui.js";

export const nats = (loss) => number(loss, 3);
export const NAMES = { uniform: "uniform", unigram: "unigram", bigram: "bigram", bayes: "Bayes", rate: "entropy rate" };

export function status({ step, stopped, seen, lines, parameters }, { updates }) {
  if (stopped === "diverged")
    return (
      `The loss is no longer a number after update ${step}. What you see is from update ${seen.step}. Reset ` +
      `begins anew; a lower rate helps.`
    );
  if (step === 0)
    return (
      `${parameters.toLocaleString("en")} learnables, nothing learned yet. Train makes ` +
      `${updates.toLocaleString("en")} updates of 32 new sequences.`
    );
  const [known] = Object.entries(lines)
    .filter(([name, loss]) => name !== "rate" && seen.exact <= loss + 0.005)
    .slice(-1);
  const place = known ? `it has reached the line “${NAMES[known[0]]}” (to 0.005)` : "above every line";
  const made = stopped === "end" ? `All ${step.toLocaleString("en")} updates are made` : `Update ${seen.step}`;
  return (
    `${made}: the loss is ${nats(seen.exact)} nats a token; ${place}. From Bayes it is ` +
    `${nats(Math.abs(seen.exact - lines.bayes))} away.`
  );
}
