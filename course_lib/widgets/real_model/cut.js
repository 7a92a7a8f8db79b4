// What may be drawn: a distribution under a temperature, then only the k likeliest, then only the likeliest that have
// the share p together, as course_lib.decoding does it. A distribution is {top, rest} of ../sampling_bars/tempered.js:
// some pieces alone, all others in bins of equal ones.

import { tempered } from "../sampling_bars/tempered.js";

const ROUNDING = 1e-6; // a share that is missed by less is reached

/**
 * {shares of the pieces alone, 0 where they are cut; others: of all others; kept: how many pieces; before: shares
 * without cuts}.
 */
export function cut(next, { temperature, k, p }) {
  const { shares: before, others, count } = tempered(next, temperature);
  const free = k === null; // a k that is set is at most the number of pieces alone
  let kept = before.slice(0, free ? before.length : k);
  const whole = kept.reduce((a, b) => a + b, 0) + (free ? others : 0);
  let so = 0;
  kept = kept.filter((share) => {
    const in_ = p >= 1 || so < p * whole - ROUNDING;
    so += share;
    return in_;
  });
  const room = p >= 1 ? Infinity : p * whole - so;
  const more =
    free && kept.length === before.length && room > ROUNDING ? behind(next, temperature, room) : { count: 0, share: 0 };
  const total = kept.reduce((a, b) => a + b, 0) + more.share;
  return {
    shares: before.map((_, i) => (kept[i] ?? 0) / total),
    others: more.share / total,
    kept: kept.length + more.count,
    before,
    all: before.length + count,
  };
}

/** So many of the pieces in bins, the likeliest first, as reach the share `room` together. */
function behind({ top, rest }, T, room) {
  const weights = top.map(([, gap]) => Math.exp(-gap / T));
  const bins = rest.map((many, i) => [many, Math.exp(-((i + 0.5) * 0.25) / T)]);
  const total = weights.reduce((a, b) => a + b, 0) + bins.reduce((sum, [many, w]) => sum + many * w, 0);
  let count = 0;
  let share = 0;
  for (const [many, w] of bins) {
    const each = w / total;
    const wanted = room === Infinity || each === 0 ? many : Math.min(many, Math.ceil((room - share) / each - ROUNDING));
    if (room - share <= ROUNDING) break;
    count += wanted;
    share += wanted * each;
  }
  return { count, share };
}

/** The place of the piece that the number `u` from 0 to 1 draws; null for one of those in bins. */
export function drawnAt({ shares }, u) {
  let left = u;
  const at = shares.findIndex((share) => {
    left -= share;
    return left < 0;
  });
  return at < 0 ? null : at;
}
