// The chain trainer's run and session for tests/widgets/test_chain_trainer.py: see answers.mjs.

import { readFileSync } from "node:fs";
import { makeRun } from "../../course_lib/widgets/chain_trainer/run.js";
import { session } from "../../course_lib/widgets/chain_trainer/session.js";
import { answers } from "./answers.mjs";
import { drive } from "./session.mjs";

const stored = (name) => JSON.parse(readFileSync(new URL(`../../course_lib/widgets/graphs/${name}.json`, import.meta.url)));
const graphs = Object.fromEntries(["adam", "chains_1", "chains_2"].map((name) => [name, stored(name)]));
const plain = (all) => Object.fromEntries(all.map(([name, values]) => [name, Array.from(values)]));

function train(settings, steps) {
  const run = makeRun({ graphs, settings });
  const start = plain(run.parameters());
  const first = run.measure().exact;
  const losses = [run.step(settings.rate)];
  const gradients = plain(run.parameters().map(([name]) => [name, run.gradient(name)]));
  while (losses.length < steps) losses.push(run.step(settings.rate));
  const { exact, weights, before, tokens } = run.measure();
  return {
    start,
    gradients,
    losses,
    first,
    exact,
    before,
    tokens,
    weights: weights.map((A) => Array.from(A)),
    lines: run.lines,
    count: run.parameterCount,
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
  return { ...out, errors: page.errors };
}

await answers({ train, talked });
