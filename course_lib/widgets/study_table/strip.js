// One configuration as a strip: our models as dots on a band from their first to their third quartile, the published error on top.

import { number } from "../drawing/ui.js";
import * as comparison from "../shell/comparison.js";
import { across, quantile, ticks } from "./rows.js";

const at = (most) => comparison.inset(0.03, (error) => across(error, most));

export function picture(row, reading, most) {
  const ours = row.ours[reading];
  const [low, median, high] = [0.25, 0.5, 0.75].map((part) => quantile(ours, part));
  return comparison.strip({
    at: at(most),
    height: 22,
    label: `published ${number(row.published)}; ours from ${number(ours[0])} to ${number(ours.at(-1))}, median ${number(median)}`,
    ground: [
      ...ticks(most).map((tick) => ({ line: tick, class: "cmp-grid" })),
      { band: [low, high], class: "sty-band", y: 4, height: 14, rx: 3 },
    ],
    dots: ours,
    r: 2.6,
    middle: median,
    published: row.published,
  });
}

export const axis = (most) => comparison.axis({ at: at(most), height: 16, ticks: ticks(most) });
