// How an argument is judged: steps in order, the false line, what a control holds fixed, a sketched curve. No DOM here,
// so that Node can test it.

import { chosen, shown, unread, verdict } from "./check.js";
import { figure } from "./number.js";

/** The first place where a step stands before one that it uses: [step, used], or null. */
function early(steps, texts) {
  const place = new Map(texts.map((text, i) => [text, i]));
  const inOrder = [...steps].sort((a, b) => place.get(a.text) - place.get(b.text));
  for (const step of inOrder)
    for (const used of step.uses) if (place.get(steps[used].text) > place.get(step.text)) return [step, steps[used]];
  return null;
}

/** The steps' texts as a card shows them first: shuffled, and never right already. */
export function shuffled(spec) {
  const texts = shown({ id: spec.id, options: spec.steps }).map(({ text }) => text);
  return early(spec.steps, texts) ? texts : texts.reverse();
}

function arrange({ steps }, answer) {
  const found = early(steps, answer);
  return found
    ? verdict(false, `“${found[0].text}” cannot stand before “${found[1].text}”. ${found[0].why}`)
    : verdict(true, "Right: each step comes after those that it uses.");
}

function falseLine(spec, answer) {
  const line = chosen(spec, answer);
  return line ? verdict(line.correct, line.reason) : unread("Choose one of the lines.");
}

/** `answer`: the texts of what is held fixed. */
function control({ options }, answer) {
  if (!answer.length) return unread("Mark at least one: a control holds something fixed.");
  const wrong = options.filter(({ text, correct }) => correct !== answer.includes(text));
  if (!wrong.length) return verdict(true, "Right: the two differ in what is asked, and in nothing else that matters.");
  const count = `${options.length - wrong.length} of ${options.length} are marked rightly.`;
  return verdict(false, `${count} *${wrong[0].text}*: ${wrong[0].reason}`);
}

const apart = (one, other) => one.reduce((sum, y, i) => sum + Math.abs(y - other[i]), 0) / one.length;

/** `answer`: a height at each place; null where nothing has been drawn. */
function sketch({ x, within, curve, mistakes }, answer) {
  if (!answer) return unread("Draw it first: move at least one point.");
  const off = apart(answer, curve);
  if (off <= within)
    return verdict(true, `Right: ${figure(Number(off.toPrecision(2)))} off on average. Dashed: the curve itself.`);
  const [nearest] = mistakes.map((one) => [apart(answer, one.heights), one]).sort(([a], [b]) => a - b);
  if (nearest && nearest[0] <= within) return verdict(false, nearest[1].hint);
  const errors = answer.map((y, i) => y - curve[i]);
  const worst = errors.reduce((most, error, i) => (Math.abs(error) > Math.abs(errors[most]) ? i : most), 0);
  return verdict(false, `Not yet: at ${figure(x[worst])} it lies too ${errors[worst] > 0 ? "high" : "low"}.`);
}

/** A rule a kind, as those in check.js. */
export const rules = { arrange, false_line: falseLine, control, sketch };
