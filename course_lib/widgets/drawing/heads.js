// The heads of a layer of the plane, each two 2 × 2 matrices: how many there are, and for each matrix a menu of presets
// and its numbers. A head is [S, M]: S = W_Q W_Kᵀ, M = W_V W_O.

import { choice, h } from "./ui.js";

const IDENTITY = [
  [1, 0],
  [0, 1],
];
export const PRESETS = {
  identity: IDENTITY,
  "minus identity": [
    [-1, 0],
    [0, -1],
  ],
  "quarter turn": [
    [0, 1],
    [-1, 0],
  ],
  "first coordinate": [
    [1, 0],
    [0, 0],
  ],
  zero: [
    [0, 0],
    [0, 0],
  ],
};
const OWN = "own numbers";
const same = (A, B) => A.every((row, i) => row.every((a, j) => a === B[i][j]));
export const presetOf = (A) => Object.keys(PRESETS).find((name) => same(PRESETS[name], A)) ?? OWN;
const ADDED = [
  IDENTITY,
  [
    [0, 0.5],
    [-0.5, 0],
  ],
]; // a head that is asked for anew

/** One 2 × 2 matrix: a menu of presets and its four numbers. give(matrix). */
function matrix(names, spoken, range, read, give) {
  const menu = h(
    "select",
    {
      "aria-label": `${spoken}: preset`,
      onchange: () => {
        if (menu.value in PRESETS) give(PRESETS[menu.value]);
      },
    },
    ...Object.keys(PRESETS).map((name) => h("option", { value: name }, name)),
    h("option", { value: OWN, disabled: true }, OWN),
  );
  const fields = [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ].map(([i, j]) => {
    const field = h("input", {
      type: "number",
      min: range[0],
      max: range[1],
      step: 0.1,
      "aria-label": `${spoken}: row ${i + 1}, column ${j + 1}`,
      oninput() {
        const value = Number(field.value);
        if (field.value !== "" && value >= range[0] && value <= range[1])
          give(read().map((row, a) => row.map((old, b) => (a === i && b === j ? value : old))));
      },
      onchange: () => set(read(), true),
    });
    return { field, i, j };
  });
  function set(A, forced = false) {
    menu.value = presetOf(A);
    for (const { field, i, j } of fields)
      if (forced || document.activeElement !== field) field.value = Number(A[i][j].toFixed(4));
  }
  return {
    el: h(
      "div",
      { class: "course-matrix" },
      h("span", { class: "course-matrix-name" }, ...names),
      menu,
      h("div", { class: "course-entries" }, ...fields.map(({ field }) => field)),
    ),
    set,
  };
}

const sub = (letter, below) => [h("i", {}, letter), h("sub", {}, below)];

/**
 * get(): the settings, with heads; change(part); range: of an entry; most: heads at most. Returns {count, list,
 * draw(heads)}.
 */
export function headsEditor({ get, change, range, most }) {
  const count = choice({
    legend: "Number of heads",
    value: "1",
    options: Array.from({ length: most }, (_, i) => ({ value: String(i + 1), label: i ? `${i + 1} heads` : "1 head" })),
    oninput(value) {
      const now = get().heads;
      change({ heads: Array.from({ length: Number(value) }, (_, k) => now[k] ?? ADDED) });
    },
  });
  const rows = Array.from({ length: most }, (_, k) => {
    const read = (which) => () => get().heads[k]?.[which] ?? IDENTITY;
    const give = (which) => (A) =>
      change({ heads: get().heads.map((head, i) => (i === k ? head.map((old, w) => (w === which ? A : old)) : head)) });
    const S = matrix(
      [...sub("W", "Q"), " ", ...sub("W", "K"), h("sup", {}, "T")],
      `Head ${k + 1}, scores, W Q times W K transposed`,
      range,
      read(0),
      give(0),
    );
    const M = matrix(
      [...sub("W", "V"), " ", ...sub("W", "O")],
      `Head ${k + 1}, values, W V times W O`,
      range,
      read(1),
      give(1),
    );
    return { el: h("div", { class: "course-head" }, h("b", {}, `head ${k + 1}`), S.el, M.el), S, M };
  });
  function draw(heads) {
    count.set(String(heads.length));
    rows.forEach(({ el, S, M }, k) => {
      el.hidden = k >= heads.length;
      if (el.hidden) return;
      S.set(heads[k][0]);
      M.set(heads[k][1]);
    });
  }
  return { count: count.el, list: h("div", { class: "course-heads" }, ...rows.map(({ el }) => el)), draw };
}
