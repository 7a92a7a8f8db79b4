// The explorer: its parts, and what joins them to the training (shell/training.js), which runs usually in a worker. The widget's model is
// the one truth of the settings; the parts draw each frame that comes back.

import { CODECS, TAKES } from "./address.js";
import { curves } from "./curves.js";
import { dials } from "./dials.js";
import { flow } from "./flow.js";
import { readBack, storedFrame } from "./frames.js";
import { question } from "./question.js";
import { reading } from "./reading.js";
import { session } from "./session.js";
import { makeTask } from "./tasks.js";
import { transport } from "./transport.js";
import { ablation, lower, status } from "./words.js";
import { alarm, group } from "../drawing/training.js";
import { announcer, h, oncePerFrame, setAttr, setAttrs } from "../drawing/ui.js";
import { loadData } from "../runtime/data.js";
import { rootOf } from "../shell/root.js";
import { dataOf, trainingOf } from "../shell/training.js";
import { settingsOf } from "../shell/traits.js";

const DIALS = TAKES.controls;
const STRUCTURE = DIALS.filter((name) => name !== "rate"); // a change begins a new run
const SETTINGS = Object.keys(CODECS).filter((name) => name !== "controls");
const WIDE = 600;
const SPOKEN = 900; // milliseconds of rest before the words are spoken
const settings = settingsOf(SETTINGS);
const structure = (now) => JSON.stringify(STRUCTURE.map((name) => now[name]));
const graphName = ({ layers, norm, residual }) => `train_${layers}_${norm}${residual ? "" : "_plain"}`;

async function render({ model, el }) {
  const names = model.get("controls");
  const root = rootOf(el, "course-training aex", "Attention explorer", { "aria-busy": "true" });
  const linked = SETTINGS.filter((name) => names.includes(name) || !DIALS.includes(name));
  const { authored, values: get, change: set, save, link, follow } = settings.open(model, CODECS, linked);
  const change = (part) => {
    set(part);
    save();
  };
  const data = await dataOf(root, model, ["tasks", "worker", "adam", "default"]);
  if (!data) return;
  const [tables, worker, adam, trained] = data;
  const tasks = Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, makeTask(table)]));
  let column = null;
  let theme = "light";

  // What the session looks at: the reader's question, and the heads of this model that are off.
  const questionOf = ({ task, text }) => (text ? tasks[task].read(text) : null);
  const looks = (now) => ({
    draws: questionOf(now),
    off: now.off.filter(([layer, head]) => layer < now.layers && head < now.h),
  });
  let looked = JSON.stringify(looks(get())); // what it has been told
  function look() {
    const { planned } = training.now;
    const told = JSON.stringify(looks(get()));
    if (told === looked || !planned || structure(planned) !== structure(get())) return;
    looked = told;
    training.send({ type: "look", ...looks(get()) });
  }
  function isShown() {
    const { frame } = training.now;
    const { draws, off } = looks(get());
    const asIs = (a, b) => JSON.stringify(a) === JSON.stringify(b);
    return training.isShown() && asIs(frame.off, off) && (!draws || asIs(frame.draws, draws));
  }

  const isStored = (now) => DIALS.every((name) => trained.settings[name] === now[name]);
  const training = trainingOf({
    model,
    worker,
    session,
    get,
    change,
    structure,
    async begins(now, { anew, playing }) {
      const graph = await loadData(model, graphName(now));
      const told = looks(now);
      looked = JSON.stringify(told);
      const stored = !anew && !playing && isStored(now) ? trained : null;
      return { settings: { ...now, rate: get().rate }, task: tables[now.task], graph, adam, stored, ...told };
    },
    redraw: () => redraw(),
  });
  const acts = {
    play: training.toggle,
    step: training.step,
    reset: () => training.afresh(),
    slower: () => training.afresh({ rate: lower(get().rate) }),
    speed: (speed) => change({ speed }),
    defaults() {
      column = null;
      training.afresh(authored, { stored: true });
    },
    seek(step) {
      training.halt();
      training.send({ type: "seek", step });
    },
  };

  // The parts.
  const begins = (name) => tasks[name].spell(tasks[name].bounds.map(() => 0)).targets.findIndex((target) => target >= 0);
  const turn = (part) => change(part.task ? { ...part, text: "", row: begins(part.task) } : part); // another task has other questions
  const choose = (row, at) => {
    column = at;
    change({ row });
    redraw();
  };
  const open = el.clientWidth >= WIDE;
  const dial = dials({ names, get, change: turn, open });
  const board = transport(acts);
  const chart = curves();
  const maps = reading({ get, change, choose });
  const thread = flow({ choose });
  const own = question({ ask: (text) => change({ text }) });
  const trouble = alarm();
  const voice = announcer(SPOKEN);
  const waiting = h("p", { class: "trn-soft" }, "Getting ready …");
  const followed = group("Follow the chosen token through the layers", { open }, thread.el);
  const right = h("div", { class: "aex-right" }, chart.el, own.el, followed);
  root.append(
    dial.task,
    ...dial.groups,
    board.el,
    trouble.el,
    h("div", { class: "aex-sides" }, h("div", {}, waiting, maps.el), right),
    voice.el,
  );

  /** What is drawn: a frame with its run's sizes, and the place in it that is chosen, as far as this model has it. */
  function stateOf({ frame, shown }) {
    const now = get();
    const task = tasks[shown.task];
    const inside = ([layer, head]) => [Math.min(layer, shown.layers - 1), Math.min(head, shown.h - 1)];
    return {
      frame,
      task,
      theme,
      sizes: shown,
      residual: shown.residual,
      causal: shown.causal,
      map: inside([now.layer, now.head]),
      compare: now.compare && inside(now.compare),
      row: Math.min(now.row, task.n - 1),
      column: column === null ? null : Math.min(column, task.n - 1),
    };
  }
  function draw() {
    const { frame, shown, playing, failed, closed } = training.now;
    if (closed) return;
    const now = get();
    look();
    setAttr(root, "aria-busy", !failed && !isShown());
    trouble.set(failed);
    dial.draw(frame);
    board.draw({ frame, task: shown && tasks[shown.task], playing, now });
    if (!frame) return;
    const state = stateOf(training.now);
    const { task } = state;
    waiting.hidden = true;
    chart.draw(state);
    const sentence = maps.draw(state);
    thread.draw(state);
    own.draw(state);
    const words = [status(frame, task, now.rate), ablation(frame, shown), playing ? "" : sentence];
    voice.tell(words.filter(Boolean).join(" "));
    const { step, accuracy, stored, loss } = frame;
    setAttrs(root, { step, playing, where: training.kind, accuracy, stored, loss }, "data-");
    link(now);
    training.atRest(() => {
      model.set(readBack(frame, task, shown.h));
      save();
    });
    el.dataset.ready = "1";
    training.seen();
  }
  const redraw = oncePerFrame(draw);
  const changed = () => {
    training.follow();
    look();
    redraw();
  };
  const turned = (now) => {
    theme = now;
  };
  const stop = follow(changed, { root, drawn: () => true, turned });
  if (isStored(get()) && looked === JSON.stringify({ draws: null, off: [] })) training.show(storedFrame(trained)); // nothing need be computed to show it
  draw();
  setTimeout(training.begin); // after this paint
  return () => {
    stop();
    training.close();
  };
}

export default { initialize: settings.initialize, render };
