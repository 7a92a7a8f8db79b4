// The translator trainer: its parts, and what joins them to the training (shell/training.js), which runs usually in a
// worker. The widget's model is the one truth of the settings; the parts draw each frame that comes back.

import { CODECS, TAKES } from "./address.js";
import { controls } from "./controls.js";
import { figures } from "./figures.js";
import { floor } from "./run.js";
import { session } from "./session.js";
import { status } from "./words.js";
import { speedDial } from "../drawing/training.js";
import { button, h, setText } from "../drawing/ui.js";
import { dataOf } from "../shell/given.js";
import { sides, task } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { trainingOf } from "../shell/training.js";
import { settingsOf } from "../shell/traits.js";

const CELLS = ["rnn", "gru", "lstm"];
const GRAPHS = [
  "adam",
  "begin",
  "begin_attentive",
  ...CELLS.flatMap((cell) => [`encode_${cell}`, `decode_${cell}`, `decode_${cell}_attentive`]),
];
const settings = settingsOf(Object.keys(CODECS));
const structure = ({ rate, speed, controls, ...now }) => JSON.stringify(now);

/** Train, one step, reset and the next seed. */
function transport(training, { values: get, authored }) {
  const start = button("Train", training.toggle, "course-main trn-play");
  const step = button("One update", training.step);
  const next = () => training.afresh({ seed: (get().seed + 1) % (TAKES.seed[1] + 1) });
  const pace = speedDial("updates", (speed) => training.change({ speed }));
  const words = h("p", { class: "course-words" });
  const others = [
    button("Begin anew", () => training.afresh()),
    button("Next seed", next),
    button("reset", () => training.afresh(authored)),
  ];
  const el = h(
    "div",
    { class: "trn-transport" },
    h("div", { class: "trn-buttons" }, start, step, ...others),
    pace.el,
    words,
  );
  function draw({ frame, playing }) {
    const stopped = frame?.stopped;
    pace.set(get().speed);
    setText(start, playing ? "Pause" : stopped === "end" ? "Train again" : frame?.step ? "Go on" : "Train");
    step.disabled = playing || Boolean(stopped);
  }
  return { el, draw, tell: (text) => setText(words, text) };
}

/** The traits that Python reads back. */
const readBack = ({ step, seen, curve }) => ({
  step,
  exact: Number(seen.exact.toPrecision(6)),
  shares: seen.shares.map((share) => Number(share.toFixed(4))),
  losses: curve.map(([update, loss]) => [update, Number(loss.toPrecision(6))]),
});

async function render({ model, el }) {
  const root = rootOf(el, "course-training ttr", "A translator in training", { "aria-busy": "true" });
  const opened = settings.open(model, CODECS);
  const { values: get } = opened;
  const data = await dataOf(root, model, ["worker", ...GRAPHS]);
  if (!data) return;
  const [worker, ...each] = data;
  const graphs = Object.fromEntries(GRAPHS.map((name, i) => [name, each[i]]));
  const begins = (now) => ({ settings: now, graphs });
  const training = trainingOf({ root, el, model, worker, session, opened, structure, begins, draw });
  const dials = controls({ get, change: training.change });
  const board = transport(training, opened);
  const pictures = figures();
  root.append(
    task("train; then set 8 letters a row. Which are right last?"),
    sides({ picture: pictures.first, beside: [board.el, training.trouble, dials.el] }),
    pictures.map,
    training.voice,
  );

  function draw({ frame, shown, playing }, theme) {
    dials.draw(frame);
    board.draw({ frame, playing });
    // the new run's first frame is on its way: the old one has other sizes
    if (!frame || !training.isLast()) return null;
    const least = floor(shown.noise);
    pictures.draw({ frame, settings: shown, least, theme });
    const words = status(frame, shown, least);
    board.tell(words);
    return {
      words: playing ? null : words, // while it trains, silence
      data: { exact: frame.seen.exact, stopped: frame.stopped },
      back: () => readBack(frame),
    };
  }
  return training.live();
}

export default { initialize: settings.initialize, render };
