// The source trainer: its parts, and what joins them to the training (shell/training.js), which runs usually in a
// worker. The widget's model is the one truth of the settings; the parts draw each frame that comes back.

import { CODECS, TAKES } from "./address.js";
import { otherControls } from "./controls.js";
import { figures } from "./figures.js";
import { session } from "./session.js";
import { leastSticky, optimum } from "./source.js";
import { sourceControls } from "./source_controls.js";
import { chosen, lower, status } from "./words.js";
import { speedDial } from "../drawing/training.js";
import { button, h, setAttr, setText } from "../drawing/ui.js";
import { sides } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { dataOf } from "../shell/given.js";
import { trainingOf } from "../shell/training.js";
import { settingsOf } from "../shell/traits.js";

const GRAPHS = ["memoryless", "memoryless_read", "adam_averaged"];
const settings = settingsOf(Object.keys(CODECS));
// What a run is made of. Without an average 0.99 is kept all the same, so that it can be switched on and off in
// mid-run.
const structure = ({ rate, speed, ...now }) => JSON.stringify({ ...now, average: now.average ?? 0.99 });

/** Reset, the next seed, defaults, and a way out of a rate that is too high. */
function transport(training, { values: get, authored }) {
  const start = button("Train", training.toggle, "course-main trn-play");
  const step = button("One step", training.step);
  const nextSeed = () => training.afresh({ seed: (get().seed + 1) % (TAKES.seed[1] + 1) });
  const slower = button(
    "Reset with a tenth of the rate",
    () => training.afresh({ rate: lower(get().rate) }),
    "course-main trn-play",
  );
  const pace = speedDial("updates", (speed) => training.change({ speed }));
  const words = h("p", { class: "trn-status" });
  const over = h("progress", { class: "stn-progress", max: 1, value: 0, "aria-label": "updates made" });
  const buttons = h(
    "div",
    { class: "trn-buttons" },
    start,
    step,
    button("Reset", () => training.afresh()),
    button("Next seed", nextSeed),
    button("Defaults", () => training.afresh(authored)),
  );
  const told = h("div", { class: "trn-told" }, words, slower);
  function draw({ frame, playing }) {
    const stopped = frame?.stopped;
    pace.set(get().speed);
    setText(start, playing ? "Pause" : stopped === "end" ? "Train again" : frame?.step ? "Go on" : "Train");
    step.disabled = playing || Boolean(stopped);
    slower.hidden = stopped !== "diverged";
  }
  function tell(text, { step, stopped }, updates) {
    setText(words, text);
    setAttr(over, "value", step / updates);
    words.classList.toggle("trn-trouble", stopped === "diverged");
  }
  return { el: h("div", { class: "trn-transport" }, buttons, pace.el, over, told), draw, tell };
}

/** The traits that Python reads back. */
const readBack = (frame, average) => ({
  step: frame.step,
  q: chosen(frame, average).q.map((share) => Number(share.toPrecision(6))),
  error: Number((100 * chosen(frame, average).error).toPrecision(5)),
  losses: frame.curve.map(([update, , mean]) => [update, Number(mean.toPrecision(6))]),
});

async function render({ model, el }) {
  const root = rootOf(el, "course-training stn", "Source trainer", { "aria-busy": "true" });
  const opened = settings.open(model, CODECS);
  const { values: get } = opened;
  const { p, stickiness } = get();
  if (stickiness !== null) opened.change({ stickiness: Math.max(stickiness, leastSticky(p)) }); // a link may say less
  const data = await dataOf(root, model, ["worker", ...GRAPHS]);
  if (!data) return;
  const [worker, ...each] = data;
  const graphs = Object.fromEntries(GRAPHS.map((name, i) => [name, each[i]]));
  const begins = (now) => ({ settings: now, graphs });
  const training = trainingOf({ root, el, model, worker, session, opened, structure, begins, draw });
  const source = sourceControls({ get, change: training.change });
  const other = otherControls({ get, change: training.change, open: false });
  const board = transport(training, opened);
  const pictures = figures();
  root.append(
    sides({ picture: pictures.first, beside: [board.el, training.trouble, source.el, ...other.els] }),
    pictures.rest,
    training.voice,
  );

  function draw({ frame, shown, playing }, theme) {
    source.draw();
    other.draw(frame);
    board.draw({ frame, playing });
    // the new run's first frame is on its way: the old one has other sizes
    if (!frame || !training.isLast()) return null;
    const { average, rate } = get();
    const now = { ...shown, average, rate };
    const best = optimum(now.p, now.stickiness);
    pictures.draw({ frame, settings: now, best, theme });
    const words = status(frame, now, best);
    board.tell(words, frame, now.updates);
    const { loss: exact, error } = chosen(frame, average);
    return {
      words: playing ? null : words, // while it trains, silence
      data: { exact, error, stopped: frame.stopped },
      back: () => readBack(frame, average),
    };
  }
  return training.live();
}

export default { initialize: settings.initialize, render };
