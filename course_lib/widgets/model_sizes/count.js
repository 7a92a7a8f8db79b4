// The learnables of source R's model: the page's twin of course_lib.memoryless.shapes and count. Tests hold the two
// together.

import declared from "./settings.json" with { type: "json" };

export const SIZES = Object.keys(declared);
const GREEK = { gamma: "γ", beta: "β" };

/** The parts in the order in which a sequence meets them; `hue` is a colour of ui.css. */
export const PARTS = [
  { key: "words", name: "words", hue: "blue" },
  { key: "places", name: "places", hue: "blue" },
  { key: "attention", name: "attention", hue: "orange" },
  { key: "forward", name: "feed-forward", hue: "green" },
  { key: "norms", name: "two norms", hue: "purple" },
  { key: "readout", name: "read-out", hue: "soft" },
];

/**
 * Every learnable: its key in Python, its letter with index, its part, its stage, and its shape as rows and columns.
 */
export function learnables({ v, n, d, m, r }) {
  const matrix = (key, part, stage, rows, columns, vector = false) => {
    const [name, index = ""] = key.split("_");
    return { key, letter: GREEK[name] ?? name, index, part, stage, rows, columns, vector, count: rows * columns };
  };
  const row = (key, part, stage, columns) => matrix(key, part, stage, 1, columns, true);
  return [
    matrix("E", "words", 0, v + 1, d),
    matrix("P", "places", 0, n, d),
    matrix("W_Q", "attention", 1, d, m),
    row("w_q", "attention", 1, m),
    matrix("W_K", "attention", 1, d, m),
    row("w_k", "attention", 1, m),
    matrix("W_V", "attention", 1, d, m),
    row("w_v", "attention", 1, m),
    matrix("W_O", "attention", 1, m, d),
    row("w_o", "attention", 1, d),
    row("gamma_1", "norms", 2, d),
    row("beta_1", "norms", 2, d),
    matrix("W_1", "forward", 3, d, r),
    row("w_1", "forward", 3, r),
    matrix("W_2", "forward", 3, r, d),
    row("w_2", "forward", 3, d),
    row("gamma_2", "norms", 4, d),
    row("beta_2", "norms", 4, d),
    matrix("W_3", "readout", 5, d, v),
    row("w_3", "readout", 5, v),
  ];
}

const total = (list) => list.reduce((sum, each) => sum + each.count, 0);

export const count = (sizes) => total(learnables(sizes));

/** How many of a learnable's numbers never get a gradient: all of w_k, the last row of E, nothing else. */
export const untrained = ({ key, columns }) => (key === "w_k" || key === "E" ? columns : 0);

export const idle = (sizes) => learnables(sizes).reduce((all, each) => all + untrained(each), 0);

/** [{key, name, hue, count, share}], in the order of PARTS. */
export function shares(sizes) {
  const all = learnables(sizes);
  const sum = total(all);
  return PARTS.map((part) => {
    const mine = total(all.filter((each) => each.part === part.key));
    return { ...part, count: mine, share: mine / sum };
  });
}

/** The first row of the tables with these sizes, -1 where there is none; a row is [v, n, d, m, r, printed count]. */
export const rowOf = (sizes, rows) => rows.findIndex((row) => SIZES.every((name, i) => row[i] === sizes[name]));

/** In how many rows the printed count is the one computed here. */
export const agreeing = (rows) =>
  rows.filter((row) => count(Object.fromEntries(SIZES.map((name, i) => [name, row[i]]))) === row[5]).length;
