// What is on the screen, in words: the same sentences are shown and spoken.

import { short } from "../drawing/training.js";
import { number } from "../drawing/ui.js";

export const percent = (share) => `${(100 * share).toFixed(share > 0.995 && share < 1 ? 1 : 0)}\u00a0%`;
export const place = (frame, task, i) => `“${task.vocabulary[frame.tokens[i]]}” (place ${i + 1})`;
export const mapName = (layers, [layer, head]) =>
  layers > 1 ? `layer ${layer + 1}, head ${head + 1}` : `head ${head + 1}`;

/** How the run stands. rate: the present learning rate. */
export function status(frame, task, rate) {
  const right = `${percent(frame.whole)} of the answers right`;
  if (frame.stopped === "diverged") {
    return (
      `The loss ran away after step ${frame.steps}: a learning rate of ${short(rate)} is too high for this ` +
      `model. Shown is step ${frame.step}, before it did.`
    );
  }
  if (frame.stored)
    return (
      `Trained beforehand, step ${frame.step}: ${frame.step ? `loss ${number(frame.loss)} nats, ` : ""}` +
      `${right}. Train starts anew, in your page.`
    );
  if (frame.step === 0) return `Step 0, nothing learned yet: ${right}. Press Train.`;
  const now = `Step ${frame.step}: loss ${number(frame.loss)} nats, ${right}.`;
  if (frame.stopped === "end") return `${now} Long enough: the run ends here.`;
  const late = frame.losses.at(-1)?.[1] ?? frame.loss;
  if (frame.step >= 300 && late > 0.97 * task.blind)
    return `${now} Still no better than without looking at other tokens.`;
  return now;
}
/** A rate to try after this one failed: a tenth, and none of those that hardly ever work. */
export const lower = (rate) => Number(Math.max(1e-5, Math.min(rate / 10, 0.01)).toPrecision(3));

/** The chosen row of one map. Returns a list of strings and {strong} parts. */
export function rowWords({ frame, task, map: [layer, head], row, column, sizes, causal }) {
  const { n } = task;
  const masked = (i, j) => causal && j > i;
  const weights = frame.weights[layer].subarray((head * n + row) * n, (head * n + row + 1) * n);
  const who = (i) => (i === row ? "itself" : place(frame, task, i));
  const w = (i) => number(weights[i]);
  const seen = [...weights.keys()].filter((i) => !masked(row, i)).sort((a, b) => weights[b] - weights[a]);
  const parts = [{ strong: place(frame, task, row) }, ` in ${mapName(sizes.layers, [layer, head])}`];
  const [first, second] = seen;
  if (seen.length === 1) parts.push(" can only look at itself: the mask hides the rest.");
  else if (weights[first] < 1.6 / seen.length && weights[first] < 0.6)
    parts.push(` looks at ${seen.length} tokens about alike, with at most ${w(first)} for ${who(first)}.`);
  else {
    parts.push(" looks at ", { strong: who(first) }, ` with ${w(first)}`);
    if (weights[second] >= 0.1) parts.push(`, at ${who(second)} with ${w(second)}`);
    parts.push(".");
  }
  if (column !== null && column !== row && column !== first)
    parts.push(
      masked(row, column)
        ? ` ${place(frame, task, column)} is masked.`
        : ` For ${place(frame, task, column)}: ${w(column)}.`,
    );
  return [...parts, ` ${answerWords(frame, task, row)}`];
}

export function top(frame, task, row) {
  const probabilities = frame.probabilities.subarray(row * task.vocabulary.length, (row + 1) * task.vocabulary.length);
  const best = probabilities.indexOf(Math.max(...probabilities));
  return { word: task.vocabulary[best], share: probabilities[best], right: best === frame.targets[row] };
}

/** A tick for a right answer, a cross for a wrong one; where nobody can be sure, none is wrong. */
export const tick = (answer, task) => `${answer.word}${answer.right ? " ✓" : task.floor ? "" : " ✗"}`;

export function answerWords(frame, task, row) {
  if (frame.targets[row] < 0) return "No answer is asked for here.";
  const { word, share, right } = top(frame, task, row);
  const wanted = task.vocabulary[frame.targets[row]];
  if (task.floor) return `The model expects “${word}” most, with ${percent(share)}; here “${wanted}” comes.`;
  return right
    ? `The model answers “${word}” with ${percent(share)}: right.`
    : `The model answers “${word}” with ${percent(share)}; right would be “${wanted}”.`;
}

/** What switching heads off does to the fixed test questions. */
export function ablation(frame, sizes) {
  if (!frame.off.length) return "";
  const names = frame.off.map((pair) => mapName(sizes.layers, pair)).join(" and ");
  return `Without ${names}: ${percent(frame.accuracy)} right instead of ${percent(frame.whole)}.`;
}

/** The weight two maps share: mean over the rows of Σ min(a, b), 1 for equal maps. */
export function overlap(frame, n, [layer, head], [layer2, head2]) {
  const at = (l, k) => frame.weights[l].subarray(k * n * n, (k + 1) * n * n);
  const [a, b] = [at(layer, head), at(layer2, head2)];
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.min(a[i], b[i]);
  return sum / n;
}
