// The source trainer. Training runs in a session (source_trainer/session.js), usually in a worker; this file holds the settings (the
// widget's model is the one truth), tells the session of changes, and has the parts draw each frame that comes back.

import { pageAddress } from "../shell/address.js";
import { loadData } from "../runtime/data.js";
import { connect } from "../runtime/remote.js";
import { CODECS } from "./address.js";
import { otherControls, sourceControls } from "./controls.js";
import { figures } from "./figures.js";
import { session as local } from "./session.js";
import { leastSticky, optimum } from "./source.js";
import { chosen, lower, status } from "./words.js";
import { announcer, atMostEvery, h, oncePerFrame, setAttr, setText, slider, watchTheme } from "../drawing/ui.js";

const SETTINGS = Object.keys(CODECS);
const LIVE = ["rate", "speed"];
const FASTEST = 1000;
const GRAPHS = ["memoryless", "memoryless_read", "adam_averaged"];
const begun = new WeakMap(); // model → the author's settings, for "Defaults"
const settings = (model) => Object.fromEntries(SETTINGS.map((name) => [name, model.get(name)]));
// What a run is made of. Without an average 0.99 is kept all the same, so that it can be switched on and off in mid-run.
const structure = (model) =>
  JSON.stringify({
    ...settings(model),
    average: model.get("average") ?? 0.99,
    ...Object.fromEntries(LIVE.map((name) => [name, 0])),
  });

