// A fit to play with. The widget's model is the one truth: width, points, seed and the step that is shown. The run
// follows from the first three (run.js) and is computed in slices as far as it is wanted, so that steps can be taken
// back and a link leads to the same moment.

import { CODECS, TAKES } from "./address.js";
import { errors, KINDS, plane } from "./picture.js";
import { EACH, LAST, makeRun } from "./run.js";
import { lowest, sentence, told } from "./words.js";
import { desk } from "../drawing/desk.js";
import { announcer, button, h, setAttrs, setText } from "../drawing/ui.js";
import { track } from "../drawing/track.js";
import { sliced } from "../runtime/sliced.js";
import { dataOf } from "../shell/given.js";
import { player } from "../shell/player.js";
import { sides, task } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";

const TASK = "press Train. Which error falls to the end, and which one turns?";
const RUN = ["width", "points", "seed"]; // what the run follows from
const settings = settingsOf(Object.keys(CODECS));
/** [class, text] of each sign of a picture; the class draws it. */
const signs = (...each) =>
  h("p", { class: "fit-signs" }, ...each.map(([name, text]) => h("span", { class: name }, text)));
const key = (state) => JSON.stringify(RUN.map((name) => state[name]));

async function render({ model, el }) {
  const root = rootOf(el, "course-training fit", "A fit to play with", { "aria-busy": "true" });
  const data = await dataOf(root, model, ["fit", "adam"]);
  if (!data) return;
  const graphs = { fit: data[0], adam: data[1] };
  const { authored, values: get, change, publish, live } = settings.open(model, CODECS);

  // The run, as far as it is computed. A request: {key, settings, moments: how many are wanted}.
  let run = null;
  let made = "";
  function* work(wanted) {
    if (made !== wanted.key) {
      run = makeRun({ graphs, ...wanted.settings });
      made = wanted.key;
    }
    while (run.moments.length <= wanted.to) {
      run.advance();
      yield;
    }
  }
  const worker = sliced(work, () => redraw());
  const have = (state) => made === key(state) && run.moments.length > state.step / EACH;
  function want(state, more = 0) {
    const to = Math.min(LAST / EACH, state.step / EACH + more);
    if (made !== key(state) || run.moments.length <= to) worker.ask({ key: key(state), settings: state, to });
  }

  const calm = matchMedia("(prefers-reduced-motion: reduce)"); // few and large changes instead of a moving curve
  const stride = (step) => (calm.matches ? 500 : step < 600 ? 10 : step < 2000 ? 20 : 40);
  const way = player({
    step() {
      const { step } = get();
      if (!have(get())) return true; // what is computed is shown first
      change({ step: Math.min(LAST, EACH * Math.round((step + stride(step)) / EACH)) });
      return get().step < LAST;
    },
    pace: () => (calm.matches ? 500 : 40),
    changed: () => redraw(),
  });
  /** Another run is shown after as many steps; playing ends, so that it does not go on under the reader's hand. */
  const turn = (part) => {
    way.halt();
    change(part);
  };
  const train = button(
    "Train",
    () => {
      if (way.playing()) return way.halt();
      if (get().step === LAST) change({ step: 0 });
      way.start();
    },
    "course-main trn-play",
  );
  const forward = button("Ten steps", () => turn({ step: Math.min(LAST, get().step + EACH) }));
  const stop = button("Lowest validation error", () => turn({ step: EACH * lowest(run.moments, "validation") }));
  const back = button("Back to the start", () => turn({ step: 0 }));
  const fresh = button("New points", () => turn({ seed: (get().seed + 1) % (TAKES.seed[1] + 1) }));
  const defaults = button("reset", () => turn(authored));
  const moment = track("step", (at) => turn({ step: at * EACH }));
  const { dial, seed, draw: show } = desk({ get, change: turn, takes: TAKES });
  const dials = h(
    "div",
    { class: "trn-grid fit-dials" },
    dial("width", "hidden neurons", 1, { format: String }),
    dial("points", "training points", 1, { format: String }),
    h("div", { class: "fit-fresh" }, fresh, seed("seed of points and start")),
  );
  const numbers = Object.fromEntries(KINDS.map((kind) => [kind, h("dd")]));
  const table = h(
    "dl",
    { class: "fit-numbers" },
    ...KINDS.map((kind) => h("div", { class: `fit-${kind}-number` }, h("dt", {}, `${kind} error`), numbers[kind])),
  );
  const points = plane();
  const chart = errors();
  const words = h("p", { class: "fit-words" });
  const voice = announcer();
  const keyOf = signs(
    ["fit-key-training", "training points"],
    ["fit-key-validation", "validation points"],
    ["fit-key-wave", "the wave without noise"],
    ["fit-key-curve", "the network"],
  );
  const linesOf = signs(...KINDS.map((kind) => [`fit-key-line fit-key-${kind}-error`, `${kind} error`]));
  const pictures = [
    h("figure", {}, h("figcaption", {}, "the fit: y over x"), points.el, keyOf),
    h("figure", {}, h("figcaption", {}, "the three errors, after each step so far"), chart.el, linesOf),
  ];
  const buttons = h("div", { class: "trn-buttons" }, train, forward, stop, back, defaults);
  root.append(
    task(TASK),
    sides({ picture: pictures, beside: [buttons, moment.el, table, dials], over: true }),
    words,
    voice.el,
  );

  function draw() {
    const state = get();
    want(state, way.playing() ? 10 : 0);
    show(state);
    setText(train, way.playing() ? "Pause" : state.step === LAST ? "Train again" : state.step ? "Go on" : "Train");
    forward.disabled = state.step === LAST;
    back.disabled = state.step === 0;
    moment.draw({
      at: state.step / EACH,
      last: LAST / EACH,
      shown: `${state.step} of ${LAST}`,
      spoken: `after ${state.step} steps`,
    });
    const ready = have(state);
    root.setAttribute("aria-busy", String(!ready));
    stop.disabled = made !== key(state) || run.moments.length < 2;
    if (!ready) return run !== null;
    const at = state.step / EACH;
    const { errors: now } = run.moments[at];
    const text = sentence(state, run.moments);
    for (const kind of KINDS) setText(numbers[kind], told(now[kind]));
    points.draw({
      points: run.points,
      outputs: run.outputs(at),
      words:
        `${state.points} training points and 20 validation points around a wave, and the network's curve after ` +
        `${state.step} steps. ${text}`,
    });
    chart.draw({
      moments: run.moments,
      at,
      words: `The three errors up to step ${(run.moments.length - 1) * EACH}. ${text}`,
    });
    setText(words, text);
    if (!way.playing()) voice.tell(text);
    setAttrs(root, { ...now, playing: way.playing(), parameters: run.count }, "data-");
    publish(root, state, {});
    return true;
  }
  const { redraw, stop: end } = live(draw, { root, el });
  return () => {
    way.close();
    worker.stop();
    end();
  };
}

export default { initialize: settings.initialize, render };
