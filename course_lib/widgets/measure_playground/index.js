// Tokens with weights in the plane, and what layers of attention to their measure make of the plane and of them. The widget's model
// is the one truth; the layer on the screen glides to the layer that is set; numbers are worked out in slices of a frame.

import { CODECS, RANGES, TOKENS } from "./address.js";
import { chart } from "./chart.js";
import { controls } from "./controls.js";
import { apart, flow, grid, measure, moments, quadratureError } from "./measure.js";
import { extentFor, plane } from "./plane.js";
import { drawn, exponent, rates } from "./sample.js";
import {
  blurred,
  chosen as describe,
  composed,
  outside as beyond,
  point,
  rate,
  sampled,
  split as splitWords,
  told,
} from "./words.js";
import { player } from "../shell/player.js";
import { sliced } from "../runtime/sliced.js";
import { digits } from "../surface/scale.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, clamp, h, oncePerFrame, setAttr, setText } from "../drawing/ui.js";

const SETTINGS = Object.keys(CODECS);
const LAST = RANGES.layers[1];
const GLIDE = 420;
const PAUSE = 1000; // milliseconds from one layer to the next, and between two layers when playing
const GRID = grid();
const settings = settingsOf(SETTINGS);
const keyOf = (state, ...without) =>
  JSON.stringify(SETTINGS.filter((name) => !without.includes(name)).map((name) => state[name]));
const fieldKey = (state) => keyOf(state, "layers", "compare", "n", "seed");
const sampleKey = (state) => keyOf(state, "compare");
const rateKey = (state) => keyOf(state, "compare", "n");

/** Places part of the way between two layers: those of a step so much smaller. */
const glided = (a, b, share) => a.map((value, i) => value + share * (b[i] - value));

/** The layers of grid, tokens and measure, the other composition's grid where it differs, and the nodes' error. */
function* work({ state, layers, field }) {
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
  return { key: field, mu, steps, others, error };
}

/** A free place for a new token: the one of a few that is farthest from the others. */
function free(tokens) {
  const spots = Array.from({ length: 49 }, (_, i) => [((i % 7) - 3) * 0.6, (Math.floor(i / 7) - 3) * 0.6]);
  const room = ([x, y]) => Math.min(...tokens.map(([u, v]) => Math.hypot(x - u, y - v)));
  return spots.reduce((best, spot) => (room(spot) > room(best) + 1e-9 ? spot : best)).map((value) => Number(value.toFixed(2)));
}
const pairs = (x) => Array.from({ length: x.length / 2 }, (_, k) => [x[2 * k], x[2 * k + 1]]);

