// The trainer's run, behind the messages of runtime/session.js. "begin" brings {settings, graphs}; a frame shows what
// `frame` gives.

import { seldom, sessionOf } from "../runtime/session.js";
import { makeRecord } from "./record.js";
import { makeRun } from "./run.js";
import { countingScale } from "./source.js";

let known = {}; // the last source's counting scale, which takes a while
function countingOf({ p, stickiness }) {
  const key = JSON.stringify([p, stickiness]);
  if (known.key !== key) known = { key, scale: countingScale(p, stickiness) };
  return known.scale;
}

function open({ settings, graphs }, options) {
  const run = makeRun({ graphs, settings, ...options });
  const counting = countingOf(settings);
  let stopped = null;
  let seen = null;
  const measure = seldom(() => {
    seen = { step: run.updates, last: run.measure(false), averaged: run.measure(true), ...run.look() };
  });
  measure.take();
  const record = makeRecord(seen);
  const measured = (rate) => {
    measure.take();
    record.measured(run.updates, run.targets(), seen, () => (settings.stickiness === null ? run.law(rate) : null));
  };

  return {
    rate: settings.rate,
    get step() {
      return run.updates;
    },
    get stopped() {
      return stopped;
    },
    once() {
      const loss = run.step(this.rate);
      if (!Number.isFinite(loss)) {
        stopped = "diverged";
        return;
      }
      record.add(loss);
      if (run.updates >= settings.updates) stopped = "end";
      if (stopped || record.due(run.updates)) measured(this.rate);
    },
    frame(must) {
      if (seen.step < run.updates && !stopped && measure.due(must)) measure.take();
      record.keep(seen);
      return {
        seen: record.seen,
        targets: run.targets(),
        counting,
        loss: record.loss,
        curve: record.curve(),
        errors: record.errors,
        exact: record.exact,
        parameters: run.parameterCount,
      };
    },
  };
}

export const session = sessionOf(open);
