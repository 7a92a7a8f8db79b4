// Descent on a loss surface, live. The widget's model is the one truth: the settings and the number of steps taken. The whole run
// follows from the settings (run.js), so that steps can be taken back and a link leads to the same point of the same run.

import { pageAddress } from "./address.js";
import { CODECS } from "./descent/address.js";
import { controls } from "./descent/controls.js";
import { curve } from "./descent/curve.js";
import { run, STEPS } from "./descent/run.js";
import { AXES, grid, SURFACES } from "./descent/surfaces.js";
import { told } from "./descent/words.js";
import { player } from "./player.js";
import { panel } from "./surface/panel.js";
import { ranges } from "./surface/scale.js";
import { announcer, atMostEvery, clamp, h, oncePerFrame, setAttr, setText, watchTheme } from "./ui.js";

const SETTINGS = Object.keys(CODECS);
const RUN = ["surface", "optimiser", "rate", "decay", "batch", "seed", "start"]; // what the run follows from
const NAMES = { x: "x", y: "y", z: "loss" };
const LEVELS = 24; // contour lines of the map: enough for one round the shallow minimum
const begun = new WeakMap(); // model → the author's settings, for reset
const settings = (model) => Object.fromEntries(SETTINGS.map((name) => [name, model.get(name)]));
const round = (degrees) => degrees - 360 * Math.ceil((degrees - 180) / 360); // into (-180, 180]
const index = (value) => Math.round(10 * value) + 20; // of the grid's point

function render({ model, el }) {
  const authored = begun.get(model) ?? settings(model);
  begun.set(model, authored);
  const root = h("div", { class: "course-ui srf dsc", role: "group", "aria-label": "Descent on a loss surface" });
  el.replaceChildren(root);
  const address = pageAddress(model), linked = address.read();
  for (const name of SETTINGS) {
    const value = linked[name] === undefined ? null : CODECS[name].read(linked[name]);
    if (value !== null) model.set(name, value);
  }
  const get = (name) => model.get(name), save = atMostEvery(200, () => model.save_changes());
  const change = (part) => { for (const [name, value] of Object.entries(part)) model.set(name, value); };

  // The run, computed anew when one of its settings has changed.
  let key = "", done = null, last = 0, field = { name: "", z: [], path: [] }, range = [0, 1], surface = "";
  function follow(state) {
    const now = JSON.stringify(RUN.map((name) => state[name]));
    if (now === key) return;
    key = now;
    done = run(state);
    last = done.left ?? STEPS;
    if (surface === state.surface) return;
    surface = state.surface;
    field.z = grid(surface);
    [range] = ranges([field], "own");
  }

  const calm = matchMedia("(prefers-reduced-motion: reduce)"); // few and large changes instead of a moving point
  const forward = (by) => {
    const to = Math.min(last, get("step") + by);
    change({ step: to });
    return to < last;
  };
  const way = player({ step: () => forward(calm.matches ? 25 : 1), pace: () => (calm.matches ? 500 : 40), changed: () => redraw() });
  const acts = {
    play: () => (way.playing() ? way.halt() : way.start()),
    step: () => { way.halt(); forward(1); },
    back: () => { way.halt(); change({ step: 0 }); },
    reset: () => { way.halt(); change(authored); },
  };

  const turn = {
    from: () => [get("azimuth"), get("elevation")],
    to: ([azimuth, elevation], right, up) => change({ azimuth: round(azimuth + right), elevation: clamp(elevation + up, 5, 90) }),
  };
  const mark = ([i, j]) => change({ start: [AXES.x[j], AXES.y[i]] });
  const step = (up, right) => {
    const [x, y] = get("start").map(index), end = AXES.x.length - 1;
    mark([clamp(y + up, 0, end), clamp(x + right, 0, end)]);
  };
  const picture = panel({ field, names: NAMES, turn, mark, step, marked: "start" });
  const board = controls({ change, get, acts }), chart = curve();
  const sentence = h("p", { class: "srf-words" }), voice = announcer(), about = h("p");
  root.append(board.top, h("div", { class: "srf-panels" }, picture.el), sentence, chart.el, board.transport, board.dials,
    h("details", {}, h("summary", {}, "The picture in words"), about), voice.el);

  let spoken = "", drawn = false;
  function draw() {
    const state = settings(model);
    follow(state);
    const taken = Math.min(state.step, done.positions.length - 1);
    field.path = done.positions.slice(0, taken + 1);
    picture.draw({ ...state, log: false, zoom: 1, levels: LEVELS, marker: [index(state.start[1]), index(state.start[0])] }, AXES, range);
    chart.draw(done.heights.slice(0, taken + 1));
    board.draw(state, { playing: way.playing(), ended: state.step >= last });
    const text = told(state, done);
    setText(sentence, text);
    if (drawn && text !== spoken) voice.say(text); // nothing is spoken before the reader has touched something
    spoken = text;
    setText(about, `${SURFACES[state.surface].words} The orange mark with its stick is the start, the line is the way taken, and the disc at its end is where the run stands.`);
    for (const name of SETTINGS) setAttr(root, `data-${name}`, state[name]);
    setAttr(root, "data-loss", done.heights[taken]);
    setAttr(root, "data-at", done.positions[taken].join(","));
    save();
    address.write(Object.fromEntries(SETTINGS.map((name) => {
      const written = CODECS[name].write(state[name]);
      return [name, written === CODECS[name].write(authored[name]) ? null : written];
    })));
    drawn = true;
  }
  const redraw = oncePerFrame(draw);
  for (const name of SETTINGS) model.on(`change:${name}`, redraw);
  const unwatch = watchTheme(root, () => { if (drawn) redraw(); });
  const sized = new ResizeObserver(() => { if (drawn) redraw(); });
  sized.observe(picture.face);
  draw();
  el.dataset.ready = "1";
  return () => {
    way.close();
    unwatch();
    sized.disconnect();
    for (const name of SETTINGS) model.off(`change:${name}`, redraw);
  };
}

export default { initialize: ({ model }) => { begun.set(model, settings(model)); }, render };
