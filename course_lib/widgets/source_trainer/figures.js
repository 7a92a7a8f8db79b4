// The six figures of the trainer, drawn from one frame.

import { h, number } from "../drawing/ui.js";
import { bars } from "./bars.js";
import { chart } from "./chart.js";
import { attentionMap } from "./map.js";
import { transitions } from "./source.js";
import { chosen, limit, nats, points } from "./words.js";

const counted = (x) => x.toLocaleString("en");
const powers = (low, high, text) =>
  Array.from({ length: high - low + 1 }, (_, i) => [10 ** (low + i), text(10 ** (low + i))]);
const decades = (low) => ({ low, high: 100, log: true, marks: powers(Math.log10(low), 2, String) });
const updatesFromOne = (updates) => ({
  low: 1,
  high: Math.max(2, updates),
  log: true,
  marks: powers(0, Math.floor(Math.log10(updates)), counted),
  name: "update (logarithmic)",
});

/** The loss's axis and the lines that it may reach. */
function lossScale({ p, stickiness }, best) {
  const low = Math.max(0, best.rate - 0.4);
  const high = Math.max(best.plain, Math.log(p.length)) + 0.3;
  const apart = high - low > 1.2 ? 0.4 : 0.2;
  const first = Math.ceil(low / apart - 1e-9);
  const ticks = Array.from({ length: Math.floor(high / apart) - first + 1 }, (_, i) => (first + i) * apart);
  const y = { low, high, marks: ticks.map((value) => [value, number(value, 1)]) };
  const twoLines = stickiness !== null && Math.abs(best.plain - best.rate) >= 0.02 * (high - low);
  if (!twoLines) return { y, marked: [[best.rate, `H(p) ${nats(best.rate)}`, "best"]] };
  const plain = [best.plain, `H(p) ${nats(best.plain)}, order ignored`, "plain"];
  return { y, marked: [plain, [best.rate, `entropy rate ${nats(best.rate)}`, "best", true]] };
}

