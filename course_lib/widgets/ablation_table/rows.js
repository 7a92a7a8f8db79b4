// What the ablation table computes, apart from the page: changes from the base, which rows are shown, in which order, and the words.

import { number } from "../drawing/ui.js";
import { many, ordered } from "../shell/comparison.js";

export const MEASURES = { ppl: { name: "perplexity", unit: " %" }, bleu: { name: "BLEU", unit: "" } };
export const VERDICTS = {
  same: "same direction",
  opposite: "opposite",
  noise: "within noise",
  equal: "equal in print",
  unpublished: "not in print",
};
const ORDER = Object.keys(VERDICTS);

/** A value's change from the base's: of perplexity in per cent, of BLEU in points. */
export const change = (measure, value, base) => (measure === "ppl" ? 100 * (value / base - 1) : value - base);
/** Over seeds: of perplexities the geometric mean. */
export function mean(measure, values) {
  const average = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;
  return measure === "ppl" ? Math.exp(average(values.map(Math.log))) : average(values);
}

/** All that the table shows of a row under a measure; null where a number was not published. */
export function facts(row, base, measure) {
  const printed = row.published[measure];
  const from = mean(measure, base.ours[measure]);
  const seeds = row.ours[measure].map((x) => change(measure, x, from));
  const ours = mean(measure, row.ours[measure]);
  const none = printed === null || base.published[measure] === null;
  return {
    group: row.group,
    variant: row.variant,
    published: printed,
    change: none ? null : change(measure, printed, base.published[measure]),
    ours,
    our_change: change(measure, ours, from),
    seeds,
    spread: Math.max(...seeds) - Math.min(...seeds),
    p: row.p[measure],
    row: row.published.row,
    params: row.published.params,
    our_params: row.ours.params,
    peak: row.ours.peak,
    verdict: row.verdict[measure],
  };
}

function keyOf({ fact }, name) {
  if (name !== "verdict" || fact.verdict === null) return fact[name];
  return ORDER.indexOf(fact.verdict);
}

/** The rows that {group, measure, verdict, sort} show, in order, as {row, fact}. */
export function shown({ base, rows }, { group, measure, verdict, sort }) {
  const all = rows.map((row) => ({ row, fact: facts(row, base, measure) }));
  const asked = ({ row, fact }) => (group === "all" || row.group === group) && (verdict === "all" || fact.verdict === verdict);
  return ordered(all.filter(asked), sort, keyOf);
}

/** How many of the rows shown have which verdict. */
export const tally = (list) =>
  Object.fromEntries(ORDER.map((verdict) => [verdict, list.filter(({ fact }) => fact.verdict === verdict).length]));

const SAID = {
  same: ["goes in the published direction", "go in the published direction"],
  opposite: ["goes the opposite way", "go the opposite way"],
  noise: ["is within our noise", "are within our noise"],
  equal: ["differs where the paper prints no difference", "differ where the paper prints no difference"],
  unpublished: ["differs and is not in the paper", "differ and are not in the paper"],
};
const said = (verdict, count) => `${count || "none"} ${SAID[verdict][count > 1 ? 1 : 0]}`;

/** The table in a sentence. */
export function words({ rows }, list, { group, measure, verdict }) {
  const asked = rows.filter((row) => group === "all" || row.group === group);
  const where = group === "all" ? "" : ` of group ${group}`;
  const start = `By ${MEASURES[measure].name}, of ${many(asked.length, "variant")}${where}`;
  if (verdict !== "all") return `${start}, ${said(verdict, list.length)}.`;
  const counts = tally(asked.map((row) => ({ fact: { verdict: row.verdict[measure] } })));
  const parts = ORDER.filter((name, i) => i < 3 || counts[name]).map((name) => said(name, counts[name]));
  return `${start}, ${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}.`;
}

export const signed = (value, measure) =>
  value === null ? "–" : `${value > 0 && number(value, 1) !== "0.0" ? "+" : ""}${number(value, 1)}${MEASURES[measure].unit}`;

/** A row's picture in words; base null: of the base itself. */
export function told(fact, base, measure) {
  const ours = `our ${many(fact.seeds.length, "seed")} from ${signed(Math.min(...fact.seeds), measure)} to ${signed(Math.max(...fact.seeds), measure)}`;
  if (base === null) return ours;
  const band = `the base’s own from ${signed(Math.min(...base.seeds), measure)} to ${signed(Math.max(...base.seeds), measure)}`;
  return `${ours}; ${band}; published ${fact.change === null ? "nothing" : signed(fact.change, measure)}`;
}

const root = (x) => Math.sign(x) * Math.sqrt(Math.abs(x));

/** A scale of roots through 0 that holds all values: {at: change → 0 … 1, low, high}. */
export function scale(values) {
  const low = root(Math.min(0, ...values));
  const high = root(Math.max(0, ...values));
  const span = high - low || 1;
  return { low: -(low ** 2), high: high ** 2, at: (x) => (root(x) - low) / span };
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];

/** 0 and round numbers to be written on the scale, at least `apart` (a share of it) from one another and from the ends. */
export function ticks({ low, high, at }, apart = 0.24) {
  const kept = [0];
  for (const sign of [-1, 1]) {
    let last = 0;
    for (const step of STEPS) {
      const x = sign * step;
      if (x < low || x > high || Math.abs(at(x) - at(last)) < apart) continue;
      kept.push(x);
      last = x;
    }
  }
  return kept.sort((a, b) => a - b);
}
