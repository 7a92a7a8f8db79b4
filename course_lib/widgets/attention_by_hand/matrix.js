// The numbers: three tables (scores, weights, outputs), the chosen row as bars, and the same row in words.

import { colour, painted } from "../drawing/colours.js";
import { chosenRow } from "../drawing/rows.js";
import { h, number, setAttr, setText } from "../drawing/ui.js";

const SCORE_SPAN = 4; // the score's colour is full at ±4, always: two settings can be compared

/**
 * One table with a head of its own; shown(i, j) gives {text, share, value, masked}. Any cell of a row chooses that row.
 */
function table({ corner, columns, rows, choose, names }) {
  const note = h("span", { class: "abh-note" });
  const heads = columns.map((text) => h("th", { scope: "col" }, h("span", {}, text)));
  const body = h("tbody");
  const lines = Array.from({ length: rows }, (_, i) => ({
    ...chosenRow(body, i, choose),
    cells: columns.map(() => h("td")),
  }));
  for (const { el, cells } of lines) {
    el.append(...cells);
    body.append(el);
  }
  const el = h(
    "table",
    {},
    h("caption", {}, note),
    h("thead", {}, h("tr", {}, h("td", { class: "abh-corner" }, corner), ...heads)),
    body,
  );
  const draw = (state, theme, shown, remark) => {
    setText(note, remark);
    if (names)
      heads.forEach((head, j) => {
        setText(head.firstChild, state.tokens[j]);
        setAttr(head, "title", state.tokens[j]);
      });
    lines.forEach(({ el: line, button, cells }, i) => {
      setText(button, state.tokens[i]);
      setAttr(button, "aria-pressed", i === state.row);
      line.classList.toggle("abh-chosen", i === state.row);
      cells.forEach((cell, j) => {
        const { text, share, value, masked } = shown(i, j);
        setText(cell, masked ? "–" : text);
        setAttr(cell, "data-value", value);
        cell.classList.toggle("abh-masked", masked);
        if (masked) {
          setAttr(cell, "style", "");
          setAttr(cell, "aria-label", "masked");
        } else {
          cell.removeAttribute("aria-label");
          setAttr(cell, "style", painted(colour(share, 1, theme)));
        }
      });
    });
  };
  return { el, draw };
}

/** maps: whether queries, keys and values may differ from the tokens at all. */
export function matrices({ n, choose, maps }) {
  const blanks = Array(n).fill("");
  const shared = { rows: n, choose, names: true, corner: "looks at" };
  const tables = {
    scores: table({ ...shared, columns: blanks }),
    weights: table({ ...shared, columns: blanks }),
    outputs: table({
      rows: n,
      choose,
      columns: ["o₁", "o₂"],
      corner: "",
    }),
  };
  const el = h("div", { class: "abh-tables" });
  for (const [view, { el: node }] of Object.entries(tables)) {
    node.classList.add(`abh-table-${view}`);
    el.append(node);
  }

  function draw(state, theme) {
    const { scores, weights, o, masked, view } = state;
    const cell = (value, share, hidden = false) => ({ text: number(value), value, share, masked: hidden });
    const score = (i, j) => cell(scores[i][j], scores[i][j] / SCORE_SPAN, masked(i, j));
    for (const [name, { el: node }] of Object.entries(tables)) node.hidden = name !== view;
    tables.scores.draw(state, theme, score, `${scoresAre(state, maps)}${symmetry(state)}`);
    tables.weights.draw(state, theme, (i, j) => cell(weights[i][j], weights[i][j], masked(i, j)), weightsAre(state));
    tables.outputs.draw(state, theme, (i, j) => cell(o[i][j], 0), outputsAre(maps));
  }
  return { el, draw };
}

// what each table holds, with the settings that are on
const scoresAre = ({ scaled }, maps) =>
  `Scores: query q of the row · key k of the column${scaled ? ", divided by √m = √2" : ""}.` +
  `${maps ? "" : " Here q and k are both the word's point."}`;
const weightsAre = ({ temperature }) =>
  `Weights: the softmax of each row of scores${temperature === 1 ? "" : ", divided by τ first"}. A row adds up to 1.`;
const outputsAre = (maps) =>
  `Outputs: the average of all ${maps ? "values v" : "points"}, with the row's weights. The star is the chosen row's.`;

function symmetry({ scores, tokens, row }) {
  const other = row === 0 ? 1 : row - 1;
  const equal = scores.every((line, i) => line.every((score, j) => Math.abs(score - scores[j][i]) < 1e-4));
  return equal ? ` Symmetric: ${tokens[row]} scores ${tokens[other]} as ${tokens[other]} scores ${tokens[row]}.` : "";
}

/** The chosen row as bars on a scale from 0 to 1. */
export function bars({ n }) {
  const lines = Array.from({ length: n }, () => {
    const name = h("span", { class: "abh-bar-name" });
    const fill = h("i");
    const value = h("span", { class: "abh-bar-value" });
    return {
      el: h("li", {}, name, h("span", { class: "abh-bar", "aria-hidden": "true" }, fill), value),
      name,
      fill,
      value,
    };
  });
  const el = h(
    "ol",
    { class: "abh-bars", "aria-label": "Weights of the chosen row" },
    ...lines.map((entry) => entry.el),
  );
  const draw = ({ tokens, weights, row, masked }) =>
    lines.forEach((entry, j) => {
      setText(entry.name, tokens[j]);
      setText(entry.value, masked(row, j) ? "masked" : number(weights[row][j]));
      setAttr(entry.fill, "style", `transform:scaleX(${weights[row][j].toFixed(4)})`);
      entry.el.classList.toggle("abh-masked", masked(row, j));
    });
  return { el, draw };
}

/** The chosen row in words, as a list of strings and {token} parts. */
export function words({ tokens, weights, row, masked }) {
  const who = (j) => (j === row ? "itself" : { token: tokens[j] });
  const seen = tokens
    .map((_, j) => j)
    .filter((j) => !masked(row, j))
    .sort((a, b) => weights[row][b] - weights[row][a]);
  const w = (j) => number(weights[row][j]);
  const [first, second] = seen;
  const start = { token: tokens[row] };
  if (seen.length === 1) return [start, " can only look at ", who(first), ": the mask hides the rest."];
  if (weights[row][first] - weights[row][seen.at(-1)] < 0.08) {
    return [start, ` looks at ${seen.length} tokens about alike, with ${w(seen.at(-1))} to ${w(first)}.`];
  }
  const parts = [start, " looks at ", who(first), ` with ${w(first)}`];
  if (weights[row][second] >= 0.1) parts.push(", at ", who(second), ` with ${w(second)}`);
  const rest = seen.slice(weights[row][second] >= 0.1 ? 2 : 1).reduce((sum, j) => sum + weights[row][j], 0);
  if (rest >= 0.005) parts.push(`; ${number(rest)} is left for the others`);
  return [...parts, "."];
}

export const plain = (parts) => parts.map((part) => part.token ?? part).join("");

/** Puts such parts into a node. */
export const say = (node, parts) =>
  node.replaceChildren(...parts.map((part) => (part.token ? h("em", {}, part.token) : part)));
