// The explorer. Training runs in a session (attention_explorer/session.js), usually in a worker; this file holds the settings (the
// widget's model is the one truth), tells the session of changes, and has the parts draw each frame that comes back.

import { pageAddress } from "../shell/address.js";
import { CODECS } from "./address.js";
import { curves } from "./curves.js";
import { dials } from "./dials.js";
import { flow } from "./flow.js";
import { largeMap, overview } from "./maps.js";
import { question } from "./question.js";
import { session as local } from "./session.js";
import { makeTask } from "./tasks.js";
import { transport } from "./transport.js";
import { ablation, lower, mapName, overlap, rowWords, status } from "./words.js";
import { loadData } from "../runtime/data.js";
import { connect } from "../runtime/remote.js";
import { announcer, atMostEvery, h, number, oncePerFrame, setAttr, setText, toggle, watchTheme } from "../drawing/ui.js";

const STRUCTURE = ["task", "d", "m", "h", "layers", "positions", "norm", "residual", "causal", "scaled", "seed"]; // a change begins a new run
const SETTINGS = [...STRUCTURE, "rate", "speed", "text", "layer", "head", "row", "compare", "off"];
const WIDE = 600;
const begun = new WeakMap(); // model → the author's settings, for "Defaults"
const settings = (model, names = SETTINGS) => Object.fromEntries(names.map((name) => [name, model.get(name)]));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const graphName = ({ layers, norm, residual }) => `train_${layers}_${norm}${residual ? "" : "_plain"}`;
const nested = (flat, [size, ...rest]) =>
  size === undefined
    ? Number(flat[0].toPrecision(5))
    : Array.from({ length: size }, (_, i) =>
        nested(flat.subarray((i * flat.length) / size, ((i + 1) * flat.length) / size), rest),
      );

/** The frame of the run trained beforehand, as the session will send it. */
function storedFrame({ seen, losses, accuracies, moments }) {
  const step = losses.length;
  const accuracy = accuracies.at(-1)[1];
  return {
    ...seen,
    step,
    steps: step,
    on: false,
    stopped: null,
    stored: true,
    off: [],
    accuracy,
    whole: accuracy,
    loss: losses.at(-1),
    accuracies,
    losses: losses.map((loss, i) => [i, loss]),
    moments: [0, ...moments.map((moment) => moment.step)],
    probabilities: Float32Array.from(seen.probabilities),
    weights: seen.weights.map((layer) => Float32Array.from(layer)),
  };
}

