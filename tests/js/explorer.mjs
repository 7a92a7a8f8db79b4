// The explorer's training for tests/widgets/test_attention_explorer.py: see answers.mjs.

import { readFileSync } from "node:fs";
import { makeHistory } from "../../course_lib/widgets/attention_explorer/history.js";
import { makeRun } from "../../course_lib/widgets/attention_explorer/model.js";
import { graphName } from "../../course_lib/widgets/attention_explorer/relative.js";
import { session } from "../../course_lib/widgets/attention_explorer/session.js";
import { halves } from "../../course_lib/widgets/runtime/half.js";
import { makeTask } from "../../course_lib/widgets/attention_explorer/tasks.js";
import { Generator } from "../../course_lib/widgets/runtime/random.js";
import { answers } from "./answers.mjs";
import { drive } from "./session.mjs";

const stored = (name) =>
  JSON.parse(readFileSync(new URL(`../../course_lib/widgets/graphs/${name}.json`, import.meta.url)));
const adam = stored("adam");
const graphOf = (settings) => stored(graphName(settings));

function train(table, settings, { steps, back, off = [] }) {
  const run = makeRun({ graph: graphOf(settings), adam, settings, task: makeTask(table) });
  const start = Object.fromEntries(run.parameters().map(([key, values]) => [key, Array.from(values)]));
  const losses = [];
  let moment = null;
  for (let i = 0; i < steps; i++) {
    if (i === back) moment = run.snapshot();
    losses.push(run.step(settings.rate));
  }
  const accuracies = { accuracy: run.accuracy(), without: run.accuracy(off) };
  const seen = run.look(run.testQuestion(), off);
  // with every head again
  const result = { start, losses, count: run.parameterCount, ...accuracies, ...seen, still: run.accuracy() };
  if (moment) {
    run.restore(moment);
    result.again = losses.slice(back).map(() => run.step(settings.rate));
  }
  return result;
}

// Which steps a history of at most `limit` moments keeps in a run of `steps`.
function thinned({ steps, limit, from, more }) {
  const history = makeHistory(1, limit);
  const go = (a, b) => {
    for (let step = a; step < b; step++) {
      if (history.due(step)) history.keep({ step });
      if (step % 10 === 0) history.measured(step, step / 1000);
      history.add(step, step);
    }
  };
  const kept = () => history.moments.map(({ step }) => step);
  go(0, steps);
  const before = kept();
  go(from, from + more);
  return { before, after: kept(), steps: history.steps, ...history.curves() };
}

// Trained beforehand, trained anew, back, a head off, a hopeless rate.
async function talked(table, trained) {
  const { settings } = trained;
  const begin = { run: 1, task: table, graph: graphOf(settings), adam, settings };
  const { page, rest, send, until, begins, steps, toTheEnd } = drive(session);
  const out = { first: await begins({ ...begin, stored: trained }) };
  const apart = (a, b) => Math.max(...a.map((x, i) => Math.abs(x - b[i])));
  const { seen } = trained;
  out.differences = [apart(out.first.weights[0], seen.weights[0]), apart(out.first.probabilities, seen.probabilities)];
  await begins(begin);
  out.trained = await steps(30);
  send({ type: "look", draws: null, off: [[0, 0]] });
  await rest();
  out.off = page.latest;
  send({ type: "look", draws: null, off: [] });
  send({ type: "seek", step: 10 });
  out.back = await until(({ step }) => step === 10);
  out.again = await steps(20);
  await begins({ ...begin, settings: { ...settings, rate: 1 } });
  out.hopeless = await toTheEnd();
  await begins({ ...begin, draws: [] }); // without a question nothing can be shown
  out.errors = page.errors.length;
  return out;
}

await answers({
  train,
  thinned,
  talked,
  halves,
  batch: (table, seed, b) => makeTask(table).batch(new Generator(seed), b),
  read(table, text) {
    const task = makeTask(table);
    const draws = task.read(text);
    return draws && { draws, shown: task.show(draws), ...task.spell(draws) };
  },
});
