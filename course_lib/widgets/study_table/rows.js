// What the table computes, apart from the page: which rows are shown, in which order, and where a published error falls.

import { many, ordered } from "../shell/comparison.js";

export const FILTERS = ["v", "n", "d", "m"];

/** The quantile `part` of sorted numbers, linear between neighbours. */
export function quantile(sorted, part) {
  const at = part * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.ceil(at);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

/** How many of our models are below the published error; one that equals it counts one half. */
export const below = (ours, published) => ours.reduce((sum, x) => sum + (x < published ? 1 : x === published ? 0.5 : 0), 0);

const VALUES = {
  ours: (row, reading) => quantile(row.ours[reading], 0.5),
  place: (row, reading) => below(row.ours[reading], row.published) / row.ours[reading].length,
};
export const fieldOf = (name, row, reading) => (VALUES[name] ? VALUES[name](row, reading) : row[name]);

const asks = (settings) => (row) => FILTERS.every((name) => !settings[name] || row[name] === settings[name]);

/** The rows that the settings {v, n, d, m, reading, sort} show, in order. */
export function shown(rows, settings) {
  const kept = rows.filter((row) => row.ours[settings.reading]).filter(asks(settings));
  return ordered(kept, settings.sort, (row, name) => fieldOf(name, row, settings.reading));
}

/** How many published errors are below all our models, in each of four quarters of them, and above all. */
export function falls(rows, reading) {
  const counts = { under: 0, lower: 0, upper: 0, over: 0 };
  for (const { ours, published } of rows) {
    const sorted = ours[reading];
    if (published < sorted[0]) counts.under += 1;
    else if (published > sorted.at(-1)) counts.over += 1;
    else if (published < quantile(sorted, 0.5)) counts.lower += 1;
    else counts.upper += 1;
  }
  return counts;
}

/** The table in a sentence or two. */
export function words(all, rows, settings) {
  const chosen = FILTERS.filter((name) => settings[name])
    .map((name) => `${name} = ${settings[name]}`)
    .join(", ");
  const asked = all.filter(asks(settings));
  const where = chosen ? ` with ${chosen}` : "";
  const missing = asked.length - rows.length;
  if (!asked.length) return `No published configuration has ${chosen}.`;
  const unrun = missing ? ` (${missing} of ${asked.length} were not run under this reading)` : "";
  if (!rows.length) return `None of the ${many(asked.length, "configuration")}${where} was run under this reading.`;
  const { under, lower, upper, over } = falls(rows, settings.reading);
  return (
    `${many(rows.length, "configuration")}${where}${unrun}. The published error is below all our models in ${under}, ` +
    `inside their range in ${lower + upper} (${lower} below our median, ${upper} above), above all of them in ${over}.`
  );
}

/** The place of an error on the strip, 0 to 1: its square root, so that small errors are told apart and 0 is there. */
export const across = (error, most) => Math.sqrt(error / most);

/** Whole numbers to be written on that axis: squares, since the scale is a root. */
export function ticks(most) {
  const step = most > 30 ? 2 : 1;
  const found = [];
  for (let k = 0; (k * step) ** 2 <= most; k++) found.push((k * step) ** 2);
  return found;
}
