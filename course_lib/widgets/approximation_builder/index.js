// Monico's proof as a loop: the reader steps through its corrections and sees the sets, the covers, the network and its error. The
// widget's model is the one truth; corrections are worked out in slices of a frame and kept, so that Back costs nothing.

import { CODECS, RANGES } from "./address.js";
import { begin, correct } from "./build.js";
import { controls } from "./controls.js";
import { falling } from "./falling.js";
import { graph } from "./graph.js";
import { maps } from "./maps.js";
import { targetOf } from "./targets.js";
import { ended, told } from "./words.js";
import { player } from "../shell/player.js";
import { sliced } from "../runtime/sliced.js";
import { digits } from "../surface/scale.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, h, oncePerFrame, setAttr, setText } from "../drawing/ui.js";

const SETTINGS = Object.keys(CODECS);
const LAST = RANGES.corrections[1];
const PAUSE = 1100; // milliseconds between two corrections when playing
const settings = settingsOf(SETTINGS);
const keyOf = ({ target, heights, sigma, rule }) => JSON.stringify([target, target === "drawn" ? heights : null, sigma, rule]);

function render({ model, el }) {
  const root = h("div", {
    class: "course-ui app",
    role: "group",
    "aria-busy": "true",
    "aria-label": "A network built from the proof",
  });
  el.replaceChildren(root);
  const { authored, values: get, change: set, save, link, follow } = settings.open(model, CODECS);
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
  const board = controls({ change, acts });
  const sentence = h("p", { class: "app-words" });
  const alarm = h("p", { class: "app-alarm", hidden: true });
  const voice = announcer();
  const facts = { error: h("dd"), factor: h("dd"), units: h("dd"), cover: h("dd"), points: h("dd") };
  const list = h(
    "dl",
    { class: "app-facts" },
    ...Object.entries({
      error: "largest error on the grid",
      factor: "factor, and the promise",
      units: "hidden units, layer by layer",
      cover: "units of this correction",
      points: "points of the grid",
    }).map(([name, text]) => h("div", {}, h("dt", {}, text), facts[name])),
  );
  const key = h(
    "p",
    { class: "app-key" },
    ...[
      ["ink", "the function, ± ε"],
      ["blue", "the network; dotted: before the correction"],
      ["orange", "U⁺: was too high"],
      ["green", "U⁻: was too low"],
      ["purple", "H and its covers"],
    ].map(([name, text]) => h("span", { class: `app-${name}` }, text)),
  );
  root.append(
    board.transport,
    h("div", { class: "app-sides" }, h("div", {}, picture.el, fields.el, key), h("div", {}, list, errors.el)),
    sentence,
    alarm,
    board.dials,
    voice.el,
  );

  let spoken = "";
  let first = true;
  function draw() {
    const state = get();
    const done = ready();
    if (!done) worker.ask({ key: keyOf(state), state });
    setAttr(root, "aria-busy", !done);
    board.draw(state, at(), { playing: way.playing(), most: done ? most() : LAST, busy: !done });
    if (!built || (!known() && builtKey && JSON.parse(builtKey)[0] !== state.target)) return;
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
    first = false;
  }
  /** The target and the network after k corrections, on the grid of the last of them. */
  function sceneOf(k) {
    const each = k ? built.done[k - 1] : null;
    const grid = each?.grid ?? built.done[0]?.grid ?? built.grid;
    const values = each?.values ?? built.done[0]?.values ?? built.values;
    const outputs = each?.outputs ?? new Float64Array(values.length).fill(built.start);
    let low = Infinity;
    let high = -Infinity;
    for (const value of values) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    const room = grid.d === 1 ? 0.35 * (high - low) : 0; // the network overshoots; the scale stays
    if (get().target === "drawn") return { grid, values, outputs, low: RANGES.height[0], high: RANGES.height[1] };
    return { grid, values, outputs, low: low - room, high: high + room };
  }

  function tell(state, k, last) {
    const error = built.errors[k];
    const stop = k >= built.done.length && why ? ended(why, built) : "";
    const text = told(built, k, state);
    const sizes = last?.sizes ?? [0, 0, 0];
    setText(facts.error, `${digits(error)} (ε = ${digits(state.eps)})`);
    setText(facts.factor, last ? `${digits(last.factor)} < ${digits(built.rule.factor)}` : `– < ${digits(built.rule.factor)}`);
    setText(facts.units, sizes.join(" + "));
    setText(facts.cover, last ? last.separator.sizes.join(" + ") : "none");
    setText(
      facts.points,
      (last?.grid ?? built.grid).d === 1 ? String(last?.grid.size ?? built.grid.size) : `${last?.grid.size ?? built.grid.size}²`,
    );
    setText(sentence, text);
    setText(alarm, stop);
    alarm.hidden = !stop;
    const all = stop ? `${text} ${stop}` : text;
    if (!first && all !== spoken) voice.say(all); // nothing is spoken before the reader has touched something
    spoken = all;
    for (const name of SETTINGS) setAttr(root, `data-${name}`, CODECS[name].write(state[name]));
    setAttr(root, "data-shown", k);
    model.set("result", {
      corrections: k,
      sizes,
      errors: built.errors.slice(0, k + 1),
      points: (last?.values ?? built.values).length,
      ended: why === "exact" ? null : why,
    });
    save();
    link(state);
  }

  const redraw = oncePerFrame(draw);
  const stop = follow(redraw, { root, face: root, drawn: () => !first });
  draw();
  el.dataset.ready = "1";
  return () => {
    way.close();
    worker.stop();
    stop();
  };
}

export default { initialize: settings.initialize, render };
