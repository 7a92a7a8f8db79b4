// What the marker stands on, and where each field is lowest and highest, in words: shown and spoken.

import { digits } from "../drawing/scale.js";

/** [row, column] of the lowest height, and of the highest. */
export function extremes(z) {
  let low = null;
  let high = null;
  z.forEach((row, i) =>
    row.forEach((value, j) => {
      if (value === null) return;
      if (!low || value < z[low[0]][low[1]]) low = [i, j];
      if (!high || value > z[high[0]][high[1]]) high = [i, j];
    }),
  );
  return { low, high };
}

const at = ({ x, y, xName, yName }, [i, j]) => `${xName} = ${digits(x[j])}, ${yName} = ${digits(y[i])}`;
const told = (value) => (value === null ? "no height" : digits(value));

/** "At α = 0.5, β = 0: loss 2.31 with skip, 0.02 without skip." */
export function markerWords(data, zName, marker) {
  const heights = data.fields.map(({ name, z }) => `${told(z[marker[0]][marker[1]])}${name && ` ${name}`}`);
  return `At ${at(data, marker)}: ${zName} ${heights.join(", ")}.`;
}

export function rangeWords(data, zName) {
  return data.fields
    .map(({ name, z }) => {
      const { low, high } = extremes(z);
      const start = name
        ? `${name[0].toUpperCase()}${name.slice(1)}: ${zName}`
        : `${zName[0].toUpperCase()}${zName.slice(1)}`;
      return (
        `${start} from ${digits(z[low[0]][low[1]])} at ${at(data, low)} to ${digits(z[high[0]][high[1]])} at ` +
        `${at(data, high)}.`
      );
    })
    .join(" ");
}
