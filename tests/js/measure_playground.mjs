// MeasurePlayground's pure parts for tests/widgets/test_measure_playground.py: reads questions from standard input, one list of arguments each, and answers them.

import { readFileSync } from "node:fs";
import { Generator } from "../../course_lib/widgets/runtime/random.js";
import { CODECS, HEADS, RANGES, TOKENS } from "../../course_lib/widgets/measure_playground/address.js";
import { hermite } from "../../course_lib/widgets/measure_playground/hermite.js";
import {
  apart,
  flow,
  gamma,
  grid,
  measure,
  moments,
  nodesPerAxis,
  quadrature,
  quadratureError,
} from "../../course_lib/widgets/measure_playground/measure.js";
import { extentFor, heavier } from "../../course_lib/widgets/measure_playground/plane.js";
import { LAYERS, layerOf, MEASURES, measureOf } from "../../course_lib/widgets/measure_playground/presets.js";
import { COUNTS, DRAWS, drawn, exponent, rates, sample } from "../../course_lib/widgets/measure_playground/sample.js";
import * as words from "../../course_lib/widgets/measure_playground/words.js";

const finish = (work) => {
  for (;;) {
    const { value, done } = work.next();
    if (done) return value;
  }
};
const plain = ({ x, log, blur }) => ({ x: [...x], p: [...log].map(Math.exp), blur });
const places = (x) => Float64Array.from(x ?? grid());

const answer = {
  hermite,
  exponent,
  extentFor,
  heavier,
  layerOf,
  measureOf,
  nodesPerAxis,
  grid: () => [...grid()],
  measure: (state) => plain(measure(state)),
  nodes: (state) => plain(quadrature(measure(state))),
  gamma: (state, x) => [...finish(gamma(places(x), measure(state), state))],
  byNodes: (state, x) => [...finish(gamma(places(x), quadrature(measure(state)), state))],
  quadratureError: (state) => finish(quadratureError(state, measure(state), grid())),
  flow: (state, x) =>
    finish(flow(state, measure(state), places(x), state.layers)).map((step) => ({ x: [...step.x], mu: plain(step.mu) })),
  seen: (state, x) => [...finish(flow(state, measure(state), places(x), state.layers, false)).at(-1).x],
  sample: (state) => plain(sample(measure(state), state.n, new Generator(state.seed))),
  drawn: (state) => [...finish(drawn(state, measure(state), grid()))],
  rates(state) {
    const mu = measure(state);
    const limit = finish(flow(state, mu, grid(), state.layers)).at(-1).x;
    const errors = finish(rates(state, mu, grid(), limit));
    return { errors, power: exponent(errors) };
  },
  apart: (a, b) => apart(places(a), places(b)),
  moments: (state) => moments(measure(state)),
  pieces(state) {
    const work = flow(state, measure(state), grid(), state.layers);
    let count = 0;
    while (!work.next().done) count++;
    return count;
  },
  constants: () => ({
    ranges: RANGES,
    heads: HEADS,
    tokens: TOKENS,
    layers: LAYERS,
    measures: MEASURES,
    counts: COUNTS,
    draws: DRAWS,
  }),
  written: (name, value) => CODECS[name].write(value),
  linked: (name, text) => CODECS[name].read(text),
  words: (name, ...rest) => words[name](...rest),
};
const questions = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(questions.map(([name, ...rest]) => answer[name](...rest))));
