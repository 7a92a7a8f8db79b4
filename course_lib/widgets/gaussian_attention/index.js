// A Gaussian cloud through layers of attention: the closed form at once, n particles by true softmax a moment later, both in one
// picture. The widget's model is the one truth; the layer on the screen glides to the layer that is set.

import { CODECS, RANGES } from "./address.js";
import { chart } from "./chart.js";
import { controls } from "./controls.js";
import { path, push } from "./maps.js";
import { errors, moments, swarm } from "./particles.js";
import { extentFor, plane } from "./plane.js";
import { table } from "./table.js";
import { ended, pair, percent, pictured, told } from "./words.js";
import { player } from "../shell/player.js";
import { sliced } from "../runtime/sliced.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, h, oncePerFrame, setAttr, setText } from "../drawing/ui.js";

const SETTINGS = Object.keys(CODECS);
const LAST = RANGES.layers[1];
const GLIDE = 380;
const PAUSE = 1000; // milliseconds from one layer to the next, and between two layers when playing
const settings = settingsOf(SETTINGS);
const sameStart = (state) => JSON.stringify(SETTINGS.filter((name) => name !== "layers").map((name) => state[name]));

/** The particles between two layers: part of the way of each. */
const between = (a, b, part) => (part === 0 ? a : a.map((value, i) => value + part * (b[i] - value)));

