// GaussianAttention's pure parts for tests/widgets/test_gaussian_attention.py.

import { presetOf, PRESETS } from "../../course_lib/widgets/drawing/heads.js";
import { powers, span } from "../../course_lib/widgets/gaussian_attention/chart.js";
import * as maps from "../../course_lib/widgets/gaussian_attention/maps.js";
import { errors, swarm } from "../../course_lib/widgets/gaussian_attention/particles.js";
import { extentFor } from "../../course_lib/widgets/gaussian_attention/plane.js";
import { ended, pair, pictured, told } from "../../course_lib/widgets/gaussian_attention/words.js";
import { answers, finish, pieces } from "./answers.mjs";

await answers({
  ...maps,
  pair,
  errors,
  presetOf,
  extent: extentFor,
  presets: () => PRESETS,
  ticks: (values) => powers(span(values)),
  swarm,
  resumed: (state, first) => swarm(state, finish(swarm({ ...state, layers: first }))),
  words(state) {
    const { clouds, end } = maps.path(state);
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
  pieces: (state) => pieces(swarm(state)),
});
