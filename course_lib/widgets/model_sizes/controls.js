// Five sliders that go from one customary size to the next, and the menu of the printed rows.

import { h, setAttr, slider } from "../drawing/ui.js";
import { SIZES } from "./count.js";
import { place } from "./words.js";

export const LARGEST = { v: 64, n: 512, d: 512, m: 512, r: 2048 };
const FINE = [
  1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448,
  512, 640, 768, 1024, 1536, 2048,
];
const NAMES = { v: "words", n: "sequence length", d: "embedding width", m: "attention width", r: "feed-forward width" };

export const stops = (name) => FINE.filter((x) => x <= LARGEST[name]);

/** The stop next to x: where the slider's thumb stands for a size that Python set between two stops. */
export const nearest = (list, x) => list.reduce((best, stop, i) => (Math.abs(stop - x) < Math.abs(list[best] - x) ? i : best), 0);

export function controls({ rows, change, get }) {
  const dials = Object.fromEntries(
    SIZES.map((name) => {
      const list = stops(name);
      const format = (i) => String(i === nearest(list, get(name)) ? get(name) : list[i]);
      return [
        name,
        {
          list,
          ...slider({
            label: [`${NAMES[name]} `, h("i", {}, name)],
            min: 0,
            max: list.length - 1,
            step: 1,
            value: nearest(list, get(name)),
            format,
            oninput: (i) => change({ [name]: list[i] }),
          }),
        },
      ];
    }),
  );
  const tables = [3, 4, 5].map((table) =>
    h(
      "optgroup",
      { label: `Table ${table}: ${2 ** (table - 2)} words` },
      ...rows.flatMap(([, n, d, m, r], i) =>
        place(i).table === table ? [h("option", { value: i }, `n ${n}, d ${d}, m ${m}, r ${r}`)] : [],
      ),
    ),
  );
  const pick = h(
    "select",
    {
      onchange() {
        if (pick.value !== "") change(Object.fromEntries(SIZES.map((name, i) => [name, rows[Number(pick.value)][i]])));
      },
    },
    h("option", { value: "" }, "sizes of your own"),
    ...tables,
  );
  const el = h(
    "div",
    { class: "siz-controls" },
    h("label", { class: "siz-pick" }, h("span", {}, "a printed row"), pick),
    ...SIZES.map((name) => dials[name].el),
  );
  function draw(sizes, row) {
    for (const name of SIZES) {
      dials[name].set(nearest(dials[name].list, sizes[name]));
      setAttr(dials[name].input, "aria-label", `${NAMES[name]} ${name}`);
    }
    pick.value = row < 0 ? "" : String(row);
  }
  return { el, draw };
}