function render({ model, el }) {
  const root = h("div", {
    class: "course-ui gau",
    role: "group",
    "aria-busy": "true",
    "aria-label": "Attention on a Gaussian cloud",
  });
  el.replaceChildren(root);
  const { authored, values: get, change: set, save, link, follow } = settings.open(model, CODECS);
  const change = (part) => {
    set(part);
    redraw();
  };
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  // The particles, layer by layer, in slices of a frame; what is known of the same start is kept.
  let flock = null;
  let flockKey = "";
  const worker = sliced(
    function* (asked) {
      const known = flockKey === asked.key ? flock : null;
      return yield* swarm(asked.state, known);
    },
    (answer, asked) => {
      const longer = flockKey === asked.key && flock.steps.length > answer.steps.length;
      if (!longer) {
        flock = answer;
        flockKey = asked.key;
      }
      redraw();
    },
  );

  const way = player({
    pace: () => PAUSE,
    changed: () => redraw(),
    step() {
      const { layers } = get();
      if (flockKey !== sameStart(get()) || flock.steps.length <= Math.min(layers, LAST)) return true; // the particles come first
      if (layers < LAST) change({ layers: layers + 1 });
      return layers + 1 < LAST;
    },
  });
  const acts = {
    play() {
      if (way.playing()) return way.halt();
      if (get().layers >= LAST) change({ layers: 0 });
      way.start();
    },
    reset() {
      way.halt();
      change(authored);
    },
  };
  let ends = [null, null]; // the layers at which float64 ends, of the closed form and of the particles

  const picture = plane({ get, change });
  const spectrum = chart();
  const board = controls({ get, change, acts });
  const numbers = table();
  const sentence = h("p", { class: "gau-words" });
  const alarm = h("p", { class: "gau-alarm", hidden: true });
  const voice = announcer();
  const about = h("p");
  const facts = { mean: h("dd"), covariance: h("dd"), effective: h("dd"), matrix: h("dd") };
  const list = h(
    "dl",
    { class: "gau-facts" },
    ...Object.entries({
      mean: "error of the mean",
      covariance: "error of the covariance",
      effective: "particles a query rests on",
      matrix: "next layer's I + εB, eigenvalues",
    }).map(([name, text]) => h("div", {}, h("dt", {}, text), facts[name])),
  );
  const key = h(
    "p",
    { class: "gau-key" },
    h("span", { class: "gau-blue" }, "closed form"),
    h("span", { class: "gau-orange" }, "particles, true softmax"),
    h("span", { class: "gau-dotted" }, "start"),
  );
  root.append(
    board.transport,
    h("div", { class: "gau-sides" }, h("div", {}, picture.el, key), h("div", {}, list, spectrum.el)),
    sentence,
    alarm,
    board.dials,
    h("details", {}, h("summary", {}, "The picture in words, and every layer in numbers"), about, numbers.el),
    voice.el,
  );

  let at = null;
  let stamp = 0;
  let extent = 3;
  let spoken = "";
  let drawn = false;
  /** The layer on the screen moves towards the one that is set; true once it is there. */
  function glide(target, most) {
    const goal = Math.min(target, most);
    const now = performance.now();
    const passed = now - stamp;
    stamp = now;
    if (at === null || calm.matches || !drawn) at = goal;
    at = Math.min(at, most); // a new start may not come so far
    const far = Math.abs(goal - at);
    const by = (Math.min(passed, 50) / GLIDE) * Math.max(1, far);
    at = far <= by ? goal : at + Math.sign(goal - at) * by;
    return at === goal;
  }

  function draw() {
    const state = get();
    const wanted = sameStart(state);
    const whole = path({ ...state, layers: Math.max(state.layers, Math.ceil(at ?? 0)) });
    const clouds = whole.clouds.slice(0, state.layers + 1); // gliding back passes later layers
    const ready = flockKey === wanted && (flock.steps.length > state.layers || flock.end !== null);
    if (!ready) worker.ask({ key: wanted, state });
    board.draw(state, way.playing());
    if (!flock) return;
    ends = [whole.end, flock.end].map((end) => (end !== null && end <= state.layers ? end : null));
    const shown = Math.min(clouds.length, flock.steps.length) - 1;
    const there = glide(shown, Math.min(whole.clouds.length, flock.steps.length) - 1);
    const k = Math.floor(at);
    const part = at - k;
    const cloud = clouds[shown];
    const seen = flock.steps[shown];
    const moving = part ? push(whole.clouds[k], state, part) : whole.clouds[k];
    const x = part ? between(flock.steps[k].x, flock.steps[k + 1].x, part) : flock.steps[k].x;
    const view = extentFor(clouds[0], flock.steps[Math.max(shown, Math.ceil(at))].x, cloud);
    if (!picture.held()) extent = view.extent;
    picture.draw({
      extent,
      start: clouds[0],
      between: whole.clouds.slice(1, Math.ceil(at)),
      closed: moving,
      x,
      own: part ? moments(x) : flock.steps[k],
    });
    spectrum.draw(clouds, flock.steps.slice(0, state.layers + 1), shown);
    if (ready) tell(state, shown, cloud, seen, clouds, view.outside);
    if (!there) redraw();
    setAttr(root, "aria-busy", !(ready && there));
    drawn = true;
  }

  function tell(state, shown, cloud, seen, clouds, outside) {
    const error = errors(cloud, seen);
    const stop = ended(state, shown, ...ends);
    const text = told(state, shown, cloud, seen);
    const next = push(cloud, state);
    setText(facts.mean, percent(error.mean));
    setText(facts.covariance, percent(error.covariance));
    setText(
      facts.effective,
      seen.effective === null ? "no layer yet" : `${seen.effective.toFixed(seen.effective < 10 ? 1 : 0)} of ${state.n}`,
    );
    setText(facts.matrix, pair(next.A));
    setText(sentence, text);
    setText(alarm, stop);
    alarm.hidden = !stop;
    setText(about, pictured(state, cloud, seen, outside));
    numbers.draw(clouds, flock.steps.slice(0, state.layers + 1));
    const all = stop ? `${stop} ${text}` : text;
    if (drawn && all !== spoken) voice.say(all); // nothing is spoken before the reader has touched something
    spoken = all;
    for (const name of SETTINGS) setAttr(root, `data-${name}`, CODECS[name].write(state[name]));
    setAttr(root, "data-shown", shown);
    setAttr(root, "data-end", ends[0] ?? "");
    model.set("result", {
      layer: shown,
      end: ends[0],
      particles_end: ends[1],
      mean: cloud.mean,
      covariance: cloud.sigma,
      particle_mean: seen.mean,
      particle_covariance: seen.sigma,
      effective: seen.effective,
    });
    save();
    link(state);
  }

  const redraw = oncePerFrame(draw);
  const stop = follow(redraw, { root, face: picture.face, drawn: () => drawn });
  draw();
  el.dataset.ready = "1";
  return () => {
    way.close();
    worker.stop();
    stop();
  };
}

export default { initialize: settings.initialize, render };
