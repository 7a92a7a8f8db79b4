// The source trainer's run and session for tests/widgets/test_source_trainer.py: see answers.mjs.

import { readFileSync } from "node:fs";
import { makeRecord } from "../../course_lib/widgets/source_trainer/record.js";
import { makeRun } from "../../course_lib/widgets/source_trainer/run.js";
import { session } from "../../course_lib/widgets/source_trainer/session.js";
import { PUBLISHED } from "../../course_lib/widgets/source_trainer/source_controls.js";
import * as source from "../../course_lib/widgets/source_trainer/source.js";
import { move } from "../../course_lib/widgets/source_trainer/shares.js";
import { answers } from "./answers.mjs";
import { drive } from "./session.mjs";

const stored = (name) => JSON.parse(readFileSync(new URL(`../../course_lib/widgets/graphs/${name}.json`, import.meta.url)));
const graphs = Object.fromEntries(["memoryless", "memoryless_read", "adam_averaged"].map((name) => [name, stored(name)]));

function train(settings, steps) {
  const run = makeRun({ graphs, settings });
  const parameters = () => Object.fromEntries(run.parameters().map(([name, values]) => [name, Array.from(values)]));
  const start = parameters();
  const losses = Array.from({ length: steps }, () => run.step(settings.rate));
  return {
    start,
    losses,
    count: run.parameterCount,
    targets: run.targets(),
    q: run.predict(),
    averaged: run.predict(true),
    measured: run.measure(false),
    law: run.law(settings.rate),
    ...run.look(),
    probe: run.probe,
    end: parameters(),
  };
}

async function talked(settings) {
  const { page, send, until, begins, steps, toTheEnd } = drive(session);
  const begin = { run: 1, settings, graphs };
  const out = { first: await begins(begin) };
  send({ type: "step" });
  await until(({ step }) => step === 1);
  out.ten = await steps(9);
  out.end = await toTheEnd();
  await begins({ ...begin, settings: { ...settings, rate: 1e30 } });
  out.hopeless = await toTheEnd();
  await begins({ ...begin, settings: { ...settings, p: settings.p.map(() => NaN) } });
  return { ...out, errors: page.errors };
}

await answers({
  train,
  talked,
  move,
  published: () => PUBLISHED,
  source: (p, stickiness, n) => ({
    P: source.transitions(p, stickiness),
    ...source.optimum(p, stickiness),
    counting: source.countingScale(p, stickiness),
    probes: source.probes(p, stickiness, n),
  }),
  curve(losses) {
    const record = makeRecord({ last: { loss: losses[0] } });
    losses.forEach(record.add);
    return record.curve();
  },
});
