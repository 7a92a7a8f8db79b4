// The table: a button in every heading, the base on top, a picture in every row.

import { h, number, setAttr, setText } from "../drawing/ui.js";
import { COLUMNS } from "./address.js";
import { axis, band } from "./band.js";
import { facts, MEASURES, scale, signed, told } from "./rows.js";

const MARKS = { same: "✓", opposite: "✗", noise: "≈", equal: "≠", unpublished: "+" };
const SHORT = { same: "same", opposite: "opposite", noise: "noise", equal: "equal in print", unpublished: "not in print" };
const value = (x, measure) => (x === null ? "–" : number(x, measure === "ppl" ? 2 : 1));
/** 120064 → "120 k". */
export const size = (count) =>
  count === null
    ? "–"
    : count >= 1e6
      ? `${number(count / 1e6, count >= 1e7 ? 0 : 1)} M`
      : count >= 1e3
        ? `${number(count / 1e3, 0)} k`
        : String(count);
export const chance = (p) => (p === null ? "–" : p < 0.001 ? "< 0.001" : p > 0.9995 ? "1" : number(p, 3));

/** now(): the settings; change(part): the reader's. */
export function table({ base, rows }, { now, change }) {
  const turn = (key) => {
    const { sort } = now();
    change({ sort: sort === key ? `-${key}` : sort === `-${key}` ? "printed" : key });
  };
  const face = h("span", { class: "abl-axis-face" });
  const heads = COLUMNS.map(([key, label, spoken, kind]) =>
    h(
      "th",
      { scope: "col", class: kind, "data-key": key },
      h(
        "button",
        { type: "button", class: "abl-sort", "aria-label": `sort by ${spoken}`, onclick: () => turn(key) },
        label,
        h("span", { "aria-hidden": "true" }),
      ),
      ...(key === "spread" ? [face] : []),
    ),
  );
  const body = h("tbody");
  const el = h(
    "div",
    {
      class: "abl-scroll course-fades course-fades-end",
      tabindex: 0,
      role: "region",
      "aria-label": "The variants: scroll with the arrow keys",
    },
    h("table", { class: "abl-table" }, h("thead", {}, h("tr", {}, ...heads)), body),
  );

  function line(fact, own, marks, measure, first = false) {
    const cell = (text, kind = "") => h("td", { class: kind }, text);
    const verdict = first ? null : fact.verdict;
    return h(
      "tr",
      first ? { class: "abl-first" } : { "data-verdict": verdict ?? "none" },
      cell(first ? "" : fact.group, "abl-group"),
      h("th", { scope: "row", class: "abl-variant" }, fact.variant),
      h(
        "td",
        { class: "abl-band" },
        band(first ? { ...fact, change: null } : fact, own.seeds, marks, told(fact, first ? null : own, measure)),
      ),
      h(
        "td",
        { class: `abl-verdict abl-${verdict ?? "none"}` },
        ...(verdict ? [h("span", { "aria-hidden": "true" }, `${MARKS[verdict]} `), SHORT[verdict]] : ["–"]),
      ),
      cell(first ? "" : signed(fact.change, measure), "abl-theirs"),
      cell(first ? "" : signed(fact.our_change, measure), "abl-ours"),
      cell(first ? "" : chance(fact.p)),
      cell(fact.row ?? "–", "abl-row"),
      cell(value(fact.published, measure), "abl-theirs"),
      cell(value(fact.ours, measure), "abl-ours"),
      cell(size(fact.params === null ? null : 1e6 * fact.params)),
      cell(size(fact.our_params)),
    );
  }

  /** list: of rows.shown. */
  function draw(list, { measure, sort }) {
    const own = facts(base, base, measure);
    const every = rows.map((row) => facts(row, base, measure));
    const marks = scale([
      ...own.seeds,
      ...every.flatMap((fact) => [...fact.seeds, ...(fact.change === null ? [] : [fact.change])]),
    ]); // one scale, whatever is shown
    for (const head of heads) {
      const { key } = head.dataset;
      const way = sort === key ? "ascending" : sort === `-${key}` ? "descending" : "none";
      setAttr(head, "aria-sort", way);
      setText(head.querySelector("button span"), { ascending: " ↑", descending: " ↓", none: "" }[way]);
    }
    face.replaceChildren(axis(marks));
    body.replaceChildren(line(own, own, marks, measure, true), ...list.map(({ fact }) => line(fact, own, marks, measure)));
    setAttr(el.firstElementChild, "aria-label", `Published and our ${MEASURES[measure].name}, variant by variant`);
  }
  return { el, draw };
}
