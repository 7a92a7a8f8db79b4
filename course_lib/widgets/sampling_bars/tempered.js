// A recorded distribution at another temperature. A row holds the likeliest pieces with how far their logits lie below
// the first, and how many of all others lie in each quarter below it (studies/next_words.py).

import { number } from "../drawing/ui.js";

const BIN = 0.25;
export const DRAWS = 20;
export const OTHER = null; // a draw that is none of the pieces shown

/** {shares, others, count of others, places: e^entropy} of a row at temperature T. */
export function tempered({ top, rest }, T) {
  const weights = top.map(([, gap]) => Math.exp(-gap / T));
  const bins = rest.map((count, k) => [count, Math.exp(-((k + 0.5) * BIN) / T)]);
  const total = weights.reduce((a, b) => a + b, 0) + bins.reduce((sum, [count, w]) => sum + count * w, 0);
  const shares = weights.map((w) => w / total);
  const surprise = (w) => (w > 0 ? -(w / total) * Math.log(w / total) : 0);
  const entropy =
    weights.reduce((sum, w) => sum + surprise(w), 0) + bins.reduce((sum, [count, w]) => sum + count * surprise(w), 0);
  return {
    shares,
    others: Math.max(0, 1 - shares.reduce((a, b) => a + b, 0)),
    count: rest.reduce((a, b) => a + b, 0),
    places: Math.exp(entropy),
  };
}

/**
 * Twenty draws: places among the shares, or OTHER. The same numbers between 0 and 1 for a seed, whatever the
 * temperature.
 */
export function draws(shares, seed) {
  let state = (seed * 2654435761) >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0; // mulberry32
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return Array.from({ length: DRAWS }, () => {
    let left = random();
    const at = shares.findIndex((share) => {
      left -= share;
      return left < 0;
    });
    return at < 0 ? OTHER : at;
  });
}

/** A piece as it is shown: its leading space is the gap between words. */
export const shown = (piece) => (piece.trim() === "" ? "␣" : piece.startsWith(" ") ? piece.slice(1) : `+${piece}`);
export function percent(share) {
  if (share > 0 && share < 0.0005) return "<\u00a00.1\u00a0%";
  return share > 0.9995 && share < 1 ? ">\u00a099.9\u00a0%" : `${number(100 * share, 1)}\u00a0%`;
}

/** In sentences. */
export function told({ temperature, row }, { shares, others, places, count }, drawn) {
  const tally = new Map();
  for (const at of drawn) tally.set(at, (tally.get(at) ?? 0) + 1);
  const name = (at) => (at === OTHER ? "another piece" : `“${shown(row.top[at][0])}”`);
  const list = [...tally].sort((a, b) => b[1] - a[1]).map(([at, times]) => `${name(at)} ${times}\u00a0×`);
  const as =
    places < 1.05
      ? "as good as certain"
      : `as undecided as between ${places < 10 ? number(places, 1) : Math.round(places).toLocaleString("en")} ` +
        `equally likely pieces`;
  return (
    `At temperature ${number(temperature)} the likeliest is ${name(0)}, with ${percent(shares[0])}; the ` +
    `${count.toLocaleString("en")} pieces ` +
    `that are not shown have ${percent(others)} together. The model is ${as}. Drawn ${DRAWS} times: ${list.join(", ")}.`
  );
}
