// The table's columns and lines: the base on top, in every line a strip: the base's seeds as a band about 0, our seeds as dots with
// their mean, the published change as a diamond.

import { facts, scale, signed, ticks, told } from "./rows.js";
import { axis, inset, strip } from "../shell/comparison.js";
import { h, number } from "../drawing/ui.js";

/** [sort key, heading, spoken heading, class]: the columns, in order. */
export const COLUMNS = [
  ["group", "§", "group", "abl-group"],
  ["variant", "variant", "variant", "abl-variant"],
  ["spread", "our seeds", "spread of our seeds", "abl-band"],
  ["verdict", "verdict", "verdict", "abl-verdict"],
  ["change", "Δ paper", "published change", "abl-theirs"],
  ["our_change", "Δ ours", "our change", "abl-ours"],
  ["p", "p", "p, the probability of such a difference by chance", ""],
  ["peak", "rate", "peak of our rate, as a share of the base’s", ""],
  ["row", "paper’s row", "the name of the row in the paper", "abl-row"],
  ["published", "paper", "published value", "abl-theirs"],
  ["ours", "ours", "the mean of our seeds", "abl-ours"],
  ["params", "size", "published number of parameters", ""],
  ["our_params", "our size", "our number of parameters", ""],
];
const INSET = 0.04;
const HEIGHT = 24;
const MARKS = { same: "✓", opposite: "✗", noise: "≈", equal: "≠", unpublished: "+" };
const SHORT = { same: "same", opposite: "opposite", noise: "noise", equal: "equal in print", unpublished: "not in print" };
const value = (x, measure) => (x === null ? "–" : number(x, measure === "ppl" ? 2 : 1));
/** 120064 → "120 k". */
export function size(count) {
  if (count === null) return "–";
  if (count >= 1e6) return `${number(count / 1e6, count >= 1e7 ? 0 : 1)} M`;
  return count >= 1e3 ? `${number(count / 1e3, 0)} k` : String(count);
}
export const chance = (p) => (p === null ? "–" : p < 0.001 ? "< 0.001" : p > 0.9995 ? "1" : number(p, 3));
const mark = (x) => (x > 0 ? `+${x}` : x < 0 ? `−${-x}` : "0");

/** One variant as a strip; fact: of rows.facts; base: the base's seeds as changes; label: the picture in words. */
function picture(fact, base, made, label) {
  return strip({
    at: inset(INSET, made.at),
    height: HEIGHT,
    label,
    ground: [
      { band: [Math.min(...base), Math.max(...base)], class: "abl-base", y: 0, height: HEIGHT },
      ...ticks(made).map((x) => ({ line: x, class: x === 0 ? "abl-zero" : "cmp-grid" })),
    ],
    dots: fact.seeds,
    r: 2.8,
    middle: fact.our_change,
    published: fact.change,
  });
}

export function table({ base, rows }) {
  const face = h("span", { class: "abl-axis-face" });
  const columns = COLUMNS.map(([key, label, spoken, kind]) => ({
    key,
    label,
    spoken,
    kind,
    more: key === "spread" ? [face] : [],
  }));
  const cell = (text, kind = "") => h("td", { class: kind }, text);

  function line(fact, own, made, measure, first = false) {
    const verdict = first ? null : fact.verdict;
    const drawn = picture(first ? { ...fact, change: null } : fact, own.seeds, made, told(fact, first ? null : own, measure));
    const said = verdict ? [h("span", { "aria-hidden": "true" }, `${MARKS[verdict]} `), SHORT[verdict]] : ["–"];
    return h(
      "tr",
      first ? { class: "abl-first" } : { "data-verdict": verdict ?? "none" },
      cell(first ? "" : fact.group, "abl-group"),
      h("th", { scope: "row", class: "abl-variant" }, fact.variant),
      cell(drawn, "abl-band"),
      h("td", { class: `abl-verdict abl-${verdict ?? "none"}` }, ...said),
      cell(first ? "" : signed(fact.change, measure), "abl-theirs"),
      cell(first ? "" : signed(fact.our_change, measure), "abl-ours"),
      cell(first ? "" : chance(fact.p)),
      cell(fact.peak === null ? "–" : `× ${number(fact.peak, 2)}`),
      cell(fact.row ?? "–", "abl-row"),
      cell(value(fact.published, measure), "abl-theirs"),
      cell(value(fact.ours, measure), "abl-ours"),
      cell(size(fact.params === null ? null : 1e6 * fact.params)),
      cell(size(fact.our_params)),
    );
  }

  /** list: of rows.shown. One scale, whatever is shown. */
  function lines(list, { measure }) {
    const own = facts(base, base, measure);
    const every = rows.map((row) => facts(row, base, measure));
    const made = scale([...own.seeds, ...every.flatMap(({ seeds, change }) => (change === null ? seeds : [...seeds, change]))]);
    face.replaceChildren(axis({ at: inset(INSET, made.at), height: 15, ticks: ticks(made), text: mark }));
    return [line(own, own, made, measure, true), ...list.map(({ fact }) => line(fact, own, made, measure))];
  }
  return { columns, lines };
}
