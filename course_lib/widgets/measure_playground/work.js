// What takes long, in slices of a frame: the layers, the grid under drawn tokens, and how their error falls with n.

import { sliced } from "../runtime/sliced.js";
import { CODECS } from "./address.js";
import { apart, flow, grid, measure, quadratureError, stretch } from "./measure.js";
import { drawn, exponent, rates } from "./sample.js";

export const GRID = grid();
const keyOf = (state, ...without) =>
  JSON.stringify(
    Object.keys(CODECS)
      .filter((name) => !without.includes(name))
      .map((name) => state[name]),
  );
export const fieldKey = (state) => keyOf(state, "layers", "compare", "n", "seed");
const sampleKey = (state) => keyOf(state, "compare");
const rateKey = (state) => keyOf(state, "compare", "n");

/** The layers of grid, tokens and measure, the other composition's grid where it differs, and the nodes' error. */
function* passed({ state, layers, field }) {
  const mu = measure(state);
  const x = mu.blur ? Float64Array.from([...GRID, ...mu.x]) : GRID; // a blurred token's centre is followed as well
  const steps = (yield* flow(state, mu, x, layers)).map(({ x: places, mu: carried }) => ({
    grid: places.subarray(0, GRID.length),
    tokens: mu.blur ? places.subarray(GRID.length) : carried.x,
    mu: carried,
  }));
  let others = null;
  let error = null;
  if (layers > 1) {
    others = (yield* flow({ ...state, pushed: !state.pushed }, mu, GRID, layers, false)).map((step) => step.x);
    if (mu.blur) error = yield* quadratureError(state, mu, GRID);
  }
  return { key: field, mu, steps, others, error, stretch: stretch(mu, state) };
}
function* cast({ key, state, mu, limit }) {
  const landed = yield* drawn(state, mu, GRID);
  return { key, landed, error: apart(landed, limit) };
}
function* rolled({ key, state, mu, limit }) {
  const errors = yield* rates(state, mu, GRID, limit);
  return { key, errors, power: exponent(errors) };
}

/**
 * redraw() when something has come. Gives {layers(state), compared(state, known, limit), stop()}: what is known by now;
 * the rest is asked for.
 */
export function working(redraw) {
  const found = {};
  const asked = {};
  const worker = (name, work) =>
    sliced(work, (answer, request) => {
      const old = found[name];
      // more layers are worth keeping
      if (!(old?.key === answer.key && old.steps?.length > answer.steps?.length)) found[name] = answer;
      if (name === "cast") ask("rates", { ...request, key: rateKey(request.state) });
      redraw();
    });
  const workers = { layers: worker("layers", passed), cast: worker("cast", cast), rates: worker("rates", rolled) };
  /** Asks for a thing once: every frame wants it until it has come. */
  function ask(name, request) {
    if (request.key === asked[name] || one(name, request.key)) return;
    asked[name] = request.key;
    workers[name].ask(request);
  }
  const one = (name, key) => (found[name]?.key === key ? found[name] : null);

  return {
    /** The layers that were last worked out, and whether they are those of these settings. */
    layers(state) {
      const known = found.layers ?? null;
      const field = fieldKey(state);
      const ready =
        known?.key === field && known.steps.length > state.layers && Boolean(known.others || state.layers < 2);
      const layers = Math.max(1, state.layers);
      if (!ready) ask("layers", { key: JSON.stringify([field, state.layers]), field, state, layers });
      return { known, ready };
    },
    /**
     * The drawn tokens' grid and errors against n, each null as long as it is to come. limit: where the measure itself
     * moves the grid.
     */
    compared(state, { mu }, limit) {
      const key = sampleKey(state);
      ask("cast", { key, state, mu, limit });
      return { compared: one("cast", key), fallen: one("rates", rateKey(state)) };
    },
    stop() {
      for (const each of Object.values(workers)) each.stop();
    },
  };
}
