// The translator trainer's run and session for tests/widgets/test_translator_trainer.py: see answers.mjs.

import { readFileSync } from "node:fs";
import { floor, makeRun } from "../../course_lib/widgets/translator_trainer/run.js";
import { session } from "../../course_lib/widgets/translator_trainer/session.js";
import { answers } from "./answers.mjs";
import { drive } from "./session.mjs";

const stored = (name) => JSON.parse(readFileSync(new URL(`../../course_lib/widgets/graphs/${name}.json`, import.meta.url)));
const kinds = ["rnn", "gru", "lstm"].flatMap((cell) => [`encode_${cell}`, `decode_${cell}`, `decode_${cell}_attentive`]);
const graphs = Object.fromEntries(["adam", "begin", "begin_attentive", ...kinds].map((name) => [name, stored(name)]));

const plain = (all) => Object.fromEntries(all.map(([name, values]) => [name, Array.from(values)]));

function train(settings, steps, generate = true) {
  const run = makeRun({ graphs, settings, generate });
  const start = plain(run.parameters());
  const first = run.measure();
  const losses = [run.step(settings.rate)];
  const gradients = plain(run.parameters().map(([name]) => [name, run.gradient(name)]));
  while (losses.length < steps) losses.push(run.step(settings.rate));
  const { weights, ...end } = run.measure();
  return {
    start,
    gradients,
    losses,
    first: first.exact,
    count: run.parameterCount,
    end: { ...end, weights: weights && Array.from(weights) },
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
  return { ...out, errors: page.errors };
}

await answers({ train, floor, talked });
