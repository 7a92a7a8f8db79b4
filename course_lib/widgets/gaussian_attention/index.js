// A Gaussian cloud through layers of attention: the closed form at once, n particles by true softmax a moment later,
// both in one picture. The widget's model is the one truth; the layer on the screen glides to the layer that is set.

import { CODECS, RANGES } from "./address.js";
import { chart } from "./chart.js";
import { controls } from "./controls.js";
import { path, push } from "./maps.js";
import { errors, moments, swarm } from "./particles.js";
import { extentFor, plane } from "./plane.js";
import { table } from "./table.js";
import { ended, pair, percent, pictured, told } from "./words.js";
import { sliced } from "../runtime/sliced.js";
import { between, glider, layered } from "../shell/layers.js";
import { sides } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";
import { facts, signs } from "../drawing/facts.js";
import { announcer, h, oncePerFrame, setAttr, setAttrs, setText } from "../drawing/ui.js";

const SETTINGS = Object.keys(CODECS);
const GLIDE = 380;
const settings = settingsOf(SETTINGS);
const sameStart = (state) => JSON.stringify(SETTINGS.filter((name) => name !== "layers").map((name) => state[name]));

function render({ model, el }) {
  const root = rootOf(el, "gau course-desk", "Attention on a Gaussian cloud", { "aria-busy": "true" });
  const { authored, values: get, change: set, publish, follow } = settings.open(model, CODECS);
  const change = (part) => {
    set(part);
    redraw();
  };

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
  const way = layered({
    get,
    change,
    last: RANGES.layers[1],
    ready: (layers) => flockKey === sameStart(get()) && flock.steps.length > layers,
    redraw: () => redraw(),
  });
  function reset() {
    way.halt();
    change(authored);
  }

  const picture = plane({ get, change });
  const spectrum = chart();
  const board = controls({ get, change, acts: { play: way.play, reset } });
  const numbers = table();
  const sentence = h("p", { class: "course-words" });
  const alarm = h("p", { class: "course-alarm", hidden: true });
  const voice = announcer();
  const about = h("p");
  const list = facts({
    mean: "error of the mean",
    covariance: "error of the covariance",
    effective: "particles a query rests on",
    matrix: "next layer's I + εB, eigenvalues",
  });
  const key = signs(["gau-blue", "closed form"], ["gau-orange", "particles, true softmax"], ["gau-dotted", "start"]);
  const beside = [board.transport, board.dials];
  root.append(
    sides({ picture: [picture.face, key], beside }),
    sentence,
    alarm,
    h("div", { class: "course-results" }, list.el, spectrum.el),
    h("details", {}, h("summary", {}, "The picture in words, and every layer in numbers"), about, numbers.el),
    voice.el,
  );

  const { at, glide } = glider(GLIDE);
  let extent = 3;
  let drawn = false;
  let ends = [null, null]; // the layers at which float64 ends, of the closed form and of the particles

  function draw() {
    const state = get();
    const wanted = sameStart(state);
    const whole = path({ ...state, layers: Math.max(state.layers, Math.ceil(at() ?? 0)) });
    const clouds = whole.clouds.slice(0, state.layers + 1); // gliding back passes later layers
    const ready = flockKey === wanted && (flock.steps.length > state.layers || flock.end !== null);
    if (!ready) worker.ask({ key: wanted, state });
    board.draw(state, way.playing());
    if (!flock) return;
    ends = [whole.end, flock.end].map((end) => (end !== null && end <= state.layers ? end : null));
    const shown = Math.min(clouds.length, flock.steps.length) - 1;
    const there = glide(shown, Math.min(whole.clouds.length, flock.steps.length) - 1, drawn);
    const k = Math.floor(at());
    const part = at() - k;
    const cloud = clouds[shown];
    const x = between(flock.steps[k].x, flock.steps[k + (part ? 1 : 0)].x, part);
    const view = extentFor(clouds[0], flock.steps[Math.max(shown, Math.ceil(at()))].x, cloud);
    if (!picture.held()) extent = view.extent;
    picture.draw({
      extent,
      start: clouds[0],
      between: whole.clouds.slice(1, Math.ceil(at())),
      closed: part ? push(whole.clouds[k], state, part) : whole.clouds[k],
      x,
      own: part ? moments(x) : flock.steps[k],
    });
    spectrum.draw(clouds, flock.steps.slice(0, state.layers + 1), shown);
    if (ready) tell(state, shown, clouds, view.outside);
    if (!there) redraw();
    setAttr(root, "aria-busy", !(ready && there));
    drawn = true;
  }

  function tell(state, shown, clouds, outside) {
    const cloud = clouds[shown];
    const seen = flock.steps[shown];
    const error = errors(cloud, seen);
    const stop = ended(state, shown, ...ends);
    const text = told(state, shown, cloud, seen);
    const { effective } = seen;
    list.set("mean", percent(error.mean));
    list.set("covariance", percent(error.covariance));
    list.set(
      "effective",
      effective === null ? "no layer yet" : `${effective.toFixed(effective < 10 ? 1 : 0)} of ${state.n}`,
    );
    list.set("matrix", pair(push(cloud, state).A));
    setText(sentence, text);
    setText(alarm, stop);
    alarm.hidden = !stop;
    setText(about, pictured(state, cloud, seen, outside));
    numbers.draw(clouds, flock.steps.slice(0, state.layers + 1));
    voice.tell(stop ? `${stop} ${text}` : text);
    setAttrs(root, { "data-shown": shown, "data-end": ends[0] ?? "" });
    publish(root, state, {
      result: {
        layer: shown,
        end: ends[0],
        particles_end: ends[1],
        mean: cloud.mean,
        covariance: cloud.sigma,
        particle_mean: seen.mean,
        particle_covariance: seen.sigma,
        effective,
      },
    });
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
