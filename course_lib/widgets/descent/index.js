// Descent on a loss surface, live. The widget's model is the one truth: the settings and the number of steps taken. The
// whole run follows from the settings (run.js), so that steps can be taken back and a link leads to the same point of
// the same run.

import { CODECS, TAKES } from "./address.js";
import { controls } from "./controls.js";
import { curve } from "./curve.js";
import { run, STEPS } from "./run.js";
import { AXES, grid, SURFACES } from "./surfaces.js";
import { told } from "./words.js";
import { turner } from "../surface/looking.js";
import { panel } from "../surface/panel.js";
import { ranges } from "../drawing/scale.js";
import { player } from "../shell/player.js";
import { sides, task } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, clamp, h, setAttrs, setText } from "../drawing/ui.js";

const RUN = ["surface", "optimiser", "rate", "decay", "batch", "seed", "start"]; // what the run follows from
const NAMES = { x: "x", y: "y", z: "loss" };
const LEVELS = 24; // contour lines of the map: enough for one round the shallow minimum
const TASKS = {
  bowl: "press Play. Then find the largest rate that comes to rest.",
  valley: "press Play. Then find the largest rate that comes to rest.",
  "two minima": "press Play. Then find a learning rate that ends in the other minimum.",
  saddle: "press Play. Then find a start that stands still for longer.",
};
const settings = settingsOf(Object.keys(CODECS));
const index = (value) => Math.round(10 * value) + 20; // of the grid's point

function render({ model, el }) {
  const root = rootOf(el, "srf dsc", "Descent on a loss surface");
  const { authored, values: get, change: set, publish, live } = settings.open(model, CODECS);

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
    const to = Math.min(last, get().step + by);
    set({ step: to });
    return to < last;
  };
  const way = player({
    step: () => forward(calm.matches ? 25 : 1),
    pace: () => (calm.matches ? 500 : 40),
    changed: () => redraw(),
  });
  const halted = (act) => () => {
    way.halt();
    act();
  };
  const acts = {
    play: () => (way.playing() ? way.halt() : way.start()),
    step: halted(() => forward(1)),
    back: halted(() => set({ step: 0 })),
    reset: halted(() => change(authored)),
  };

  /** What the reader turns while it plays ends the playing: nothing goes on under the hand. */
  const change = (part) => {
    if (RUN.some((name) => name in part)) way.halt();
    set(part);
  };
  const turn = turner(get, change, TAKES.elevation);
  const mark = ([i, j]) => change({ start: [AXES.x[j], AXES.y[i]] });
  const step = (up, right) => {
    const [x, y] = get().start.map(index);
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
    task(TASKS[authored.surface]),
    sides({
      picture: [h("div", { class: "srf-panels" }, picture.el), chart.el],
      beside: [board.transport, board.top, board.dials],
    }),
    sentence,
    h("details", {}, h("summary", {}, "The picture in words"), about),
    voice.el,
  );

  function draw() {
    const state = get();
    follow(state);
    const taken = Math.min(state.step, done.positions.length - 1);
    field.path = done.positions.slice(0, taken + 1);
    picture.draw(
      {
        ...state,
        log: false,
        root: true,
        zoom: 1,
        levels: LEVELS,
        marker: [index(state.start[1]), index(state.start[0])],
      },
      AXES,
      range,
    );
    chart.draw(done.heights.slice(0, taken + 1));
    board.draw(state, { playing: way.playing(), ended: state.step >= last });
    const text = told(state, done);
    setText(sentence, text);
    voice.tell(text);
    setText(
      about,
      `${SURFACES[state.surface].words} The orange mark with its stick is the start, the line is the way taken, and ` +
        `the disc at its end is where the run stands.`,
    );
    setAttrs(root, { loss: done.heights[taken], at: done.positions[taken].join(",") }, "data-");
    publish(root, state, {});
  }
  const { redraw, stop } = live(draw, { root, el, face: picture.face });
  return () => {
    way.close();
    stop();
  };
}

export default { initialize: settings.initialize, render };
