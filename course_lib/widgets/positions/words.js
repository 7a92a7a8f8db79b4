// What the widget shows, in words.

import { number } from "../drawing/ui.js";
import { bit, speed } from "./encode.js";

const many = (count, one, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;

/** The number in binary digits, the greatest first, as it is written on paper. */
export const binary = (p) => p.toString(2);

/**
 * The least distance at which the dot product is larger than one step before, looking where there is more room; null if
 * it only falls.
 */
export function rise(dots, p) {
  const step = p < dots.length - 1 - p ? 1 : -1;
  for (let k = 2; dots[p + step * k] !== undefined; k++)
    if (dots[p + step * k] > dots[p + step * (k - 1)] + 1e-9) return k;
  return null;
}

const plainly = (x) => (x >= 100 ? number(x, 0) : x >= 10 ? number(x, 1) : number(x, 2));

function sinusoids(state) {
  const { position, pair, n, d, dots } = state;
  const w = speed(state, pair);
  const degrees = (w * 180) / Math.PI;
  const turn = degrees < 0.005 ? "less than 0.01°" : `${plainly(degrees)}°`;
  const clock =
    `Pair ${pair} turns by ${turn} from each position to the next and is round after ` +
    `${plainly((2 * Math.PI) / w)} positions.`;
  const next = position + 1 < n ? position + 1 : position - 1;
  const near =
    `The dot product of position ${position} with itself is ${d / 2}, with ${next} it is ` +
    `${number(dots[next])}, and it depends on the distance alone.`;
  const back = rise(dots, position);
  const falls =
    back === null ? "Here it only falls with the distance." : `It does not only fall: at distance ${back} it rises.`;
  return `${clock} ${near} ${falls}`;
}

function bits(state) {
  const { position, pair, n, d } = state;
  const next = position + 1 < n ? position + 1 : position - 1;
  const changed = Array.from({ length: d }, (_, i) => i).filter((i) => bit(position, i) !== bit(next, i)).length;
  const cut =
    position >= 2 ** d
      ? ` Its ${many(d, "bit")} hold only what is left after taking away ${2 ** d} as often as possible: another ` +
        `position has the same row.`
      : "";
  return (
    `Position ${position} is ${binary(position)} in binary.${cut} Bit ${pair} stands for ${2 ** pair}; it is ` +
    `${bit(position, pair)} and changes every ${pair === 0 ? "time" : `${2 ** pair} positions`}. ` +
    `From ${position} to its neighbour ${next}, ${many(changed, "bit changes", "bits change")}.`
  );
}

export const words = (state) => (state.kind === "binary" ? bits(state) : sinusoids(state));
