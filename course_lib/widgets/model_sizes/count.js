// The learnables of source R's model: the page's twin of course_lib.memoryless.shapes and count. Tests hold the two together.

export const SIZES = ["v", "n", "d", "m", "r"];

/** The parts in the order in which a sequence meets them; `hue` is a colour of ui.css. */
export const PARTS = [
  { key: "words", name: "words", hue: "blue" },
  { key: "places", name: "places", hue: "blue" },
  { key: "attention", name: "attention", hue: "orange" },
  { key: "forward", name: "feed-forward", hue: "green" },
  { key: "norms", name: "two norms", hue: "purple" },
  { key: "readout", name: "read-out", hue: "soft" },
];

/** Every learnable: its key in Python, its letter with index, its part, its stage, and its shape as rows and columns. */
export function learnables({ v, n, d, m, r }) {
  const row = (key, letter, index, part, stage, rows, columns) => ({
    key,
    letter,
    index,
    part,
    stage,
    rows,
    columns,
    count: rows * columns,
  });
  const vector = (key, letter, index, part, stage, columns) => ({
    ...row(key, letter, index, part, stage, 1, columns),
    vector: true,
  });
  return [
    row("E", "E", "", "words", 0, v + 1, d),
    row("P", "P", "", "places", 0, n, d),
    row("W_Q", "W", "Q", "attention", 1, d, m),
    vector("w_q", "w", "q", "attention", 1, m),
    row("W_K", "W", "K", "attention", 1, d, m),
    vector("w_k", "w", "k", "attention", 1, m),
    row("W_V", "W", "V", "attention", 1, d, m),
    vector("w_v", "w", "v", "attention", 1, m),
    row("W_O", "W", "O", "attention", 1, m, d),
    vector("w_o", "w", "o", "attention", 1, d),
    vector("gamma_1", "γ", "1", "norms", 2, d),
    vector("beta_1", "β", "1", "norms", 2, d),
    row("W_1", "W", "1", "forward", 3, d, r),
    vector("w_1", "w", "1", "forward", 3, r),
    row("W_2", "W", "2", "forward", 3, r, d),
    vector("w_2", "w", "2", "forward", 3, d),
    vector("gamma_2", "γ", "2", "norms", 4, d),
    vector("beta_2", "β", "2", "norms", 4, d),
    row("W_3", "W", "3", "readout", 5, d, v),
    vector("w_3", "w", "3", "readout", 5, v),
  ];
}

const total = (list) => list.reduce((sum, each) => sum + each.count, 0);

export const count = (sizes) => total(learnables(sizes));

/** How many of a learnable's numbers never get a gradient: all of w_k, the last row of E, nothing else. */
export const untrained = ({ key, columns }) => (key === "w_k" || key === "E" ? columns : 0);

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