async function render({ model, el }) {
  const authored = begun.get(model) ?? settings(model);
  const get = (name) => model.get(name);
  begun.set(model, authored);
  const root = h("div", { class: "course-ui stn", role: "group", "aria-busy": "true", "aria-label": "Source trainer" });
  el.replaceChildren(root);
  const fail = (words) => {
    setAttr(root, "aria-busy", false);
    root.append(h("p", { role: "alert" }, words));
  };

  const address = pageAddress(model);
  const linked = address.read();
  for (const name of SETTINGS) {
    const value = linked[name] === undefined ? undefined : CODECS[name].read(linked[name]);
    if (value !== undefined) model.set(name, value);
  }
  if (get("stickiness") !== null) model.set("stickiness", Math.max(get("stickiness"), leastSticky(get("p"))));
  let worker;
  let graphs;
  try {
    [worker, ...graphs] = await Promise.all(["worker", ...GRAPHS].map((name) => loadData(model, name)));
  } catch (error) {
    return fail(error.message);
  }
  graphs = Object.fromEntries(GRAPHS.map((name, i) => [name, graphs[i]]));

  const save = atMostEvery(200, () => model.save_changes());
  const change = (part) => {
    for (const [name, value] of Object.entries(part)) model.set(name, value);
    save();
  };
  let frame = null;
  let made = null;
  let planned = null;
  let shown = null;
  let failed = false;
  let run = 0;
  let busy = false;
  let again = false;
  let playing = false;
  let command = false;
  let theme = "light";
  let closed = false;
  let next = null;

  // The session, and what it is told.
  const session = connect(worker, hear, local);
  const go = () => session.send({ type: "go", on: playing && !document.hidden, speed: get("speed") });
  function begin(then = null) {
    // then: what the session is told once the new run is there
    next = then ?? next;
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    again = failed = false;
    planned = structure(model);
    made = settings(model);
    session.send({ type: "begin", run: ++run, settings: made, graphs });
    next?.();
    next = null;
  }
  function hear(message) {
    if (closed) return;
    if (message.type === "error") {
      busy = playing = false;
      failed = true;
      setText(trouble, `The training stopped: ${message.words}. Reset starts it again.`);
      trouble.hidden = false;
      return redraw();
    }
    if (message.run !== run) return;
    trouble.hidden = true;
    busy = false;
    frame = message;
    shown = planned;
    if (playing && !frame.on && (frame.stopped || command)) playing = command = false;
    redraw();
    if (again) begin();
  }
  const halt = () => {
    if (playing) {
      playing = false;
      go();
    }
  };
  const play = () => {
    playing = !playing;
    if (playing && frame?.stopped)
      begin(go); // a run that is over cannot go on, so training starts anew
    else go();
    redraw();
  };
  const afresh = (part) => {
    halt();
    change(part);
    begin();
  };

  // The parts.
  const source = sourceControls({ get, change });
  const other = otherControls({ get, change, open: false });
  const pictures = figures();
  const button = (text, act, kind = "") => h("button", { type: "button", class: `course-button ${kind}`, onclick: act }, text);
  const start = button("Train", play, "stn-play");
  const step = button("One step", () => session.send({ type: "step" }));
  const slower = button("Reset with a tenth of the rate", () => afresh({ rate: lower(get("rate")) }), "stn-play");
  const buttons = h(
    "div",
    { class: "stn-buttons" },
    start,
    step,
    button("Reset", () => afresh({})),
    button("Next seed", () => afresh({ seed: (get("seed") + 1) % 10_000 })),
    button("Defaults", () => afresh(authored)),
  );
  const speed = slider({
    label: "speed",
    min: 1,
    max: FASTEST,
    step: 0.25,
    scale: "log",
    value: get("speed") ?? FASTEST,
    format: (x) => (x > 0.95 * FASTEST ? "as fast as it can" : `${Number(x.toPrecision(2))} updates a second`),
    oninput: (x) => change({ speed: x > 0.95 * FASTEST ? null : Number(x.toPrecision(2)) }),
  });
  const words = h("p", { class: "stn-status" });
  const trouble = h("p", { class: "stn-trouble", role: "alert", hidden: true });
  const voice = announcer(900);
  const over = h("progress", { class: "stn-progress", max: 1, value: 0, "aria-label": "updates made" });
  root.append(
    source.el,
    ...other.els,
    h("div", { class: "stn-transport" }, buttons, speed.el, over, h("div", { class: "stn-told" }, words, slower)),
    trouble,
    pictures.el,
    voice.el,
  );
  pictures.el.hidden = true;

  let spoken = "";
  function draw() {
    if (closed) return;
    setAttr(root, "aria-busy", !failed && shown !== structure(model));
    source.draw();
    other.draw(frame);
    speed.set(get("speed") ?? FASTEST);
    setText(start, playing ? "Pause" : frame?.stopped === "end" ? "Train again" : frame?.step ? "Go on" : "Train");
    step.disabled = playing || Boolean(frame?.stopped);
    slower.hidden = frame?.stopped !== "diverged";
    address.write(
      Object.fromEntries(
        SETTINGS.map((name) => {
          const written = CODECS[name].write(get(name));
          return [name, written === CODECS[name].write(authored[name]) ? null : written];
        }),
      ),
    );
    if (frame?.run !== run) return; // the new run's first frame is on its way: the old one has other sizes
    pictures.el.hidden = false;
    const now = { ...made, average: get("average"), rate: get("rate") };
    const best = optimum(made.p, made.stickiness);
    pictures.draw({ frame, settings: now, best, theme });
    const told = status(frame, now, best);
    setText(words, told);
    setAttr(over, "value", frame.step / made.updates);
    words.classList.toggle("stn-trouble", frame.stopped === "diverged");
    if (!playing && told !== spoken) {
      if (spoken) voice.say(told);
      spoken = told;
    } // while it trains, silence
    const { loss, error } = chosen(frame, now.average);
    for (const [name, value] of [
      ["step", frame.step],
      ["playing", playing],
      ["where", session.kind],
      ["loss", frame.loss],
      ["exact", loss],
      ["error", error],
      ["stopped", frame.stopped],
    ])
      setAttr(root, `data-${name}`, value);
    if (!frame.on) readBack(error);
    el.dataset.ready = "1";
    session.send({ type: "seen" });
  }
  let last = null;
  function readBack(error) {
    if (last === frame) return;
    last = frame;
    model.set({
      step: frame.step,
      q: chosen(frame, get("average")).q.map((share) => Number(share.toPrecision(6))),
      error: Number((100 * error).toPrecision(5)),
      losses: frame.curve.map(([update, , mean]) => [update, Number(mean.toPrecision(6))]),
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
        if (!closed && planned !== structure(model)) begin();
      });
  };
  const onMessage = (message) => {
    if (message?.type !== "train") return;
    const train = () => session.send({ type: "go", on: true, speed: get("speed"), steps: message.steps });
    playing = command = true;
    if (frame?.stopped) begin(train);
    else train();
    redraw();
  };
  const reactions = {
    rate: () => session.send({ type: "rate", rate: get("rate") }),
    speed: () => {
      if (playing) go();
    },
  };
  const listeners = SETTINGS.map((name) => [
    `change:${name}`,
    () => {
      (reactions[name] ?? restructure)();
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
