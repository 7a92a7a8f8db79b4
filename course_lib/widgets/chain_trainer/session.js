// The trainer's run, behind the messages of runtime/session.js. "begin" brings {settings, graphs}; a frame shows what
// `frame` gives.

import { seldom, sessionOf } from "../runtime/session.js";
import { makeRun } from "./run.js";

const EACH = 20; // updates from one point of the curve to the next

function open({ settings, graphs }, options) {
  const run = makeRun({ graphs, settings, ...options });
  const curve = [];
  let step = 0;
  let stopped = null;
  let seen = null;
  let loss = null;
  const measure = seldom(() => {
    const now = run.measure();
    if (!Number.isFinite(now.exact)) {
      if (!seen) throw Error("the loss before the first update is no number");
      stopped = "diverged";
    } else seen = { step, ...now };
  });
  measure.take();
  curve.push([0, seen.exact]);

  return {
    rate: settings.rate,
    get step() {
      return step;
    },
    get stopped() {
      return stopped;
    },
    once() {
      loss = run.step(this.rate);
      step += 1;
      if (!Number.isFinite(loss)) stopped = "diverged";
      else if (step >= settings.updates) stopped = "end";
      if (stopped !== "diverged" && step % EACH === 0) {
        measure.take();
        curve.push([seen.step, seen.exact]);
      }
    },
    frame(must) {
      if (seen.step < step && stopped !== "diverged" && measure.due(must)) measure.take();
      const points = seen.step > curve.at(-1)[0] ? [...curve, [seen.step, seen.exact]] : curve;
      return { seen, loss, curve: points, lines: run.lines, parameters: run.parameterCount };
    },
  };
}

export const session = sessionOf(open);
