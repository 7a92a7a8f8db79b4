// The source trainer: its parts, and what joins them to the training (shell/training.js), which runs usually in a worker. The widget's model
// is the one truth of the settings; the parts draw each frame that comes back.

import { CODECS, TAKES } from "./address.js";
import { otherControls } from "./controls.js";
import { figures } from "./figures.js";
import { session } from "./session.js";
import { leastSticky, optimum } from "./source.js";
import { sourceControls } from "./source_controls.js";
import { chosen, lower, status } from "./words.js";
import { alarm, speedDial } from "../drawing/training.js";
import { announcer, button, h, oncePerFrame, setAttr, setAttrs, setText } from "../drawing/ui.js";
import { rootOf } from "../shell/root.js";
import { dataOf, trainingOf } from "../shell/training.js";
import { settingsOf } from "../shell/traits.js";

const GRAPHS = ["memoryless", "memoryless_read", "adam_averaged"];
const SPOKEN = 900; // milliseconds of rest before the words are spoken
const settings = settingsOf(Object.keys(CODECS));
// What a run is made of. Without an average 0.99 is kept all the same, so that it can be switched on and off in mid-run.
const structure = ({ rate, speed, ...now }) => JSON.stringify({ ...now, average: now.average ?? 0.99 });

/** Reset, the next seed, defaults, and a way out of a rate that is too high. */
function transport(training, { get, authored, speed }) {
  const start = button("Train", training.toggle, "trn-play");
  const step = button("One step", training.step);
  const nextSeed = () => training.afresh({ seed: (get().seed + 1) % (TAKES.seed[1] + 1) });
  const slower = button("Reset with a tenth of the rate", () => training.afresh({ rate: lower(get().rate) }), "trn-play");
  const pace = speedDial("updates", speed);
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
  const { authored, values: get, change: set, save, link, follow } = settings.open(model, CODECS);
  const change = (part) => {
    set(part);
    save();
  };
  const { p, stickiness } = get();
  if (stickiness !== null) set({ stickiness: Math.max(stickiness, leastSticky(p)) }); // a link may say less
  const data = await dataOf(root, model, ["worker", ...GRAPHS]);
  if (!data) return;
  const [worker, ...each] = data;
  const graphs = Object.fromEntries(GRAPHS.map((name, i) => [name, each[i]]));
  let theme = "light";

  const begins = (now) => ({ settings: now, graphs });
  const redraw = oncePerFrame(draw);
  const training = trainingOf({ model, worker, session, get, change, structure, begins, redraw });
  const source = sourceControls({ get, change });
  const other = otherControls({ get, change, open: false });
  const board = transport(training, { get, authored, speed: (speed) => change({ speed }) });
  const pictures = figures();
  const trouble = alarm();
  const voice = announcer(SPOKEN);
  root.append(source.el, ...other.els, board.el, trouble.el, pictures.el, voice.el);
  pictures.el.hidden = true;

  function draw() {
    const { frame, shown, playing, failed, closed } = training.now;
    if (closed) return;
    setAttr(root, "aria-busy", !failed && !training.isShown());
    trouble.set(failed);
    source.draw();
    other.draw(frame);
    board.draw(training.now);
    link(get());
    if (!frame || !training.isLast()) return; // the new run's first frame is on its way: the old one has other sizes
    const { average, rate } = get();
    const now = { ...shown, average, rate };
    const best = optimum(now.p, now.stickiness);
    pictures.el.hidden = false;
    pictures.draw({ frame, settings: now, best, theme });
    const words = status(frame, now, best);
    board.tell(words, frame, now.updates);
    if (!playing) voice.tell(words); // while it trains, silence
    const { loss: exact, error } = chosen(frame, average);
    const { step, loss, stopped } = frame;
    setAttrs(root, { step, playing, where: training.kind, loss, exact, error, stopped }, "data-");
    training.atRest(() => {
      model.set(readBack(frame, average));
      save();
    });
    el.dataset.ready = "1";
    training.seen();
  }
  const changed = () => {
    training.follow();
    redraw();
  };
  const turned = (now) => {
    theme = now;
  };
  const stop = follow(changed, { root, drawn: () => true, turned });
  draw();
  setTimeout(training.begin); // after this paint
  return () => {
    stop();
    training.close();
  };
}

export default { initialize: settings.initialize, render };
