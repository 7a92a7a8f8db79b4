// The explorer's training, behind the messages of runtime/session.js. "begin" brings {settings, task, graph, adam,
// draws, off, stored?}; its own messages are "seek" {step} and "look" {draws, off}; a frame shows what `frame` gives.

import { halves } from "../runtime/half.js";
import { seldom, sessionOf } from "../runtime/session.js";
import { makeHistory } from "./history.js";
import { makeRun } from "./model.js";
import { makeTask } from "./tasks.js";

const MOST_STEPS = 20_000;
const HOPELESS = 1e6; // a loss
const BEFORE = 20; // steps before the loss ran away
const VECTORS = 3; // that a moment keeps: the parameters and Adam's two averages

function open({ settings, task: table, graph, adam, stored = null, draws, off = [] }, options) {
  const task = makeTask(table);
  const model = makeRun({ graph, adam, settings, task, ...options });
  const numbers = model.parameters().reduce((sum, [, values]) => sum + values.length, 0);
  const history = makeHistory(VECTORS * Float32Array.BYTES_PER_ELEMENT * numbers);
  let step = 0;
  let stopped = null;
  let smooth = null;
  let first = null;
  let accuracy = null; // with the heads in `off` gone
  let whole = null;
  let fresh = false; // are the accuracies those of this step?
  draws ??= model.testQuestion();

  const accuracies = seldom(() => {
    whole = model.accuracy();
    accuracy = off.length ? model.accuracy(off) : whole;
    fresh = true;
  });
  const keep = () => history.keep({ step, ...model.snapshot() });

  // A run made in Python: moments without Adam's averages, only to be looked at, unpacked when first looked at.
  function unpack(moment) {
    const [{ random, t, vectors }] = history.moments;
    const [, ...averages] = vectors;
    Object.assign(moment, { random, t, vectors: [halves(moment.parameters), ...averages], parameters: null });
  }
  // known: the accuracy there, where it need not be measured.
  function show(index, known = null) {
    const moment = history.moments[index];
    if (!moment) return;
    if (moment.parameters) unpack(moment);
    model.restore(moment);
    step = moment.step;
    stopped = null;
    if (known === null) return accuracies.take();
    whole = accuracy = known;
    fresh = true;
  }
  const last = (at) => history.moments.findLastIndex((moment) => moment.step <= at);

  // Back to the last moment before the loss ran away, so that what is shown are numbers.
  function diverge() {
    show(Math.max(0, last(Math.max(0, step - BEFORE))));
    stopped = "diverged";
  }

  keep();
  if (stored) {
    history.fill(stored);
    for (const { step: at, parameters } of stored.moments) history.keep({ step: at, parameters });
    show(history.moments.length - 1, off.length ? null : stored.accuracies.at(-1)[1]);
  } else {
    accuracies.take();
    history.measured(0, accuracy);
  }

  return {
    rate: settings.rate,
    get step() {
      return step;
    },
    get stopped() {
      return stopped;
    },
    once() {
      if (history.due(step)) keep();
      const loss = model.step(this.rate);
      if (!(loss <= HOPELESS)) return diverge(); // or no number
      history.add(step, loss);
      step += 1;
      fresh = false;
      first ??= Math.max(loss, Math.log(task.vocabulary.length));
      smooth = smooth === null ? loss : 0.8 * smooth + 0.2 * loss;
      if (smooth > 3 * first + 1) diverge();
      else if (step >= MOST_STEPS) stopped = "end";
    },
    settle() {
      if (step > 0 && !stored) keep(); // a pause is a moment one can come back to
      if (!fresh) accuracies.take();
      history.measured(step, whole);
    },
    frame(must) {
      if (!fresh && accuracies.due(must)) {
        accuracies.take();
        if (!stored) history.measured(step, whole);
      }
      const { loss, accuracy: points } = history.curves();
      return {
        steps: history.steps,
        stored: Boolean(stored),
        draws,
        ...model.look(draws, off),
        accuracy,
        whole,
        off,
        loss: history.loss(step) ?? null,
        losses: loss,
        accuracies: points,
        parameters: model.parameterCount,
        moments: history.moments.map((moment) => moment.step),
      };
    },
    acts: {
      seek(message, on) {
        if (!on) show(last(message.step));
      },
      look(message) {
        draws = message.draws ?? model.testQuestion();
        if (JSON.stringify(off) === JSON.stringify(message.off)) return;
        off = message.off;
        accuracies.take();
      },
    },
  };
}

export const session = sessionOf(open);
