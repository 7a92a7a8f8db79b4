// Monico's proof as a loop: the reader steps through its corrections and sees the sets, the covers, the network and its
// error. The widget's model is the one truth; corrections are worked out in slices of a frame and kept, so that Back
// costs nothing.

import { CODECS, RANGES } from "./address.js";
import { begin, correct, rangeOf } from "./build.js";
import { controls } from "./controls.js";
import { falling } from "./falling.js";
import { graph } from "./graph.js";
import { maps } from "./maps.js";
import { targetOf } from "./targets.js";
import { ended, told } from "./words.js";
import { player } from "../shell/player.js";
import { sliced } from "../runtime/sliced.js";
import { digits } from "../drawing/scale.js";
import { facts, signs } from "../drawing/facts.js";
import { sides } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, h, setAttr, setText } from "../drawing/ui.js";

const LAST = RANGES.corrections[1];
const PAUSE = 1100; // milliseconds between two corrections when playing
const settings = settingsOf(Object.keys(CODECS));
const keyOf = ({ target, heights, sigma, rule }) =>
  JSON.stringify([target, target === "drawn" ? heights : null, sigma, rule]);

function render({ model, el }) {
  const root = rootOf(el, "course-desk app", "A network built from the proof", { "aria-busy": "true" });
  const { authored, values: get, change: set, publish, live } = settings.open(model, CODECS);
  const change = (part) => {
    set(part);
    redraw();
  };

  let built = null;
  let builtKey = "";
  let why = null; // the corrections so far, and the budget that ended them
  const worker = sliced(
    function* ({ key, state }) {
      const going = key === builtKey ? built : begin(targetOf(state), state.sigma, state.rule);
      let end = key === builtKey ? why : null;
      // One correction is worked out ahead: the page knows whether there is one before the reader asks for it.
      while (end === null && going.done.length < Math.min(LAST, state.corrections + 1)) end = yield* correct(going);
      return { going, end };
    },
    (answer, { key }) => {
      built = answer.going;
      builtKey = key;
      why = answer.end;
      redraw();
    },
  );
  const most = () => (why === null ? LAST : Math.min(LAST, built.done.length));
  const acts = {
    step(by) {
      way.halt();
      change({ corrections: Math.max(0, Math.min(LAST, at() + by)) });
    },
    play() {
      if (way.playing()) return way.halt();
      way.start();
      if (ready() && built.errors[at()] < get().eps) change({ corrections: 0 });
    },
    reset() {
      way.halt();
      change(authored);
    },
  };
  const way = player({
    pace: () => PAUSE,
    changed: () => redraw(),
    step() {
      if (!ready()) return true; // the corrections come first
      if (at() >= most() || built.errors[at()] < get().eps) return false;
      change({ corrections: at() + 1 });
      return true;
    },
  });
  const known = () => built !== null && builtKey === keyOf(get());
  const ready = () => known() && (why !== null || built.done.length >= Math.min(LAST, get().corrections + 1));
  const at = () => (known() ? Math.min(get().corrections, built.done.length) : 0);

  const picture = graph({
    get,
    lift: (k, height) => change({ heights: get().heights.map((old, i) => (i === k ? height : old)) }),
  });
  const fields = maps();
  const errors = falling();
  const board = controls({ get, change, acts });
  const sentence = h("p", { class: "course-words" });
  const alarm = h("p", { class: "course-alarm", hidden: true });
  const voice = announcer();
  const list = facts({
    error: "largest error on the grid",
    factor: "factor, and the promise",
    units: "hidden units, layer by layer",
    cover: "units of this correction",
    points: "points of the grid",
  });
  const key = signs(
    ["app-ink", "the function, ± ε"],
    ["app-blue", "the network; dotted: before the correction"],
    ["app-orange", "U⁺: was too high"],
    ["app-green", "U⁻: was too low"],
    ["app-purple", "H and its covers"],
  );
  const beside = [board.transport, board.dials];
  root.append(
    sides({ picture: [h("div", {}, picture.el, fields.el), key], beside }),
    sentence,
    alarm,
    h("div", { class: "course-results" }, list.el, errors.el),
    voice.el,
  );

  function draw() {
    const state = get();
    const done = ready();
    if (!done) worker.ask({ key: keyOf(state), state });
    setAttr(root, "aria-busy", !done);
    board.draw(state, at(), { playing: way.playing(), most: done ? most() : LAST, busy: !done });
    if (!built || (!known() && builtKey && JSON.parse(builtKey)[0] !== state.target)) return false;
    const k = known() ? at() : Math.min(state.corrections, built.done.length);
    const last = k ? built.done[k - 1] : null;
    const flat = built.grid.d === 1;
    const scene = { ...sceneOf(k), last, eps: state.eps };
    picture.el.hidden = !flat;
    fields.el.hidden = flat;
    setAttr(root, "data-flat", flat);
    (flat ? picture : fields).draw(scene);
    errors.draw(built.errors.slice(0, k + 1), k, built.rule.factor, state.eps);
    if (done) tell(state, k, last);
  }
  /** The target and the network after k corrections, on the grid of the last of them. */
  function sceneOf(k) {
    const each = k ? built.done[k - 1] : null;
    const grid = each?.grid ?? built.done[0]?.grid ?? built.grid;
    const values = each?.values ?? built.done[0]?.values ?? built.values;
    const outputs = each?.outputs ?? new Float64Array(values.length).fill(built.start);
    let [low, high] = rangeOf(values);
    const room = grid.d === 1 ? 0.35 * (high - low) : 0; // the network overshoots; the scale stays
    [low, high] = get().target === "drawn" ? RANGES.heights : [low - room, high + room];
    return { grid, values, outputs, low, high };
  }

  function tell(state, k, last) {
    const error = built.errors[k];
    const stop = k >= built.done.length && why ? ended(why, built) : "";
    const text = told(built, k, state);
    const sizes = last?.sizes ?? [0, 0, 0];
    const { size, d } = last?.grid ?? built.grid;
    list.set("error", `${digits(error)} (ε = ${digits(state.eps)})`);
    list.set("factor", `${last ? digits(last.factor) : "–"} < ${digits(built.rule.factor)}`);
    list.set("units", sizes.join(" + "));
    list.set("cover", last ? last.separator.sizes.join(" + ") : "none");
    list.set("points", d === 1 ? String(size) : `${size}²`);
    setText(sentence, text);
    setText(alarm, stop);
    alarm.hidden = !stop;
    voice.tell(stop ? `${text} ${stop}` : text);
    setAttr(root, "data-shown", k);
    const result = {
      corrections: k,
      sizes,
      errors: built.errors.slice(0, k + 1),
      points: (last?.values ?? built.values).length,
      ended: why === "exact" ? null : why,
    };
    publish(root, state, { result });
  }

  const { redraw, stop } = live(draw, { root, el, face: root });
  return () => {
    way.close();
    worker.stop();
    stop();
  };
}

export default { initialize: settings.initialize, render };
