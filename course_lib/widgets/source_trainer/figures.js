// The five figures of the trainer, drawn from one frame.

import { h, number } from "../drawing/ui.js";
import { bars } from "./bars.js";
import { chart } from "./chart.js";
import { attentionMap } from "./map.js";
import { transitions } from "./source.js";
import { chosen, limit, nats, points } from "./words.js";

const powers = (low, high, text) => Array.from({ length: high - low + 1 }, (_, i) => [10 ** (low + i), text(10 ** (low + i))]);
const near = (lines) => lines.length === 2 && Math.abs(lines[0] - lines[1]);

export function figures() {
  const loss = chart({ title: "Loss", unit: "nats a target", kinds: ["smooth"], band: true });
  const error = chart({ title: "Error max|p − q|", unit: "percentage points", kinds: ["limit", "error", "averaged"] });
  const lengths = chart({ title: "Mean length of a row", unit: "of X, and of Y, which attention adds", kinds: ["X", "Y"] });
  const shares = bars();
  const map = attentionMap();
  const el = h(
    "div",
    { class: "stn-figures" },
    h("div", { class: "stn-column" }, loss.el, error.el),
    h("div", { class: "stn-column" }, shares.el, lengths.el),
    map.el,
  );

  function draw({ frame, settings, best, theme }) {
    const { p, stickiness, updates, n, batch, sequences, average } = settings;
    const chain = stickiness !== null;
    const now = chosen(frame, average);
    const { curve, errors } = frame;
    const scope = {
      low: 0,
      high: updates,
      marks: [
        [0, "0"],
        [updates / 2, (updates / 2).toLocaleString("en")],
        [updates, updates.toLocaleString("en")],
      ],
    };
    const low = Math.max(0, best.rate - 0.4);
    const high = Math.max(best.plain, Math.log(p.length)) + 0.3;
    const apart = high - low > 1.2 ? 0.4 : 0.2;
    const first = Math.ceil(low / apart - 1e-9);
    const ticks = Array.from({ length: Math.floor(high / apart) - first + 1 }, (_, i) => [
      (first + i) * apart,
      number((first + i) * apart, 1),
    ]);
    const flat = chain && near([best.plain, best.rate]) < 0.02 * (high - low);
    const marked =
      chain && !flat
        ? [
            [best.plain, `H(p) ${nats(best.plain)}, order ignored`, "plain"],
            [best.rate, `entropy rate ${nats(best.rate)}`, "best", true],
          ]
        : [[best.rate, `H(p) ${nats(best.rate)}`, "best"]];
    loss.draw({
      x: scope,
      y: { low, high, marks: ticks },
      series: { smooth: curve.map(([step, , , , smooth]) => [step, smooth]) },
      area: curve.map(([step, least, , most]) => [step, least, most]),
      marked,
      names: { smooth: "mean of the last 100 updates", band: "batches, least to largest" },
      words: curve.length
        ? `Loss over ${frame.step} updates: the last 100 average ${nats(curve.at(-1)[4])} nats. ${marked.map(([, text]) => text).join("; ")}.`
        : `Loss: no update yet. ${marked.map(([, text]) => text).join("; ")}.`,
    });

    const shown = (share) => Math.max(0.1, 100 * share);
    const seen = (step) => Math.min(step * batch, sequences ?? Infinity);
    const steps = Array.from({ length: 60 }, (_, i) => updates ** (i / 59));
    error.draw({
      x: {
        low: 1,
        high: Math.max(2, updates),
        log: true,
        marks: powers(0, Math.floor(Math.log10(updates)), (x) => x.toLocaleString("en")),
      },
      y: {
        low: 0.1,
        high: 100,
        log: true,
        marks: [
          [0.1, "0.1"],
          [1, "1"],
          [10, "10"],
          [100, "100"],
        ],
      },
      series: {
        limit: steps.map((step) => [step, shown(limit(frame, seen(step)))]),
        error: errors.map(([step, , last]) => [step, shown(last)]),
        averaged: average === null ? [] : errors.map(([step, , , mean]) => [step, shown(mean)]),
      },
      names: { error: "model", ...(average === null ? {} : { averaged: "averaged model" }), limit: "counting limit" },
      note: `Counting limit: the error to expect of who only counts the targets seen so far${chain ? ", for each last token apart" : ""}.`,
      words: frame.step
        ? `Error: ${points(now.error)} percentage points at update ${frame.seen.step}; counting would leave about ${points(limit(frame, frame.targets))}.`
        : "Error: no update yet.",
    });

    lengths.draw({
      x: {
        low: 1,
        high: Math.max(2, updates),
        log: true,
        marks: powers(0, Math.floor(Math.log10(updates)), (x) => x.toLocaleString("en")),
      },
      y: {
        low: 0.01,
        high: 100,
        log: true,
        marks: [
          [0.01, "0.01"],
          [0.1, "0.1"],
          [1, "1"],
          [10, "10"],
          [100, "100"],
        ],
      },
      series: { X: errors.map(([step, , , , X]) => [step, X]), Y: errors.map(([step, , , , , Y]) => [step, Y]) },
      names: { X: "X", Y: "Y (source R's A_O)" },
      note: `Now ${number(frame.seen.X, 3)} for X and ${number(frame.seen.Y, 3)} for Y.`,
      words: `Mean length of a row: ${number(frame.seen.X, 3)} for X, ${number(frame.seen.Y, 3)} for Y, in the sequence of the map.`,
    });

    const P = transitions(p, stickiness);
    const widest = Math.max(...now.high.map((top, i) => top - now.low[i]));
    const whose = average === null ? "q" : "q of the averaged model";
    const tell = (row) => row.map((share) => number(100 * share, 1)).join(", ");
    if (chain)
      shares.draw({
        heading: `Prediction ${whose} after each last token`,
        rows: P.map((row, k) => ({ p: row, q: now.after[k] })),
        note: "Mean over 8 inputs that end in that token; p is the chain's row.",
        words: P.map((row, k) => `After token ${k}: p ${tell(row)} percent, q ${tell(now.after[k])} percent.`).join(" "),
      });
    else
      shares.draw({
        heading: `Prediction ${whose} and source p, in %`,
        rows: [{ p, q: now.q, low: now.low, high: now.high }],
        note: `Mean over 64 inputs; the thin line is the range over them, ${points(widest)} points at most.`,
        words: `p ${tell(p)} percent; q ${tell(now.q)} percent.`,
      });
    map.draw({ A: frame.seen.A, n, theme });
  }
  return { el, draw };
}
