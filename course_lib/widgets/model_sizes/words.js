// What the widget shows, in words.

import { agreeing, count, idle, rowOf, shares, SIZES } from "./count.js";

/** 12345 → "12,345". */
export const thousands = (x) => String(x).replace(/\B(?=(\d{3})+$)/g, ",");

/** 0.1234 → "12 %", with one decimal below ten, and two where that would be 0.0. */
export const percent = (share) => `${(100 * share).toFixed(share < 0.0005 ? 2 : share < 0.0995 ? 1 : 0)} %`;

/** Row i of the 72 as a reader finds it: 24 rows for each of Tables 3, 4 and 5. */
export const place = (i) => ({ table: 3 + Math.floor(i / 24), row: (i % 24) + 1 });

/** Two sentences: how many numbers there are, where most of them lie, and how many never learn. */
export function words(sizes) {
  const sum = count(sizes);
  const lost = idle(sizes);
  const largest = shares(sizes).reduce((best, part) => (part.count > best.count ? part : best));
  const most = `The largest part, ${largest.name}, has ${percent(largest.share)} of them.`;
  return (
    `The model has ${thousands(sum)} numbers to learn. ${most} Of all, ${thousands(lost)} (${percent(lost / sum)}) ` +
    `never learn: ` +
    `the ${sizes.m} of wₖ and the ${sizes.d} in the last row of E.`
  );
}

/** Published against computed. */
export function verdict(sizes, rows) {
  const i = rowOf(sizes, rows);
  const example = [4, 8, 4, 4, 16].every((x, k) => x === sizes[SIZES[k]]);
  const all = `Of the ${rows.length} printed rows, ${agreeing(rows)} have the count computed here.`;
  const none = "No printed row has these sizes.";
  if (i < 0)
    return `${example ? "These are the sizes of the worked example, for which the source prints 316." : none} ${all}`;
  const { table, row } = place(i);
  const sum = count(sizes);
  const printed = rows[i][5];
  return (
    `Row ${row} of Table ${table} prints ${thousands(printed)}; computed: ${thousands(sum)}` +
    `${printed === sum ? ", the same" : ", not the same"}. ${all}`
  );
}
