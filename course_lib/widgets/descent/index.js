// Descent on a loss surface, live. The widget's model is the one truth: the settings and the number of steps taken. The whole run
// follows from the settings (run.js), so that steps can be taken back and a link leads to the same point of the same run.

import { CODECS } from "./address.js";
import { controls } from "./controls.js";
import { curve } from "./curve.js";
import { run, STEPS } from "./run.js";
import { AXES, grid, SURFACES } from "./surfaces.js";
import { told } from "./words.js";
import { player } from "../shell/player.js";
import { panel } from "../surface/panel.js";
import { ranges } from "../surface/scale.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, clamp, h, oncePerFrame, setAttr, setText } from "../drawing/ui.js";

const SETTINGS = Object.keys(CODECS);
const RUN = ["surface", "optimiser", "rate", "decay", "batch", "seed", "start"]; // what the run follows from
const NAMES = { x: "x", y: "y", z: "loss" };
const LEVELS = 24; // contour lines of the map: enough for one round the shallow minimum
const settings = settingsOf(SETTINGS);
const round = (degrees) => degrees - 360 * Math.ceil((degrees - 180) / 360); // into (-180, 180]
const index = (value) => Math.round(10 * value) + 20; // of the grid's point

function render({ model, el }) {
  const root = h("div", { class: "course-ui srf dsc", role: "group", "aria-label": "Descent on a loss surface" });
  el.replaceChildren(root);
  const { authored, values, change, save, link, follow: watch } = settings.open(model, CODECS);
  const get = (name) => model.get(name);

  // The run, computed anew when one of its settings has changed.
  let key = "";
  let done = null;
  let last = 0;
  const field = { name: "", z: [], path: [] };
  let range = [0, 1];
  let surface = "";
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
  const way = player({
    step: () => forward(calm.matches ? 25 : 1),
    pace: () => (calm.matches ? 500 : 40),
    changed: () => redraw(),
  });
  const acts = {
    play: () => (way.playing() ? way.halt() : way.start()),
    step: () => {
      way.halt();
      forward(1);
    },
    back: () => {
      way.halt();
      change({ step: 0 });
    },
    reset: () => {
      way.halt();
      change(authored);
    },
  };

  const turn = {
    from: () => [get("azimuth"), get("elevation")],
    to: ([azimuth, elevation], right, up) => change({ azimuth: round(azimuth + right), elevation: clamp(elevation + up, 5, 90) }),
  };
  const mark = ([i, j]) => change({ start: [AXES.x[j], AXES.y[i]] });
  const step = (up, right) => {
    const [x, y] = get("start").map(index);
    const end = AXES.x.length - 1;
    mark([clamp(y + up, 0, end), clamp(x + right, 0, end)]);
  };
  const picture = panel({ field, names: NAMES, turn, mark, step, marked: "start" });
  const board = controls({ change, get, acts });
  const chart = curve();
  const sentence = h("p", { class: "srf-words" });
  const voice = announcer();
  const about = h("p");
  root.append(
    board.top,
    h("div", { class: "srf-panels" }, picture.el),
    sentence,
    chart.el,
    board.transport,
    board.dials,
    h("details", {}, h("summary", {}, "The picture in words"), about),
    voice.el,
  );

  let spoken = "";
  let drawn = false;
  function draw() {
    const state = values();
    follow(state);
    const taken = Math.min(state.step, done.positions.length - 1);
    field.path = done.positions.slice(0, taken + 1);
    picture.draw(
      { ...state, log: false, zoom: 1, levels: LEVELS, marker: [index(state.start[1]), index(state.start[0])] },
      AXES,
      range,
    );
    chart.draw(done.heights.slice(0, taken + 1));
    board.draw(state, { playing: way.playing(), ended: state.step >= last });
    const text = told(state, done);
    setText(sentence, text);
    if (drawn && text !== spoken) voice.say(text); // nothing is spoken before the reader has touched something
    spoken = text;
    setText(
      about,
      `${SURFACES[state.surface].words} The orange mark with its stick is the start, the line is the way taken, and the disc at its end is where the run stands.`,
    );
    for (const name of SETTINGS) setAttr(root, `data-${name}`, state[name]);
    setAttr(root, "data-loss", done.heights[taken]);
    setAttr(root, "data-at", done.positions[taken].join(","));
    save();
    link(state);
    drawn = true;
  }
  const redraw = oncePerFrame(draw);
  const stop = watch(redraw, { root, face: picture.face, drawn: () => drawn });
  draw();
  el.dataset.ready = "1";
  return () => {
    way.close();
    stop();
  };
}

export default { initialize: settings.initialize, render };
