// The columns, and the settings as short text for the page's address and back; null where the text is none.

import { word } from "../spectrum/address.js";
import { MEASURES, VERDICTS } from "./rows.js";

/** [sort key, heading, spoken heading, class]: the columns, in order. */
export const COLUMNS = [
  ["group", "§", "group", "abl-group"],
  ["variant", "variant", "variant", "abl-variant"],
  ["spread", "our seeds", "spread of our seeds", "abl-band"],
  ["verdict", "verdict", "verdict", "abl-verdict"],
  ["change", "Δ paper", "published change", "abl-theirs"],
  ["our_change", "Δ ours", "our change", "abl-ours"],
  ["p", "p", "p, the probability of such a difference by chance", ""],
  ["row", "paper’s row", "the name of the row in the paper", "abl-row"],
  ["published", "paper", "published value", "abl-theirs"],
  ["ours", "ours", "the mean of our seeds", "abl-ours"],
  ["params", "size", "published number of parameters", ""],
  ["our_params", "our size", "our number of parameters", ""],
];
export const SORTS = ["printed", ...COLUMNS.map(([key]) => key)];

export const groups = (rows) => [...new Set(rows.map((row) => row.group))];

export const codecs = (rows) => ({
  group: word(["all", ...groups(rows)]),
  measure: word(Object.keys(MEASURES)),
  verdict: word(["all", ...Object.keys(VERDICTS)]),
  sort: word(SORTS.flatMap((name) => [name, `-${name}`])),
});
