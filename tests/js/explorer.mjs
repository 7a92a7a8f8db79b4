// The explorer's training for tests/widgets/test_attention_explorer.py. Reads {tables, runs: [{settings, steps, moments}], draws, read} from
// standard input; see `answer` for what it writes. The session is driven by its messages, as the page does it.

import { readFileSync } from "node:fs";
import { makeHistory } from "../../course_lib/widgets/attention_explorer/history.js";
import { makeRun } from "../../course_lib/widgets/attention_explorer/model.js";
import { halves } from "../../course_lib/widgets/runtime/half.js";
import { makeTask } from "../../course_lib/widgets/attention_explorer/tasks.js";
import { Generator } from "../../course_lib/widgets/runtime/random.js";

const stored = (name) => JSON.parse(readFileSync(new URL(`../../course_lib/widgets/graphs/${name}.json`, import.meta.url)));
const adam = stored("adam");
const { tables = {}, runs = [], batches, read = [], thin, half } = JSON.parse(readFileSync(0, "utf8"));

function train({ settings, steps, back, off = [] }) {
  const task = makeTask(tables[settings.task]);
  const name = `train_${settings.layers}_${settings.norm}${settings.residual ? "" : "_plain"}`;
  const run = makeRun({ graph: stored(name), adam, settings, task });
  const start = Object.fromEntries(run.parameters().map(([key, values]) => [key, Array.from(values)]));
  const losses = [];
  let moment = null;
  for (let i = 0; i < steps; i++) {
    if (i === back) moment = run.snapshot();
    losses.push(run.step(settings.rate));
  }
  const result = { start, losses, count: run.parameterCount, accuracy: run.accuracy(), without: run.accuracy(off) };
  const { weights, probabilities, alone, tokens, targets } = run.look(run.testQuestion(), off);
  Object.assign(result, {
    weights: weights.map((map) => Array.from(map)),
    probabilities: Array.from(probabilities),
    alone,
    tokens,
    targets,
  });
  result.still = run.accuracy(); // with every head again
  if (moment) {
    run.restore(moment);
    result.again = losses.slice(back).map(() => run.step(settings.rate));
  }
  return result;
}

// Which steps a history of at most `limit` moments keeps in a run of `steps`.
function kept({ steps, limit, from, more }) {
  const history = makeHistory(1, limit);
  const go = (a, b) => {
    for (let step = a; step < b; step++) {
      if (history.due(step)) history.keep({ step });
      if (step % 10 === 0) history.measured(step, step / 1000);
      history.add(step, step);
    }
  };
  go(0, steps);
  const before = history.moments.map(({ step }) => step);
  go(from, from + more);
  return {
    before,
    after: history.moments.map(({ step }) => step),
    steps: history.steps,
    curve: history.curves().loss,
    accuracy: history.curves().accuracy,
  };
}

process.stdout.write(
  JSON.stringify({
    runs: runs.map(train),
    batches:
      batches &&
      Object.fromEntries(
        Object.entries(tables).map(([name, table]) => {
          const { tokens, targets } = makeTask(table).batch(new Generator(batches.seed), batches.b);
          return [name, { tokens: [...tokens], targets: [...targets] }];
        }),
      ),
    read: read.map(([name, text]) => {
      const task = makeTask(tables[name]);
      const draws = task.read(text);
      return draws && { draws, shown: task.show(draws), ...task.spell(draws) };
    }),
    thin: thin && kept(thin),
    half: half && Array.from(halves(half)),
  }),
);