async function render({ model, el }) {
  const authored = begun.get(model) ?? settings(model);
  const names = model.get("controls");
  begun.set(model, authored);
  const root = h("div", { class: "course-ui aex", role: "group", "aria-busy": "true", "aria-label": "Attention explorer" });
  el.replaceChildren(root);
  const fail = (words) => {
    setAttr(root, "aria-busy", false);
    root.append(h("p", { role: "alert" }, words));
  };

  const address = pageAddress(model);
  const linked = address.read();
  const linkable = SETTINGS.filter((name) => names.includes(name) || ![...STRUCTURE, "rate"].includes(name));
  for (const name of linkable) {
    const value = linked[name] === undefined ? null : CODECS[name].read(linked[name]);
    if (value !== null) model.set(name, value === "max" ? null : value);
  }
  let tables;
  let worker;
  let adam;
  let trained;
  try {
    [tables, worker, adam, trained] = await Promise.all(
      ["tasks", "worker", "adam", "default"].map((name) => loadData(model, name)),
    );
  } catch (error) {
    return fail(error.message);
  }

  const get = (name) => model.get(name);
  const save = atMostEvery(200, () => model.save_changes());
  const change = (part) => {
    for (const [name, value] of Object.entries(part)) model.set(name, value);
    save();
  };
  const tasks = Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, makeTask(table)]));
  let frame = null;
  let task = tasks[get("task")];
  let sizes = null;
  let residual = true;
  let causal = true; // of the run that the frame is from
  let run = 0;
  let busy = false;
  let again = false;
  let fresh = false;
  let playing = false;
  let column = null;
  let planned = null;
  let shown = null;
  let failed = false;
  let theme = "light";
  let closed = false;
  let next = null;

  // The session, and what it is told.
  const session = connect(worker, hear, local);
  const valid = () => get("off").filter(([layer, head]) => layer < get("layers") && head < get("h"));
  const question0 = () => (get("text") ? tasks[get("task")].read(get("text")) : null);
  const look = () => {
    if (planned && same(planned, settings(model, STRUCTURE))) session.send({ type: "look", draws: question0(), off: valid() });
  };
  const go = () => session.send({ type: "go", on: playing && !document.hidden, speed: get("speed") });
  /** Is the frame a picture of these settings? */
  const isShown = () =>
    frame &&
    same(shown, settings(model, STRUCTURE)) &&
    same(frame.off, valid()) &&
    (!question0() || same(frame.draws, question0()));
  const isStored = () => [...STRUCTURE, "rate"].every((name) => trained.settings[name] === get(name));
  async function begin(anew = false, then = null) {
    // then: what the session is told once the new run is there
    fresh ||= anew;
    next = then ?? next;
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    again = failed = false;
    const wanted = settings(model, STRUCTURE);
    const all = { ...wanted, rate: get("rate") };
    const stored = !fresh && !playing && isStored();
    fresh = false;
    try {
      const graph = await loadData(model, graphName(wanted));
      planned = wanted;
      session.send({
        type: "begin",
        run: ++run,
        settings: all,
        task: tables[wanted.task],
        graph,
        adam,
        stored: stored ? trained : undefined,
        draws: question0(),
        off: valid(),
      });
      next?.();
      next = null;
    } catch (error) {
      busy = false;
      failed = true;
      fail(error.message);
    }
  }
  function hear(message) {
    if (closed) return;
    if (message.type === "error") {
      busy = playing = false;
      failed = true;
      trouble.hidden = false;
      setText(trouble, `The training stopped: ${message.words}. Reset starts it again.`);
      return redraw();
    }
    if (message.run !== run) return;
    trouble.hidden = true;
    busy = false;
    frame = message;
    shown = planned;
    task = tasks[planned.task];
    sizes = { layers: planned.layers, h: planned.h };
    ({ residual, causal } = planned);
    if (playing && !frame.on && (frame.stopped || command)) {
      playing = false;
      command = false;
    }
    redraw();
    if (again) begin();
  }
  let command = false;
  const play = () => {
    playing = !playing;
    if (playing && (frame?.stored || frame?.stopped))
      begin(true, go); // these cannot go on, so training starts anew
    else go();
    redraw();
  };
  const halt = () => {
    if (playing) {
      playing = false;
      go();
      redraw();
    }
  };
  const acts = {
    play,
    step() {
      const step = () => session.send({ type: "step" });
      if (frame?.stored) begin(true, step);
      else step();
    },
    reset() {
      halt();
      begin(true);
    },
    defaults() {
      halt();
      fresh = false;
      change(authored);
      column = null;
      begin();
    },
    slower() {
      change({ rate: lower(get("rate")) });
      begin(true);
    },
    seek(step) {
      halt();
      session.send({ type: "seek", step });
    },
    speed(speed) {
      change({ speed });
    },
  };

  // The parts.
  const begins = (name) => tasks[name].spell(tasks[name].bounds.map(() => 0)).targets.findIndex((target) => target >= 0);
  const turn = (part) => change(part.task ? { ...part, text: "", row: begins(part.task) } : part); // another task has other questions
  const dial = dials({ names, get, change: turn, open: el.clientWidth >= WIDE });
  const run0 = transport(acts, get("speed"));
  const chart = curves();
  const chooseMap = ([layer, head]) => change({ layer, head });
  const chooseRow = (row, at) => {
    column = at;
    change({ row });
    redraw();
  };
  const small = overview({ choose: chooseMap });
  const large = largeMap({ choose: chooseRow, answers: true });
  const second = largeMap({ choose: chooseRow, answers: false });
  const thread = flow({ choose: chooseRow });
  const own = question({ ask: (text) => change({ text }) });
  const trouble = h("p", { class: "aex-trouble", role: "alert", hidden: true });
  const sentence = h("p", { class: "aex-sentence" });
  const effect = h("p", { class: "aex-effect" });
  const alike = h("p", { class: "aex-soft" });
  const voice = announcer(900);
  const switched = toggle({
    label: "this head is on",
    value: true,
    oninput: (on) => {
      const pair = place().map;
      const rest = get("off").filter((other) => !same(other, pair));
      change({ off: on ? rest : [...rest, pair].sort((a, b) => a[0] - b[0] || a[1] - b[1]) });
    },
  });
  const other = h("select", {
    onchange: () => change({ compare: /^\d+\.\d+$/.test(other.value) ? other.value.split(".").map(Number) : null }),
  });
  const waiting = h("p", { class: "aex-soft" }, "Getting ready …");
  const reading = h(
    "div",
    { class: "aex-reading", hidden: true },
    small.el,
    h("div", { class: "aex-larges" }, large.el, second.el),
    alike,
    h("div", { class: "aex-tools" }, switched.el, h("label", { class: "aex-other" }, h("span", {}, "compare with"), other)),
    effect,
    sentence,
  );
  const followed = h(
    "details",
    { class: "aex-group", open: el.clientWidth >= WIDE },
    h("summary", {}, "Follow the chosen token through the layers"),
    thread.el,
  );
  root.append(
    dial.task,
    ...dial.groups,
    run0.el,
    trouble,
    h(
      "div",
      { class: "aex-sides" },
      h("div", {}, waiting, reading),
      h("div", { class: "aex-right" }, chart.el, own.el, followed),
    ),
    voice.el,
  );

  const place = () => {
    const inside = ([layer, head]) => [Math.min(layer, sizes.layers - 1), Math.min(head, sizes.h - 1)];
    const compare = get("compare");
    return {
      map: inside([get("layer"), get("head")]),
      compare: compare && inside(compare),
      row: Math.min(get("row"), task.n - 1),
    };
  };
  let menu = "";
  let spoken = "";
  function draw() {
    if (closed) return;
    setAttr(root, "aria-busy", !failed && !isShown());
    dial.draw(frame);
    run0.draw({ frame, task, playing, rate: get("rate"), speed: get("speed") });
    if (!frame) return;
    const state = {
      frame,
      task,
      sizes,
      residual,
      causal,
      theme,
      column: column === null ? null : Math.min(column, task.n - 1),
      ...place(),
    };
    const { map, compare } = state;
    reading.hidden = false;
    waiting.hidden = true;
    chart.draw(state);
    small.draw(state);
    large.draw(state, map);
    second.el.hidden = !compare;
    reading.classList.toggle("aex-pair", Boolean(compare));
    if (compare) second.draw(state, compare);
    setText(
      alike,
      compare ? `The two maps share ${number(overlap(frame, task.n, map, compare))} of their weight (1: equal).` : "",
    );
    switched.set(!get("off").some((pair) => same(pair, map)));
    const options = `${sizes.layers} ${sizes.h}`;
    if (menu !== options) {
      menu = options;
      const pairs = Array.from({ length: sizes.layers * sizes.h }, (_, i) => [Math.floor(i / sizes.h), i % sizes.h]);
      other.replaceChildren(
        h("option", { value: "none" }, "no other"),
        ...pairs.map((pair) => h("option", { value: pair.join(".") }, mapName(sizes.layers, pair))),
      );
    }
    other.value = compare ? compare.join(".") : "none";
    const told = rowWords({ ...state, masked: (i, j) => causal && j > i });
    sentence.replaceChildren(...told.map((part) => (part.strong ? h("b", {}, part.strong) : part)));
    setText(effect, ablation(frame, sizes));
    thread.draw(state);
    own.draw(state);
    const words = [status(frame, task, get("rate")), ablation(frame, sizes), ...(playing ? [] : [sentence.textContent])]
      .filter(Boolean)
      .join(" ");
    if (words !== spoken) {
      if (spoken) voice.say(words);
      spoken = words;
    }
    for (const [name, value] of [
      ["step", frame.step],
      ["playing", playing],
      ["where", session.kind],
      ["accuracy", frame.accuracy],
      ["stored", frame.stored],
      ["loss", frame.loss],
    ])
      setAttr(root, `data-${name}`, value);
    address.write(
      Object.fromEntries(
        linkable.map((name) => {
          const written = CODECS[name].write(get(name));
          return [name, written === CODECS[name].write(authored[name]) ? null : written];
        }),
      ),
    );
    if (!frame.on) readBack();
    el.dataset.ready = "1";
    session.send({ type: "seen" });
  }
  let told = null;
  function readBack() {
    if (told === frame) return;
    told = frame;
    const { n, vocabulary } = task;
    model.set({
      tokens: frame.tokens.map((token) => vocabulary[token]),
      answers: frame.alone.map((token) => vocabulary[token]),
      step: frame.step,
      accuracy: frame.accuracy,
      weights: frame.weights.map((layer) => nested(layer, [sizes.h, n, n])),
      losses: frame.losses.map(([step, loss]) => [step, Number(loss.toPrecision(6))]),
    });
    save();
  }
  const redraw = oncePerFrame(draw);

  // Changes, from the reader or from Python.
  let queued = null;
  const restructure = () => {
    if (queued === null)
      queued = setTimeout(() => {
        queued = null;
        if (!closed && !same(planned, settings(model, STRUCTURE))) begin();
      });
  };
  const onMessage = (message) => {
    if (message?.type !== "train") return;
    const train = () => session.send({ type: "go", on: true, speed: get("speed"), steps: message.steps });
    playing = command = true;
    if (frame?.stored || frame?.stopped) begin(true, train);
    else train();
    redraw();
  };
  const reactions = {
    rate: () => session.send({ type: "rate", rate: get("rate") }),
    speed: () => {
      if (playing) go();
    },
    text: look,
    off: look,
    ...Object.fromEntries(STRUCTURE.map((name) => [name, restructure])),
  };
  const listeners = SETTINGS.map((name) => [
    `change:${name}`,
    () => {
      reactions[name]?.();
      redraw();
    },
  ]);
  listeners.push(["msg:custom", onMessage]);
  for (const [event, act] of listeners) model.on(event, act);
  const visible = () => {
    if (playing) go();
  };
  document.addEventListener("visibilitychange", visible);
  const unwatch = watchTheme(root, (now) => {
    theme = now;
    redraw();
  });
  if (isStored() && !get("text") && !valid().length) {
    // its picture comes along, so nothing need be computed to show it
    shown = planned = settings(model, STRUCTURE);
    frame = storedFrame(trained);
    sizes = { layers: planned.layers, h: planned.h };
  }
  draw();
  setTimeout(begin); // after this paint
  return () => {
    closed = true;
    unwatch();
    session.close();
    document.removeEventListener("visibilitychange", visible);
    for (const [event, act] of listeners) model.off(event, act);
  };
}

export default {
  initialize: ({ model }) => {
    begun.set(model, settings(model));
  },
  render,
};
