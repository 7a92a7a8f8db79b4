// The rules for typed numbers: one, or those that a function returns, worked out by hand. No DOM here.

import { unread, verdict } from "./check.js";
import { close, figure } from "./number.js";
import { readNumber } from "./typed_number.js";

const TRUTH = new Map(Object.entries({ True: "1", False: "0" })); // as a learner's function returns it

/** How near a wrong number is, or "". */
function nearness(x, answer, tolerance, within = `±${figure(tolerance)}`) {
  if (close(-x, answer, tolerance)) return "The size is right, the sign is not.";
  if (!close(x, answer, 10 * tolerance)) return "";
  const percent = Math.ceil(Math.abs((100 * (x - answer)) / answer));
  return `Close${percent <= 50 ? `: within ${percent} % of it` : ""}, but an answer counts within ${within}.`;
}
/** What is said where another reading of what was typed is right, or "". */
function misread({ read, others }, answer, tolerance) {
  const meant = others.find((x) => close(x, answer, tolerance));
  return meant === undefined ? "" : `${read} As ${figure(meant)} it is right: write it so.`;
}

function value(spec, typed) {
  const { answer, tolerance, unit } = spec;
  const given = readNumber(typed, unit);
  if (given.problem) return unread(given.problem, 0);
  const x = given.value;
  const note = given.read && ` ${given.read}`;
  if (close(x, answer, tolerance)) return verdict(true, `Right: ${spec.shown}.${note}`);
  const meant = misread(given, answer, tolerance);
  if (meant) return unread(meant, 0);
  const wrong = (message) => verdict(false, message + note, { at: 0 });
  for (const [mistake, hint] of spec.mistakes) if (close(x, mistake, tolerance)) return wrong(hint);
  const shares = /%|per ?cent/i.test(unit + spec.question + typed);
  if (shares && [x / 100, 100 * x].some((other) => close(other, answer, tolerance)))
    return wrong("Right but for a factor of 100: is it a share, or in %?");
  return wrong(nearness(x, answer, tolerance, spec.within) || "Not yet. A hint may help.");
}

/** A case's numbers as the reader gave them, row by row. */
function figures(shape, flat) {
  if (!shape.length) return figure(flat[0]);
  const step = flat.length / shape[0];
  const row = (_, i) => figures(shape.slice(1), flat.slice(i * step, (i + 1) * step));
  return `[${Array.from({ length: shape[0] }, row).join(", ")}]`;
}

/**
 * The mistake that gives these numbers in case i. Where several do, the later cases tell them apart, as far as they can
 * be read.
 */
function likely(spec, i, given) {
  const fits = (values, read) =>
    values.length === read.length && read.every((one, k) => close(one.value, values[k], spec.tolerance));
  const found = spec.mistakes.filter(({ values }) => fits(values[i], given[i]));
  const later = given.map((read, k) => [read, k]).filter(([read, k]) => k > i && read.every((one) => !one.problem));
  return found.find(({ values }) => later.every(([read, k]) => fits(values[k], read))) ?? found[0];
}

/**
 * typed: for each case its texts, row by row. `at` counts the fields of all cases. The failing case is shown with what
 * was given; what was expected only from the second try on, so that the first miss leaves something to find.
 */
function byHand(spec, typed, tried) {
  const all = typed.map((texts) => texts.map((text) => readNumber(TRUTH.get(text.trim()) ?? text)));
  let at = 0;
  for (const [i, { call, shape, expected }] of spec.cases.entries()) {
    const read = all[i];
    const blank = read.findIndex((one) => one.problem);
    if (blank >= 0) return unread(`\`${call}\`: ${read[blank].problem}`, at + blank);
    const wrong = read.findIndex((one, k) => !close(one.value, expected[k], spec.tolerance));
    if (wrong >= 0) {
      const meant = misread(read[wrong], expected[wrong], spec.tolerance);
      if (meant) return unread(`\`${call}\`: ${meant}`, at + wrong);
      const mistake = likely(spec, i, all);
      const near = nearness(read[wrong].value, expected[wrong], spec.tolerance) || "not yet.";
      const entry = expected.length > 1 ? ` Look at number ${wrong + 1}.` : "";
      const values = read.map((one) => one.value);
      const given = `call:     ${call}\ngiven:    ${figures(shape, values)}`;
      const detail = tried ? `${given}\nexpected: ${figures(shape, expected)}` : given;
      return verdict(false, `\`${call}\`: ${mistake ? mistake.hint : near + entry}`, { detail, at: at + wrong });
    }
    at += read.length;
  }
  const total = spec.cases.length;
  return verdict(true, `Right on ${total === 1 ? "the one case" : `all ${total} cases`}.`);
}

export const rules = { value, function: byHand };