export function figures() {
  const loss = chart({ title: "Loss", unit: "nats a target", kinds: ["smooth"], band: true });
  const error = chart({ title: "Error max|p − q|", unit: "percentage points", kinds: ["limit", "error", "averaged"] });
  const lengths = chart({
    title: "Mean length of a row",
    unit: "of X, and of Y, which attention adds",
    kinds: ["X", "Y"],
  });
  const excess = chart({ title: "Excess over H(p)", unit: "thousandths of a nat", kinds: ["limit", "error"] });
  const shares = bars();
  const map = attentionMap();
  const first = [loss.el, shares.el, error.el];
  const rest = h("div", { class: "stn-figures" }, ...[excess, lengths, map].map(({ el }) => el));
  for (const each of [...first, rest]) each.hidden = true;

  function drawLoss({ frame, settings, best }) {
    const { updates } = settings;
    const { curve, step } = frame;
    const { y, marked } = lossScale(settings, best);
    const marks = [0, updates / 2, updates].map((value) => [value, counted(value)]);
    const seen = curve.length
      ? `Loss over ${step} updates: the last 100 average ${nats(curve.at(-1)[4])} nats.`
      : "Loss: no update yet.";
    loss.draw({
      x: { low: 0, high: updates, marks, name: "update" },
      y,
      series: { smooth: curve.map(([step, , , , smooth]) => [step, smooth]) },
      area: curve.map(([step, least, , most]) => [step, least, most]),
      marked,
      names: { smooth: "mean of the last 100 updates", band: "batches, least to largest" },
      words: `${seen} ${marked.map(([, text]) => text).join("; ")}.`,
    });
  }

  function drawError({ frame, settings, now }) {
    const { updates, batch, sequences, average, stickiness } = settings;
    const { errors, step, seen, targets } = frame;
    const shown = (share) => Math.max(0.1, 100 * share);
    const counting = (step) => limit(frame, Math.min(step * batch, sequences ?? Infinity));
    const steps = Array.from({ length: 60 }, (_, i) => updates ** (i / 59));
    const averaged = average === null ? [] : errors;
    error.draw({
      x: updatesFromOne(updates),
      y: decades(0.1),
      series: {
        limit: steps.map((step) => [step, shown(counting(step))]),
        error: errors.map(([step, , last]) => [step, shown(last)]),
        averaged: averaged.map(([step, , , mean]) => [step, shown(mean)]),
      },
      names: { error: "model", ...(average === null ? {} : { averaged: "averaged model" }), limit: "counting limit" },
      note:
        `Counting limit: the error to expect of who only counts the targets seen so far` +
        `${stickiness === null ? "" : ", for each last token apart"}.`,
      words: step
        ? `Error: ${points(now.error)} percentage points at update ${seen.step}; counting would leave about ` +
          `${points(limit(frame, targets))}.`
        : "Error: no update yet.",
    });
  }

  // The law is about a source without memory: it says nothing about what a chain's order has still to teach.
  function drawExcess({ frame: { exact, step }, settings: { updates, stickiness }, best }) {
    excess.el.hidden = stickiness !== null;
    if (stickiness !== null) return;
    const shown = (nats) => Math.min(1000, Math.max(0.1, 1000 * nats));
    const laws = exact.filter(([, , law]) => Number.isFinite(law ?? Number.NaN));
    const [at, loss, law] = laws.at(-1) ?? [];
    const told = laws.length ? [1000 * Math.max(0, loss - best.plain), 1000 * law].map((x) => number(x, 2)) : [];
    excess.draw({
      x: updatesFromOne(updates),
      y: { low: 0.1, high: 1000, log: true, marks: powers(-1, 3, String) },
      series: {
        limit: laws.map(([step, , law]) => [step, shown(law)]),
        error: exact
          .filter(([, loss]) => Number.isFinite(loss))
          .map(([step, loss]) => [step, shown(loss - best.plain)]),
      },
      names: { error: "model, not averaged", limit: "law of the walk" },
      note: "Law: what a model whose logits are linear would waver by at this rate, batch and gain.",
      words: step
        ? `Excess at update ${at}: ${told[0]} thousandths of a nat; the law says ${told[1]}.`
        : "Excess: no update yet.",
    });
  }

  function drawLengths({ frame, settings }) {
    const [X, Y] = [frame.seen.X, frame.seen.Y].map((length) => number(length, 3));
    const { errors } = frame;
    lengths.draw({
      x: updatesFromOne(settings.updates),
      y: decades(0.01),
      series: { X: errors.map(([step, , , , X]) => [step, X]), Y: errors.map(([step, , , , , Y]) => [step, Y]) },
      names: { X: "X", Y: "Y (source R's A_O)" },
      note: `Now ${X} for X and ${Y} for Y.`,
      words: `Mean length of a row: ${X} for X, ${Y} for Y, in the sequence of the map.`,
    });
  }

  function drawShares({ settings: { p, stickiness, average }, now }) {
    const P = transitions(p, stickiness);
    const widest = Math.max(...now.high.map((top, i) => top - now.low[i]));
    const whose = average === null ? "q" : "q of the averaged model";
    const tell = (row) => row.map((share) => number(100 * share, 1)).join(", ");
    if (stickiness === null)
      shares.draw({
        heading: `Prediction ${whose} and source p, in %`,
        rows: [{ p, q: now.q, low: now.low, high: now.high }],
        note: `Mean over 64 inputs; the thin line is the range over them, ${points(widest)} points at most.`,
        words: `p ${tell(p)} percent; q ${tell(now.q)} percent.`,
      });
    else
      shares.draw({
        heading: `Prediction ${whose} after each last token`,
        rows: P.map((row, k) => ({ p: row, q: now.after[k] })),
        note: "Mean over 8 inputs that end in that token; p is the chain's row.",
        words: P.map((row, k) => `After token ${k}: p ${tell(row)} percent, q ${tell(now.after[k])} percent.`).join(
          " ",
        ),
      });
  }

  /** state: {frame, settings, best: the source's exact losses, theme}. */
  function draw(state) {
    const { frame, settings, theme } = state;
    const now = chosen(frame, settings.average);
    for (const each of [...first, rest]) each.hidden = false;
    drawLoss(state);
    drawError({ ...state, now });
    drawExcess(state);
    drawLengths(state);
    drawShares({ ...state, now });
    map.draw({ A: frame.seen.A, n: settings.n, theme });
  }
  return { first, rest, draw };
}
