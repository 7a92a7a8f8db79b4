// Spectrum's pure parts for tests/widgets/test_spectrum.py.

import { apart, bins, top } from "../../course_lib/widgets/spectrum/bins.js";
import { general, singular, symmetric } from "../../course_lib/widgets/spectrum/eigen.js";
import { law, MOMENTS } from "../../course_lib/widgets/spectrum/ensemble.js";
import { solve } from "../../course_lib/widgets/spectrum/solve.js";
import { formula, seen, told } from "../../course_lib/widgets/spectrum/words.js";
import { answers, finish, pieces } from "./answers.mjs";

const flat = (rows) => Float64Array.from(rows.flat());

await answers({
  symmetric: (rows) => symmetric(flat(rows), rows.length),
  singular: (rows) => singular(flat(rows), rows.length),
  general: (rows) => general(flat(rows), rows.length),
  law(state, xs) {
    const { name, low, high, density, cdf } = law(state);
    return { name, low, high, density: xs.map(density), cdf: xs.map(cdf) };
  },
  look(state) {
    const { values } = finish(solve(state));
    const found = seen(state, { values });
    const hist = bins(values, found.law);
    return {
      ...found,
      values,
      told: told(state, found),
      formula: formula(state),
      hist,
      top: top(hist, found.law),
    };
  },
  apart,
  moments: () => MOMENTS,
  pieces: (state) => pieces(solve(state)),
});
