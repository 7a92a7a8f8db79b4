// GaussianAttention's pure parts for tests/widgets/test_gaussian_attention.py: reads questions from standard input, one list of arguments each, and answers them.

import { readFileSync } from "node:fs";
import { CODECS, HEADS, RANGES } from "../../course_lib/widgets/gaussian_attention/address.js";
import { presetOf, PRESETS } from "../../course_lib/widgets/drawing/heads.js";
import { powers, span } from "../../course_lib/widgets/gaussian_attention/chart.js";
import { axes, covariance, eigenvalues, path, push, spectrum } from "../../course_lib/widgets/gaussian_attention/maps.js";
import { errors, sample, swarm } from "../../course_lib/widgets/gaussian_attention/particles.js";
import { extentFor } from "../../course_lib/widgets/gaussian_attention/plane.js";
import { ended, pair, pictured, told } from "../../course_lib/widgets/gaussian_attention/words.js";

const finish = (work) => {
  for (;;) {
    const { value, done } = work.next();
    if (done) return value;
  }
};
const plain = ({ steps, end }) => ({ end, steps: steps.map((step) => ({ ...step, x: [...step.x] })) });

const answer = {
  path,
  push,
  eigenvalues,
  axes,
  spectrum,
  covariance,
  pair,
  errors,
  presetOf,
  ticks: (values) => powers(span(values)),
  sample: (state) => [...sample(state)],
  swarm: (state) => plain(finish(swarm(state))),
  resumed: (state, first) => plain(finish(swarm(state, finish(swarm({ ...state, layers: first }))))),
  extent: (start, x, closed) => extentFor(start, x, closed),
  constants: () => ({ ranges: RANGES, heads: HEADS, presets: PRESETS }),
  written: (name, value) => CODECS[name].write(value),
  linked: (name, text) => CODECS[name].read(text),
  words(state) {
    const { clouds, end } = path(state);
    const flock = finish(swarm(state));
    const shown = Math.min(state.layers, clouds.length - 1, flock.steps.length - 1);
    const [cloud, seen] = [clouds[shown], flock.steps[shown]];
    const { outside } = extentFor(clouds[0], seen.x, cloud);
    return {
      shown,
      told: told(state, shown, cloud, seen),
      ended: ended(state, shown, end, flock.end),
      pictured: pictured(state, cloud, seen, outside),
      outside,
    };
  },
  pieces(state) {
    const work = swarm(state);
    let count = 0;
    while (!work.next().done) count++;
    return count;
  },
};
const questions = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(questions.map(([name, ...rest]) => answer[name](...rest))));