function render({ model, el }) {
  const root = h("div", {
    class: "course-ui mea",
    role: "group",
    "aria-busy": "true",
    "aria-label": "Attention on a measure of the plane",
  });
  el.replaceChildren(root);
  const { authored, values: get, change: set, save, link, follow } = settings.open(model, CODECS);
  let said = null; // what the last split asks to be told: {token, weight, before}
  const change = (parts) => {
    said = null;
    set(parts);
    redraw();
  };
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let pick = 0;
  const chosen = () => clamp(pick, 0, get().tokens.length - 1);
  const swapped = (k, token) => get().tokens.map((old, i) => (i === k ? token : old));

  let known = null;
  let cast = null;
  let falling = null; // the layers; the drawn tokens' grid; the errors against n
  /** Asks for a thing once: every frame wants it until it has come. */
  const once = (asker) => {
    let asked = null;
    return (request) => {
      if (request.key !== asked) {
        asked = request.key;
        asker.ask(request);
      }
    };
  };
  const worker = sliced(work, (answer) => {
    if (!(known?.key === answer.key && known.steps.length > answer.steps.length)) known = answer;
    redraw();
  });
  const caster = sliced(
    function* ({ key, state, mu, limit, rateKey: rated }) {
      const landed = yield* drawn(state, mu, GRID);
      return { key, landed, error: apart(landed, limit), rated, state, mu, limit };
    },
    (answer) => {
      cast = answer;
      if (falling?.key !== answer.rated) askRates({ ...answer, key: answer.rated });
      redraw();
    },
  );
  const roller = sliced(
    function* ({ key, state, mu, limit }) {
      const errors = yield* rates(state, mu, GRID, limit);
      return { key, errors, power: exponent(errors) };
    },
    (answer) => {
      falling = answer;
      redraw();
    },
  );
  const [askLayers, askDrawn, askRates] = [worker, caster, roller].map(once);

  const way = player({
    pace: () => PAUSE,
    changed: () => redraw(),
    step() {
      const { layers } = get();
      if (known?.key !== fieldKey(get()) || known.steps.length <= layers) return true; // the layers come first
      if (layers < LAST) change({ layers: layers + 1 });
      return layers + 1 < LAST;
    },
  });
  const acts = {
    chosen,
    choose(k) {
      pick = k;
      redraw();
    },
    move(k, [x, y]) {
      change({ tokens: swapped(k, [x, y, get().tokens[k][2]]) });
    },
    weigh(k, weight) {
      const [x, y] = get().tokens[k];
      change({ tokens: swapped(k, [x, y, weight]) });
    },
    add(at) {
      const { tokens } = get();
      if (tokens.length >= TOKENS) return;
      change({ tokens: [...tokens, [...(at ?? free(tokens)), 1]] });
      picture.focus(tokens.length);
    },
    remove(k, refocus) {
      const { tokens } = get();
      if (tokens.length === 1) return;
      pick = Math.min(k, tokens.length - 2);
      change({ tokens: tokens.filter((_, i) => i !== k) });
      if (refocus) picture.focus(pick); // at once: another key may come before the next frame
    },
    split() {
      const k = chosen();
      const { tokens } = get();
      const [x, y, weight] = tokens[k];
      const before =
        known && known.key === fieldKey(get()) && get().layers < known.steps.length ? known.steps[get().layers].grid : null;
      change({ tokens: [...tokens.slice(0, k), [x, y, weight / 2], [x, y, weight / 2], ...tokens.slice(k + 1)] });
      said = before && get().layers ? { token: k, weight: weight / 2, before } : null;
    },
    go(by) {
      const many = get().tokens.length;
      pick = (chosen() + by + many) % many;
      redraw();
    },
    play() {
      if (way.playing()) return way.halt();
      if (get().layers >= LAST) change({ layers: 0 });
      way.start();
    },
    reset() {
      way.halt();
      pick = 0;
      change(authored);
    },
  };

  const picture = plane({ get, acts });
  const board = controls({ get, change, acts });
  const errors = chart();
  const sentence = h("p", { class: "mea-words" });
  const more = h("p", { class: "mea-more" });
  const voice = announcer();
  const facts = Object.fromEntries(["mean", "spread", "move", "order", "error"].map((name) => [name, h("dd")]));
  const rows = Object.fromEntries(
    Object.entries({
      mean: "mean of the measure",
      spread: "its spread",
      move: "largest move on the grid",
      order: "with the other composition",
      error: "error of the drawn tokens",
    }).map(([name, text]) => [name, h("div", {}, h("dt", {}, text), facts[name])]),
  );
  const greens = h("span", { class: "mea-green", hidden: true }, "and from there to where drawn tokens move it");
  const key = h(
    "p",
    { class: "mea-key" },
    h("span", { class: "mea-blue" }, "the grid, moved"),
    h("span", { class: "mea-ring" }, "a token’s start: drag it"),
    h("span", { class: "mea-disc" }, "the token, moved"),
    greens,
  );
  root.append(
    board.transport,
    h(
      "div",
      { class: "mea-sides" },
      h("div", {}, picture.el, key),
      h("div", {}, h("dl", { class: "mea-facts" }, ...Object.values(rows)), errors.el),
    ),
    sentence,
    more,
    board.dials,
    voice.el,
  );

  let at = null;
  let stamp = 0;
  let extent = 3;
  let spoken = "";
  let first = true;
  /** The layer on the screen moves towards the one that is set; true once it is there. */
  function glide(target, most) {
    const goal = Math.min(target, most);
    const now = performance.now();
    const passed = now - stamp;
    stamp = now;
    if (at === null || calm.matches || first) at = goal;
    at = Math.min(at, most); // a new start may not come so far
    const far = Math.abs(goal - at);
    const by = (Math.min(passed, 50) / GLIDE) * Math.max(1, far);
    at = far <= by ? goal : at + Math.sign(goal - at) * by;
    return at === goal;
  }

  function draw() {
    const state = get();
    const wanted = fieldKey(state);
    const enough = (found) => found?.key === wanted && found.steps.length > state.layers && (found.others || state.layers < 2);
    const ready = enough(known);
    if (!ready)
      askLayers({ key: JSON.stringify([wanted, state.layers]), field: wanted, state, layers: Math.max(1, state.layers) });
    const total = state.tokens.reduce((sum, [, , weight]) => sum + weight, 0);
    const shares = state.tokens.map(([, , weight]) => weight / total);
    board.draw(state, way.playing(), describe(state, chosen(), shares));
    setAttr(root, "data-chosen", chosen());
    if (!known) return;
    const most = known.steps.length - 1;
    const there = glide(state.layers, most);
    const k = Math.min(Math.floor(at), most);
    const share = at - k;
    const between = (name) => (share ? glided(known.steps[k][name], known.steps[k + 1][name], share) : known.steps[k][name]);
    const start = known.mu;
    const limit = ready ? known.steps[state.layers].grid : null;
    const fresh = ready && state.compare && state.layers ? sampleKey(state) : null;
    if (fresh && cast?.key !== fresh) askDrawn({ key: fresh, state, mu: known.mu, limit, rateKey: rateKey(state) });
    const compared = fresh && cast?.key === fresh ? cast : null;
    const fallen = fresh && falling?.key === rateKey(state) ? falling : null;
    const view = extentFor([...start.x, ...known.steps[Math.min(Math.max(state.layers, Math.ceil(at)), most)].tokens]);
    if (!picture.held()) extent = view.extent;
    const settled = there && ready;
    const nodes = start.blur && settled && state.layers ? known.steps[k].mu : null;
    picture.draw({
      extent,
      grid: between("grid"),
      other: settled && compared ? compared.landed : null,
      tokens: start.x,
      moved: between("tokens"),
      nodes,
      probabilities: Array.from(start.log, Math.exp),
      blur: Math.sqrt(start.blur),
    });
    errors.draw(fallen?.errors);
    if (ready) tell(state, limit, compared, fallen, view.outside);
    if (!there) redraw();
    setAttr(root, "aria-busy", !settled || (fresh !== null && (compared === null || fallen === null)));
    first = false;
  }

  function tell(state, limit, compared, fallen, outside) {
    const { layers } = state;
    const before = moments(known.mu);
    const move = apart(limit, GRID);
    const last = known.steps[layers];
    const after = layers ? moments(last.mu) : before;
    const gap = known.others && layers > 1 ? apart(limit, known.others[layers]).most : null;
    const text = told(state, { layers, before, after, move, from: [GRID[2 * move.where], GRID[2 * move.where + 1]] });
    const split = said ? splitWords(said.token, said.weight, apart(said.before, limit).most) : "";
    const rest = [
      blurred(state, layers, last.mu.log.length, known.error ?? 0),
      composed(state, gap),
      sampled(state, compared?.error) || "",
      rate(fallen?.power ?? null, fallen?.errors),
      beyond(outside),
    ]
      .filter(Boolean)
      .join(" ");
    setText(facts.mean, `${point(before.mean)} → ${point(after.mean)}`);
    setText(facts.spread, `${digits(before.spread)} → ${digits(after.spread)}`);
    setText(facts.move, digits(move.most));
    rows.order.hidden = gap === null;
    setText(facts.order, gap === null ? "" : `up to ${digits(gap)} away`);
    rows.error.hidden = greens.hidden = !state.compare;
    setText(facts.error, compared ? digits(compared.error.rms, 2) : layers ? "…" : "no layer yet");
    const shown = split ? `${split} ${text}` : text;
    setText(sentence, shown);
    setText(more, rest);
    const all = `${shown} ${rest}`;
    if (!first && all !== spoken) voice.say(split || all); // nothing is spoken before the reader has touched something
    spoken = all;
    for (const name of SETTINGS) setAttr(root, `data-${name}`, CODECS[name].write(state[name]));
    model.set("result", {
      layer: layers,
      tokens: pairs(last.tokens),
      mean: after.mean,
      spread: after.spread,
      largest_move: move.most,
      other_order: gap,
      node_error: layers > 1 ? known.error : null,
      sample_error: compared?.error.rms ?? null,
      rate: fallen?.power ?? null,
    });
    save();
    link(state);
  }
  const redraw = oncePerFrame(draw);
  const stop = follow(redraw, { root, face: picture.face, drawn: () => !first });
  draw();
  el.dataset.ready = "1";
  return () => {
    way.close();
    for (const each of [worker, caster, roller]) each.stop();
    stop();
  };
}

export default { initialize: settings.initialize, render };
