// What is to be seen, in sentences: shown and spoken.

import { digits } from "../drawing/scale.js";
import { distance, law, MOMENTS, outlier } from "./ensemble.js";

const NAMES = {
  semicircle: "the semicircle law",
  quarter: "the quarter-circle law",
  disc: "the circular law",
  "marchenko-pastur": "the law of Marchenko and Pastur",
};
const ROOM = 0.05; // of the law's width: edges are not sharp for finite n
export const MATRIX = { symmetric: "a symmetric matrix", general: "a matrix that is not symmetric", product: "W Wᵀ" };

/** Counts and places: {within, largest, predicted, gap, law}. */
export function seen(state, { values }) {
  const shape = law(state);
  const room = ROOM * (shape.high - shape.low);
  const within = values.filter((x) => x >= shape.low - room && x <= shape.high + room).length;
  return {
    law: shape,
    within,
    largest: values.at(-1),
    smallest: values[0],
    predicted: outlier(state),
    gap: distance(values, shape),
  };
}

/** How the law's edges follow n. */
function growth({ form, divisor }) {
  const power = (form === "product" ? 2 : 1) - { none: 0, root: 1, full: 2 }[divisor]; // halves of an exponent of n
  if (power === 0) return "do not depend on n";
  return `${power > 0 ? "grow" : "shrink"} like ${power < 0 ? "1/" : ""}${["", "√n", "n"][Math.abs(power)]}`;
}

export function told(state, found) {
  const { law: shape, within, largest, predicted, gap } = found;
  const disc = shape.name === "disc";
  const n = state.n;
  const where = disc
    ? `the disc of radius ${digits(shape.high)} of ${NAMES.disc}`
    : `the support of ${NAMES[shape.name]}, from ${digits(shape.low)} to ${digits(shape.high)}`;
  const edges = growth(state);
  const first =
    `${within === n ? `All ${n}` : `${within} of the ${n}`} ${state.values} lie in ${where}, or within ` +
    `5\u00a0% of it; with this scaling its edges ${edges}.`;
  const apart =
    predicted === null
      ? ""
      : ` One stands apart at ${digits(largest, 4)}: the mean of the entries, μ = ` +
        `${digits(MOMENTS[state.entries][0])}, predicts ${digits(predicted, 4)}.`;
  return (
    `${first}${apart} The share of ${disc ? "eigenvalues of size r or less" : "values up to x"} differs from ` +
    `the law's by ${digits(gap, 2)} at most (Kolmogorov–Smirnov).`
  );
}

/** The formula of the predicted place. */
export function formula(state) {
  if (outlier(state) === null) return "";
  const by = { none: "", root: "/√n", full: "/n" }[state.divisor];
  if (state.form === "product") return `(nμ + σ²/μ)²${by}`;
  const text = state.form === "general" && state.values === "eigenvalues" ? "nμ" : "nμ + σ²/μ";
  return by && text.length > 2 ? `(${text})${by}` : `${text}${by}`;
}

export const heading = (state) =>
  `${state.values === "eigenvalues" ? "Eigenvalues" : "Singular values"} of ${MATRIX[state.form]}, n = ${state.n}`;
