// Five sliders that go from one customary size to the next, and the menu of the printed rows.

import { h, setAttr, slider } from "../drawing/ui.js";
import { SIZES } from "./count.js";
import declared from "./settings.json" with { type: "json" };
import { place } from "./words.js";

const FINE = [
  1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320,
  384, 448, 512, 640, 768, 1024, 1536, 2048,
];
export const stops = (name) => FINE.filter((x) => x <= declared[name].takes[1]);

/** The stop next to x: where the slider's thumb stands for a size that Python set between two stops. */
export const nearest = (list, x) =>
  list.reduce((best, stop, i) => (Math.abs(stop - x) < Math.abs(list[best] - x) ? i : best), 0);

export function controls({ rows, change, get }) {
  const dials = SIZES.map((name) => {
    const list = stops(name);
    const dial = slider({
      label: [`${declared[name].means} `, h("i", {}, name)],
      min: 0,
      max: list.length - 1,
      step: 1,
      value: nearest(list, get(name)),
      format: (i) => String(i === nearest(list, get(name)) ? get(name) : list[i]),
      oninput: (i) => change({ [name]: list[i] }),
    });
    setAttr(dial.input, "aria-label", `${declared[name].means} ${name}`);
    return { el: dial.el, draw: (size) => dial.set(nearest(list, size)) };
  });
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
    ...dials.map(({ el }) => el),
  );
  function draw(sizes, row) {
    SIZES.forEach((name, i) => dials[i].draw(sizes[name]));
    pick.value = row < 0 ? "" : String(row);
  }
  return { el, draw };
}
