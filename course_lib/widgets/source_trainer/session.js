// The trainer's run, behind messages: the same code runs in a worker, and on the page itself where no worker may start.
//
// In: {type: "begin", run, settings, graphs?}, "go" {on, speed, steps?}, "step", "rate" {rate}, "seen" (the page has drawn the last
// frame). Out: {type: "frame", …} or {type: "error", words}. A frame is sent only after the one before was seen, so that a page
// that is slow or hidden is never flooded. The graphs come with the first "begin".

import { makeRun } from "./run.js";
import { makeRecord } from "./record.js";
import { countingScale } from "./source.js";

const FRAME = 33;
const now = () => performance.now();

/** post(message) tells the page; slice: milliseconds of updates at a time. Returns receive(message). */
export function session(post, { slice = 20, generate } = {}) {
  let graphs = null;
  let run = null;
  let settings;
  let id;
  let record;
  let counting;
  let scales = new Map();
  let on = false;
  let speed = null;
  let until = Infinity;
  let stopped = null;
  let clock = null;
  let began = 0;
  let done = 0;
  let waiting = false;
  let dirty = false;
  let sent = 0;
  let seen = null;
  let cost = 0;
  let measured = 0;

  function begin(message) {
    rest();
    graphs = message.graphs ?? graphs;
    ({ settings, run: id } = message);
    run = makeRun({ graphs, settings, generate });
    const key = JSON.stringify([settings.p, settings.stickiness]);
    if (!scales.has(key)) scales = new Map([[key, countingScale(settings.p, settings.stickiness)]]);
    counting = scales.get(key);
    stopped = null;
    waiting = false;
    record = makeRecord(measure());
    if (on) go();
    frame(true);
  }

  function rest() {
    clearTimeout(clock);
    clock = null;
  }

  function measure() {
    const before = now();
    seen = { step: run.updates, last: run.measure(false), averaged: run.measure(true), ...run.look() };
    measured = now();
    cost = measured - before;
    return seen;
  }

  function once() {
    const loss = run.step(settings.rate);
    const { updates } = run;
    if (!Number.isFinite(loss)) return stop("diverged");
    record.add(loss);
    if (record.due(updates)) record.measured(updates, run.targets(), measure());
    if (updates >= settings.updates) {
      if (seen.step < updates) record.measured(updates, run.targets(), measure());
      return stop("end");
    }
    if (updates >= until) on = false;
    return on;
  }

  function stop(why) {
    on = false;
    stopped = why;
    rest();
    return false;
  }

  function go() {
    began = now();
    done = 0;
    rest();
    clock = setTimeout(tick, 0);
  }

  function tick() {
    clock = null;
    if (!on) return;
    const start = now();
    const due = speed === null ? Infinity : Math.floor(((start - began) * speed) / 1000) + 1 - done;
    let made = 0;
    while (made < due && (made === 0 || now() - start < slice)) {
      made++;
      if (!once()) break;
    }
    done += made;
    if (made < due && speed !== null) {
      began = now();
      done = 1;
    } // too slow for this speed: no debt
    frame(!on);
    if (on) clock = setTimeout(tick, speed === null ? 0 : Math.max(0, Math.min(250, began + (1000 * done) / speed - now())));
  }

  function frame(must = false) {
    dirty = true;
    if (waiting || (!must && now() - sent < FRAME)) return;
    if (seen.step < run.updates && !stopped && (must || now() - measured > 8 * cost)) measure();
    record.keep(seen);
    post({
      type: "frame",
      run: id,
      step: run.updates,
      on,
      stopped,
      seen: record.seen,
      targets: run.targets(),
      counting,
      loss: record.loss,
      curve: record.curve(),
      errors: record.errors,
      tokens: run.probe.slice(),
      parameters: run.parameterCount,
    });
    waiting = true;
    dirty = false;
    sent = now();
  }

  const acts = {
    begin,
    go(message) {
      const was = on;
      on = message.on && !stopped;
      speed = message.speed ?? null;
      if (!run) return;
      until = message.steps ? run.updates + message.steps : Infinity;
      if (on) go();
      else if (was) {
        rest();
        frame(true);
      }
    },
    step() {
      if (!on && !stopped) once();
      frame(true);
    },
    rate({ rate }) {
      settings = { ...settings, rate };
    },
    seen() {
      waiting = false;
      if (dirty) frame(!on);
    },
  };
  return (message) => {
    if (!run && message.type !== "begin" && message.type !== "go") return;
    try {
      acts[message.type](message);
    } catch (error) {
      if (message.type === "begin") run = null; // half begun: nothing of it may be shown
      stop("error");
      post({ type: "error", words: error.message });
    }
  };
}
