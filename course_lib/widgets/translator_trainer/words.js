// How the run stands, in words: the same sentences are shown and spoken.

import { number } from "../drawing/ui.js";

export const nats = (loss) => number(loss, 3);
export const percent = (share) => `${Math.round(100 * share)} %`;
export const letters = (row) => row.map((letter) => "abcdefgh·"[letter]).join(" ");

export function status({ step, stopped, seen }, { updates, batch, length }, least) {
  if (stopped === "diverged")
    return (
      `The loss is no longer a number after update ${step}. What you see is from update ${seen.step}. Reset ` +
      `begins anew; a lower rate helps.`
    );
  if (step === 0)
    return (
      `Nothing learned yet. Train makes ${updates.toLocaleString("en")} updates of ${batch} rows of ${length} ` +
      `letters.`
    );
  const worst = seen.shares.indexOf(Math.min(...seen.shares));
  const made = stopped === "end" ? `All ${step.toLocaleString("en")} updates are made` : `Update ${seen.step}`;
  const places =
    Math.min(...seen.shares) > 0.995
      ? "Every letter is right in all test rows."
      : `Right least often is letter ${worst + 1} of ${length}: in ${percent(seen.shares[worst])} of 128 test rows.`;
  return (
    `${made}: the loss is ${nats(seen.exact)} nats a letter, ${nats(Math.max(0, seen.exact - least))} above ` +
    `the floor ${nats(least)}. ${places}`
  );
}
