// The explorer: its parts, and what joins them to the training (shell/training.js), which runs usually in a worker. The
// widget's model is the one truth of the settings; the parts draw each frame that comes back.

import { CODECS, TAKES } from "./address.js";
import { curves } from "./curves.js";
import { dials } from "./dials.js";
import { flow } from "./flow.js";
import { readBack, storedFrame } from "./frames.js";
import { question } from "./question.js";
import { headPanel } from "./head_panel.js";
import { session } from "./session.js";
import { graphName } from "./relative.js";
import { makeTask } from "./tasks.js";
import { transport } from "./transport.js";
import { ablation, lower, status } from "./words.js";
import { group } from "../drawing/training.js";
import { nearScreen } from "../drawing/near_screen.js";
import { h, setAttr } from "../drawing/ui.js";
import { loadData } from "../runtime/data.js";
import { sides } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { dataOf } from "../shell/given.js";
import { trainingOf } from "../shell/training.js";
import { settingsOf } from "../shell/traits.js";

const DIALS = TAKES.controls;
const STRUCTURE = DIALS.filter((name) => name !== "rate"); // a change begins a new run
const SETTINGS = Object.keys(CODECS).filter((name) => name !== "controls");
const WIDE = 580;
const settings = settingsOf(SETTINGS);
const structure = (now) => JSON.stringify(STRUCTURE.map((name) => now[name]));

async function start({ model, el, root, names, opened }) {
  const { authored, values: get } = opened;
  const data = await dataOf(root, model, ["tasks", "worker", "adam", "default"]);
  if (!data) return;
  const [tables, worker, adam, trained] = data;
  const tasks = Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, makeTask(table)]));
  let column = null;
  // Whoever arrives at another task by a link sees the first row that is asked, unless the link names one.
  const named = new URLSearchParams(globalThis.location?.search).has(`${model.get("address")}.row`);
  let arrived = named ? get().task : authored.task;

  // What the session looks at: the reader's question, and the heads of this model that are off.
  const looks = ({ task, text, off, layers, h }) => ({
    draws: text ? tasks[task].read(text) : null,
    off: off.filter(([layer, head]) => layer < layers && head < h),
  });
  const asText = JSON.stringify;
  let looked = asText(looks(get())); // what it has been told
  function look(planned) {
    const now = looks(get());
    if (asText(now) === looked || !planned || structure(planned) !== structure(get())) return;
    looked = asText(now);
    training.send({ type: "look", ...now });
  }

  const isStored = (now) => DIALS.every((name) => trained.settings[name] === now[name]);
  const training = trainingOf({
    root,
    el,
    model,
    worker,
    session,
    opened,
    structure,
    draw,
    async begins(now, { anew, playing }) {
      const graph = await loadData(model, graphName(now));
      const told = looks(now);
      looked = asText(told);
      const stored = !anew && !playing && isStored(now) ? trained : null;
      return { settings: { ...now, rate: get().rate }, task: tables[now.task], graph, adam, stored, ...told };
    },
    isShown(frame) {
      const { draws, off } = looks(get());
      return asText(frame.off) === asText(off) && (!draws || asText(frame.draws) === asText(draws));
    },
  });
  const { change } = training;
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
  const targets = (name) => tasks[name].spell(tasks[name].bounds.map(() => 0)).targets;
  const begins = (name) => targets(name).findIndex((target) => target >= 0);
  // another task has other questions
  const turn = (part) => change(part.task ? { ...part, text: "", row: begins(part.task) } : part);
  const choose = (row, at) => {
    column = at;
    change({ row });
    training.redraw();
  };
  const open = el.clientWidth >= WIDE;
  const dial = dials({ names, get, change: turn, open });
  const board = transport(acts);
  const chart = curves();
  const maps = headPanel({ get, change, choose });
  const thread = flow({ choose });
  const own = question({ ask: (text) => change({ text }) });
  const waiting = h("p", { class: "trn-soft" }, "Getting ready …");
  const followed = group("Follow the chosen token through the layers", { open }, thread.el);
  root.append(
    dial.task,
    waiting,
    sides({ picture: maps.el, beside: [board.el, training.trouble, chart.el, ...dial.groups] }),
    h("div", { class: "course-results" }, own.el, followed),
    training.voice,
  );

  /** What is drawn: a frame with its run's sizes, and the place in it that is chosen, as far as this model has it. */
  function stateOf(frame, shown, theme) {
    const { layer, head, compare, row } = get();
    const task = tasks[shown.task];
    const inside = ([layer, head]) => [Math.min(layer, shown.layers - 1), Math.min(head, shown.h - 1)];
    const { residual, causal } = shown;
    return {
      ...{ frame, task, theme, residual, causal, sizes: shown },
      map: inside([layer, head]),
      compare: compare && inside(compare),
      row: Math.min(row, task.n - 1),
      column: column === null ? null : Math.min(column, task.n - 1),
    };
  }
  function draw({ frame, shown, planned, playing }, theme) {
    if (get().task !== arrived) {
      arrived = get().task;
      if (targets(arrived)[get().row] < 0) change({ row: begins(arrived) });
    }
    const now = get();
    look(planned);
    dial.draw(frame);
    board.draw({ frame, task: shown && tasks[shown.task], playing, now });
    if (!frame) return null;
    const state = stateOf(frame, shown, theme);
    const { task } = state;
    waiting.hidden = true;
    for (const part of [chart, thread, own]) part.draw(state);
    const words = [status(frame, task, now.rate), ablation(frame, shown), maps.draw(state)];
    return {
      words: words
        .slice(0, playing ? 2 : 3)
        .filter(Boolean)
        .join(" "),
      data: { accuracy: frame.accuracy, stored: frame.stored },
      back: () => readBack(frame, task, shown.h),
    };
  }
  // Of the run trained beforehand the picture comes along: nothing need be computed to show it.
  if (isStored(get()) && looked === asText({ draws: null, off: [] })) training.show(storedFrame(trained));
  return training.live();
}

/** Begins when it comes near: the stored run alone is 80 kB. What its author gave is judged at once. */
function render({ model, el }) {
  const names = model.get("controls");
  const root = rootOf(el, "course-training aex", "Attention explorer", { "aria-busy": "true" });
  const linked = SETTINGS.filter((name) => names.includes(name) || !DIALS.includes(name));
  const opened = settings.open(model, CODECS, linked);
  let stop = () => {};
  let closed = false;
  nearScreen(root)
    .then(() => (closed ? null : start({ model, el, root, names, opened })))
    .then((end) => {
      if (closed) end?.();
      else stop = end ?? stop;
    })
    .catch((error) => {
      setAttr(root, "aria-busy", false);
      root.append(h("p", { role: "alert" }, `The explorer could not start: ${error.message}`));
    });
  return () => {
    closed = true;
    stop();
  };
}

export default { initialize: settings.initialize, render };
