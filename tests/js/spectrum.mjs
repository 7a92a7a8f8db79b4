// Spectrum's pure parts for tests/widgets/test_spectrum.py: reads questions from standard input, one list of arguments each, and answers them.

import { readFileSync } from "node:fs";
import { CODECS, SIZES } from "../../course_lib/widgets/spectrum/address.js";
import { apart, bins, top } from "../../course_lib/widgets/spectrum/bins.js";
import { general, singular, symmetric } from "../../course_lib/widgets/spectrum/eigen.js";
import { DIVISORS, draw, FORMS, law, MOMENTS, VALUES } from "../../course_lib/widgets/spectrum/ensemble.js";
import { solve } from "../../course_lib/widgets/spectrum/solve.js";
import { formula, heading, seen, told } from "../../course_lib/widgets/spectrum/words.js";

const finish = (work) => {
  for (;;) {
    const { value, done } = work.next();
    if (done) return value;
  }
};
const flat = (rows) => Float64Array.from(rows.flat());
const pair = ({ re, im }) => ({ re: [...re], im: [...im] });

const answer = {
  symmetric: (rows) => [...finish(symmetric(flat(rows), rows.length))],
  singular: (rows) => [...finish(singular(flat(rows), rows.length))],
  general: (rows) => pair(finish(general(flat(rows), rows.length))),
  draw: (state) => [...draw(state)],
  law(state, xs) {
    const { name, low, high, density, cdf } = law(state);
    return { name, low, high, density: xs.map(density), cdf: xs.map(cdf) };
  },
  look(state) {
    const { values, points } = finish(solve(state));
    const found = seen(state, { values });
    const hist = bins(values, found.law);
    return {
      values: [...values],
      points: points && pair(points),
      ...found,
      told: told(state, found),
      formula: formula(state),
      heading: heading(state),
      hist,
      top: top(hist, found.law),
    };
  },
  apart,
  constants: () => ({ MOMENTS, FORMS, DIVISORS, VALUES, SIZES }),
  written: (name, value) => CODECS[name].write(value),
  linked: (name, text) => CODECS[name].read(text),
  pieces(state) {
    const work = solve(state);
    let count = 0;
    while (!work.next().done) count++;
    return count;
  },
};
const questions = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(questions.map(([name, ...rest]) => answer[name](...rest))));
