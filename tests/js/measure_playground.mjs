// MeasurePlayground's pure parts for tests/widgets/test_measure_playground.py.

import { Generator } from "../../course_lib/widgets/runtime/random.js";
import { hermite } from "../../course_lib/widgets/measure_playground/hermite.js";
import * as measures from "../../course_lib/widgets/measure_playground/measure.js";
import { extentFor, heavier } from "../../course_lib/widgets/measure_playground/plane.js";
import { LAYERS, layerOf, MEASURES, measureOf } from "../../course_lib/widgets/measure_playground/presets.js";
import { COUNTS, DRAWS, drawn, exponent, rates, sample } from "../../course_lib/widgets/measure_playground/sample.js";
import * as words from "../../course_lib/widgets/measure_playground/words.js";
import { answers, finish, pieces } from "./answers.mjs";

const { apart, flow, gamma, grid, measure, moments, nodesPerAxis, quadrature, quadratureError, stretch } = measures;
const plain = ({ x, log, blur }) => ({ x, p: log.map(Math.exp), blur });
const places = (x) => Float64Array.from(x ?? grid());
const flown = (state, ...more) => flow(state, measure(state), grid(), state.layers, ...more);

await answers({
  hermite,
  extentFor,
  heavier,
  layerOf,
  measureOf,
  nodesPerAxis,
  grid,
  nodes: (state) => plain(quadrature(measure(state))),
  gamma: (state, x) => gamma(places(x), measure(state), state),
  quadratureError: (state) => quadratureError(state, measure(state), grid()),
  flow: (state) => finish(flown(state)).map((step) => ({ x: step.x, mu: plain(step.mu) })),
  seen: (state) => finish(flown(state, false)).at(-1).x,
  sample: (state) => plain(sample(measure(state), state.n, new Generator(state.seed))),
  drawn: (state) => drawn(state, measure(state), grid()),
  rates(state) {
    const errors = finish(rates(state, measure(state), grid(), finish(flown(state)).at(-1).x));
    return { errors, power: exponent(errors) };
  },
  apart: (a, b) => apart(places(a), places(b)),
  moments: (state) => moments(measure(state)),
  stretch: (state) => stretch(measure(state), state),
  pieces: (state) => pieces(flown(state)),
  constants: () => ({ layers: LAYERS, measures: MEASURES, counts: COUNTS, draws: DRAWS }),
  words: (name, ...rest) => words[name](...rest),
});
