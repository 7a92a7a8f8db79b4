// What is on the screen, in sentences: the same ones are shown and spoken.

import { number } from "../drawing/ui.js";

export const NAMES = { rnnencdec: "RNNencdec", rnnsearch: "RNNsearch" };
/** {name: make(name)} of both models. */
export const each = (make) => Object.fromEntries(Object.keys(NAMES).map((name) => [name, make(name)]));
export const quoted = (text) => `“${text}”`;
export const share = (x) => number(x, 2);
const several = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
const spelt = (name) => (name === "." ? "the full stop" : name === "," ? "the comma" : name);
/** The places of a row, the largest weight first. */
export const order = (weights) => [...weights.keys()].sort((a, b) => weights[b] - weights[a] || a - b);

/** "3 of 18 words wrong, 2 missing": what is marked. of: words said so far. */
export function countWords({ wrong, missing }, of) {
  if (!of && !missing) return "nothing said yet";
  if (!wrong && !missing) return of === 1 ? "its one word is right" : `all ${of} words right`;
  const parts = wrong ? [`${wrong} of ${several(of, "word")} wrong`] : [];
  if (missing) parts.push(wrong ? `${missing} missing` : `${several(missing, "word")} missing`);
  return parts.join(", ");
}

/** What each model was told at a step, 0 before the first: `label` for the strip of so many bars, and a note. */
export function contextWords(name, width, step) {
  const strip = `A strip of ${width} bars`;
  const span = `${width} numbers`;
  if (name === "rnnencdec")
    return {
      label: `${strip}, the same at every step`,
      note: `the same ${span} at every step, however long the sentence is.`,
    };
  if (!step) return { label: "An empty strip", note: `${span}; none yet, it looks when it says its first word.` };
  return { label: `${strip}, those of step ${step}`, note: `${span}, mixed anew at every step by the weights below.` };
}

/** What each model says at a step, for `stepWords`. */
export function saidWords({ found, marks }, at, target) {
  return each((name) => {
    const step = found.steps[name][at - 1];
    return step ? { word: target[step.token], wrong: marks?.[name].wrong[at - 1] } : { ended: true };
  });
}

/**
 * One step of both. said: {name: {word, ended, wrong}}; row: the weights of RNNsearch over the names of the source's
 * words.
 */
export function stepWords({ at, total, said, row, names, length }) {
  if (at === 0)
    return `Step 0 of ${total}: both models have read the ${several(length, "token")}. Nothing is said yet.`;
  const { rnnsearch, rnnencdec } = said;
  const verb = ({ word, ended, wrong }) =>
    ended ? "has ended" : word === "⟨end⟩" ? "ends" : `says ${spelt(word)}${wrong ? " (wrong)" : ""}`;
  const looks = row ? `, looks at ${spelt(names[order(row)[0]])} ${share(row[order(row)[0]])}` : "";
  return `Step ${at} of ${total}: RNNsearch ${verb(rnnsearch)}${looks}. RNNencdec ${verb(rnnencdec)}.`;
}

/** The weight of one cell, and the largest of its row beside it. */
export function cellWords({ at, word, weights, names, column }) {
  const [most] = order(weights);
  const who = `Step ${at}, writing ${quoted(word)}`;
  const here = `${who}: ${quoted(names[column])} has weight ${share(weights[column])}`;
  return column === most
    ? `${here}, the largest of the ${several(weights.length, "weight")} of this step.`
    : `${here}; the largest, ${share(weights[most])}, has ${quoted(names[most])}.`;
}

/** Both results side by side, where the reference is known. counts: {name: {wrong, missing}}. */
export function verdict({ counts, clauses, length }) {
  const total = ({ wrong, missing }) => wrong + missing;
  const [fixed, search] = [total(counts.rnnencdec), total(counts.rnnsearch)];
  const size = `${several(clauses, "clause")}, ${several(length, "token")}`;
  const said = (n) => (n ? several(n, "error") : "no error");
  if (!fixed && !search) return `At ${size}, both models say the reference word for word.`;
  return `At ${size}: RNNencdec makes ${said(fixed)}, RNNsearch ${said(search)}.`;
}

/**
 * Words that the models do not know, and a sentence longer than any in training; "" where there is nothing to warn of.
 */
export function warning({ unknown, known, length, trained }) {
  const words = [...new Set(unknown)];
  const parts = [];
  if (words.length)
    parts.push(
      `${words.map(quoted).join(", ")} ${words.length === 1 ? "is" : "are"} not among the ${known} words that the ` +
        `models know: both read ⟨unk⟩ ${words.length === 1 ? "in its place" : "in their places"}, so do not trust ` +
        `what they make of it.`,
    );
  if (length > trained) parts.push(`These are ${length} tokens. In training no sentence had more than ${trained}.`);
  return parts.join(" ");
}
