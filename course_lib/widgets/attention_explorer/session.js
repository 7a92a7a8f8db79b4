// The explorer's training, behind messages: the same code runs in a worker, and on the page itself where no worker may start.
//
// In: {type: "begin", run, settings, task, graph, adam, stored?}, "go" {on, speed, steps?}, "step", "seek" {step}, "rate" {rate},
// "look" {draws, off}, "seen" (the page has drawn the last frame). Out: {type: "frame", …} or {type: "error", words}.
// A frame is sent only after the one before was seen, so that a page that is slow or hidden is never flooded.

import { halves } from "../runtime/half.js";
import { makeHistory } from "./history.js";
import { makeRun } from "./model.js";
import { makeTask } from "./tasks.js";

const MOST_STEPS = 20_000;
const FRAME = 33;
const now = () => performance.now();

/** post(message) tells the page; slice: milliseconds of steps at a time. Returns receive(message). */
export function session(post, { slice = 20, generate } = {}) {
  let run = null;
  let task;
  let settings;
  let history;
  let id;
  let off = [];
  let draws = null;
  let step = 0;
  let on = false;
  let speed = 20;
  let stopped = null;
  let stored = false;
  let smooth = null;
  let first = null;
  let clock = null;
  let began = 0;
  let done = 0;
  let until = Infinity;
  let waiting = false;
  let dirty = false;
  let sent = 0;
  let accuracy = null;
  let whole = null;
  let cost = 0;
  let measured = 0;
  let fresh = false;

  function begin(message) {
    clearTimeout(clock);
    clock = null;
    ({ settings, run: id } = message);
    task = makeTask(message.task);
    run = makeRun({ ...message, task, generate });
    const bytes = 4 * 3 * run.parameters().reduce((sum, [, values]) => sum + values.length, 0);
    history = makeHistory(bytes);
    draws = message.draws ?? run.testQuestion();
    off = message.off ?? [];
    step = 0;
    stopped = smooth = first = accuracy = null;
    stored = Boolean(message.stored);
    history.keep({ step: 0, ...run.snapshot() });
    if (stored) takeStored(message.stored);
    else {
      measure();
      history.measured(0, accuracy);
    }
    fresh = true;
    waiting = false;
    if (on) go();
    frame(true);
  }

  // A run made in Python: moments without Adam's averages, only to be looked at.
  function takeStored(data) {
    history.fill(data);
    for (const { step: at, parameters } of data.moments) history.keep({ step: at, parameters });
    show(history.moments.length - 1, off.length ? null : data.accuracies.at(-1)[1]);
  }

  // known: the accuracy there, where it need not be measured.
  function show(index, known = null) {
    const moment = history.moments[index];
    if (!moment) return;
    if (moment.parameters) {
      // unpacked when first looked at
      const {
        random,
        t,
        vectors: [, ...averages],
      } = history.moments[0];
      Object.assign(moment, { random, t, vectors: [halves(moment.parameters), ...averages], parameters: null });
    }
    run.restore(moment);
    step = moment.step;
    stopped = null;
    if (known === null) measure();
    else {
      whole = accuracy = known;
      fresh = true;
    }
  }

  function measure() {
    const before = now();
    whole = run.accuracy();
    accuracy = off.length ? run.accuracy(off) : whole;
    measured = now();
    cost = measured - before;
    fresh = true;
  }

  function once() {
    if (history.due(step)) history.keep({ step, ...run.snapshot() });
    const loss = run.step(settings.rate);
    if (!Number.isFinite(loss) || loss > 1e6) return diverge(step);
    history.add(step, loss);
    step += 1;
    fresh = false;
    first ??= Math.max(loss, Math.log(task.vocabulary.length));
    smooth = smooth === null ? loss : 0.8 * smooth + 0.2 * loss;
    if (smooth > 3 * first + 1) return diverge(step);
    if (step >= MOST_STEPS) stop("end");
    if (step >= until) on = false;
    return on;
  }

  function stop(why) {
    on = false;
    stopped = why;
    clearTimeout(clock);
    clock = null;
    return false;
  }

  // Back to the last moment before the loss ran away, so that what is shown are numbers.
  function diverge(at) {
    const from = history.moments.findLastIndex((moment) => moment.step <= Math.max(0, at - 20));
    show(Math.max(0, from));
    return stop("diverged");
  }

  function settle() {
    // a pause is a moment one can come back to
    if (step > 0 && !stopped && !stored) history.keep({ step, ...run.snapshot() });
    if (!fresh) measure();
    history.measured(step, whole);
  }

  function go() {
    began = now();
    done = 0;
    clearTimeout(clock);
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
    if (!on && !stopped) settle();
    frame(!on);
    if (on) clock = setTimeout(tick, speed === null ? 0 : Math.max(0, Math.min(250, began + (1000 * done) / speed - now())));
  }

  function frame(must = false) {
    dirty = true;
    if (waiting || (!must && now() - sent < FRAME)) return;
    if (!fresh && (must || now() - measured > 8 * cost)) {
      measure();
      if (!stored) history.measured(step, whole);
    }
    const seen = run.look(draws, off);
    const { loss, accuracy: points } = history.curves();
    post({
      type: "frame",
      run: id,
      step,
      steps: history.steps,
      on,
      stopped,
      stored,
      draws,
      ...seen,
      accuracy,
      whole,
      off,
      loss: history.loss(step) ?? null,
      losses: loss,
      accuracies: points,
      parameters: run.parameterCount,
      moments: history.moments.map((moment) => moment.step),
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
      until = message.steps ? step + message.steps : Infinity;
      if (!run) return;
      if (on) go();
      else if (was) {
        clearTimeout(clock);
        clock = null;
        settle();
        frame(true);
      }
    },
    step() {
      if (!on && !stopped) {
        once();
        if (!stopped) settle();
      }
      frame(true);
    },
    seek(message) {
      if (!on) show(history.moments.findLastIndex((moment) => moment.step <= message.step));
      frame(true);
    },
    rate({ rate }) {
      settings = { ...settings, rate };
    },
    look(message) {
      draws = message.draws ?? run.testQuestion();
      if (JSON.stringify(off) !== JSON.stringify(message.off)) {
        off = message.off;
        measure();
      }
      frame(true);
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
