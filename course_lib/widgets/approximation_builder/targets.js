// The functions to approximate: f(x) or f(x, y) on a box. `drawn` goes through control points at fixed places.

import { KNOTS } from "./address.js";

export const PLACES = Array.from({ length: KNOTS }, (_, k) => (2 * k) / (KNOTS - 1) - 1);

/** The polygon through the control points, as np.interp computes it. */
export function polygon(heights) {
  return (x) => {
    if (x >= 1) return heights[KNOTS - 1];
    if (x < -1) return heights[0];
    const j = Math.min(KNOTS - 2, Math.floor(((x + 1) * (KNOTS - 1)) / 2));
    return ((heights[j + 1] - heights[j]) / (PLACES[j + 1] - PLACES[j])) * (x - PLACES[j]) + heights[j];
  };
}

export const TARGETS = {
  sine: { name: "sin x", box: [[0, 2 * Math.PI]], f: Math.sin },
  step: { name: "½ + ½ tanh 6x, nearly a step", box: [[-1, 1]], f: (x) => 0.5 + 0.5 * Math.tanh(6 * x) },
  cusp: { name: "√|x|, a cusp", box: [[-1, 1]], f: (x) => Math.sqrt(Math.abs(x)) },
  drawn: { name: "a polygon: draw it", box: [[-1, 1]], f: null },
  bump: {
    name: "exp(−3(x² + y²)), in two dimensions",
    box: [
      [-1, 1],
      [-1, 1],
    ],
    f: (x, y) => Math.exp(-3 * (x * x + y * y)),
  },
};
export const targetOf = ({ target, heights }) =>
  target === "drawn" ? { ...TARGETS.drawn, f: polygon(heights) } : TARGETS[target];
