// What the table shows, apart from the page: which lines, in which order, and the sentence.

import declared from "./settings.json" with { type: "json" };
import { codecsOf } from "../shell/settings.js";

/** A filter's option by its text; undefined where there is none. */
export const optionOf = ({ filters }, name, text) =>
  Object.hasOwn(filters, name) ? filters[name].options.find(([value]) => String(value) === text)?.[0] : undefined;

export function codecs(study) {
  const show = {
    write: (chosen) =>
      Object.entries(chosen)
        .map((each) => each.join(":"))
        .join(","),
    read(text) {
      const pairs = text === "" ? [] : text.split(",").map((part) => part.split(":"));
      const found = pairs.map(([name, said]) => [name, optionOf(study, name, said)]);
      return found.some(([, value]) => value === undefined) ? null : Object.fromEntries(found);
    },
  };
  const view = { ...declared.view, kind: "option", takes: Object.keys(study.views) };
  const keys = study.columns.map(([key]) => key).filter(Boolean);
  return codecsOf(
    { ...declared, view, sort: { ...declared.sort, kind: "order", takes: ["printed", ...keys] } },
    { show },
  );
}

const value = (cell) => (Array.isArray(cell) ? cell[1] : cell);

/** Equal ones keep the printed order; what has no value comes last. */
function ordered(lines, column, down) {
  const known = lines.filter(({ cells }) => value(cells[column]) !== null);
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  known.sort((a, b) => (down ? -1 : 1) * compare(value(a.cells[column]), value(b.cells[column])));
  return [...known, ...lines.filter((line) => !known.includes(line))];
}

/**
 * {first, lines, missing}: the line on top or none, those that the settings show, in order, and how many the view
 * lacks.
 */
export function shown({ columns, lines }, { view, show, sort }) {
  const asks =
    ([name, wanted]) =>
    (line) =>
      name === "verdict" ? !line.views[view] || line.views[view].verdict === wanted : line.has[name] === wanted;
  const asked = lines.filter((line) => !line.first && Object.entries(show).every((each) => asks(each)(line)));
  const kept = asked.flatMap(({ views }) => views[view] ?? []);
  const down = sort.startsWith("-");
  const column = columns.findIndex(([key]) => key === sort.replace(/^-/, ""));
  const found = column >= 0 ? ordered(kept, column, down) : down ? kept.reverse() : kept;
  return { first: lines.find(({ first }) => first)?.views[view], lines: found, missing: asked.length - kept.length };
}

export function words({ noun, verdicts }, { lines, missing }) {
  const many = `${lines.length || "No"} ${noun}${lines.length === 1 ? "" : "s"}`;
  const lacks = missing ? ` (${missing} more ${missing === 1 ? "was" : "were"} not run so)` : "";
  const parts = Object.entries(verdicts).flatMap(([key, said]) => {
    const count = lines.filter(({ verdict }) => verdict === key).length;
    return count ? [`${count} ${said[Number(count > 1)]}`] : [];
  });
  return `${many}${lacks}${parts.length ? ": " : ""}${parts.join(", ")}.`;
}
