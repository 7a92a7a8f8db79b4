// The source trainer's run and session for tests/widgets/test_source_trainer.py. Reads {runs, sources, moves, losses, talk, refuse} from standard input.

import { readFileSync } from "node:fs";
import { makeRecord } from "../../course_lib/widgets/source_trainer/record.js";
import { makeRun } from "../../course_lib/widgets/source_trainer/run.js";
import { session } from "../../course_lib/widgets/source_trainer/session.js";
import * as source from "../../course_lib/widgets/source_trainer/source.js";
import { move } from "../../course_lib/widgets/source_trainer/shares.js";

const stored = (name) => JSON.parse(readFileSync(new URL(`../../course_lib/widgets/graphs/${name}.json`, import.meta.url)));
const graphs = Object.fromEntries(["memoryless", "memoryless_read", "adam_averaged"].map((name) => [name, stored(name)]));
const { runs = [], sources = [], moves = [], losses, talk, refuse } = JSON.parse(readFileSync(0, "utf8"));

function train({ settings, steps }) {
  const run = makeRun({ graphs, settings });
  const start = Object.fromEntries(run.parameters().map(([name, values]) => [name, Array.from(values)]));
  const losses = Array.from({ length: steps }, () => run.step(settings.rate));
  const { A, ...lengths } = run.look();
  return {
    start,
    losses,
    count: run.parameterCount,
    targets: run.targets(),
    q: run.predict(),
    averaged: run.predict(true),
    measured: run.measure(false),
    A: Array.from(A),
    ...lengths,
    probe: Array.from(run.probe),
    end: Object.fromEntries(run.parameters().map(([name, values]) => [name, Array.from(values)])),
  };
}

async function talked({ settings }) {
  let latest = null;
  let frames = 0;
  let attentive = true;
  const send = session((message) => {
    latest = message;
    frames++;
    if (attentive) setTimeout(() => send({ type: "seen" }));
  });
  const rest = (ms = 10) => new Promise((done) => setTimeout(done, ms));
  const until = async (true_) => {
    for (const end = performance.now() + 60_000; !true_(); await rest())
      if (performance.now() > end) throw Error(`never ${true_}`);
  };
  const out = {};
  const begin = { type: "begin", run: 1, settings, graphs };
  send(begin);
  await rest();
  out.first = { step: latest.step, loss: latest.loss, on: latest.on };
  send({ type: "step" });
  await until(() => latest.step === 1);
  send({ type: "go", on: true, speed: null, steps: 9 });
  await until(() => latest.step === 10 && !latest.on);
  out.ten = { step: latest.step, loss: latest.loss, errors: latest.errors.map(([step]) => step), seen: latest.seen.step };
  send({ type: "go", on: true, speed: null });
  await until(() => latest.stopped);
  out.end = {
    step: latest.step,
    stopped: latest.stopped,
    seen: latest.seen.step,
    error: latest.seen.last.error,
    targets: latest.targets,
  };
  send({ type: "step" });
  await rest();
  out.after = latest.step;
  send({ ...begin, run: 2, settings: { ...settings, rate: 1e30 } });
  await rest();
  send({ type: "go", on: true, speed: null });
  await until(() => latest.stopped);
  out.hopeless = { stopped: latest.stopped, error: latest.seen.last.error, step: latest.seen.step };
  send({ ...begin, run: 3, settings });
  await rest();
  attentive = false;
  frames = 0;
  send({ type: "go", on: true, speed: null, steps: 40 });
  for (let turn = 0; turn < 60; turn++) await rest(0); // each of the session's turns makes at least one update
  out.unseen = frames;
  send({ type: "seen" });
  out.told = latest.step;
  return out;
}

/** What is heard after each of a few messages, of a frame the run and the update that it shows: a run that cannot begin, and what follows it. */
function refused({ settings }) {
  let heard = [];
  const send = session((message) => heard.push(message.type === "error" ? message.words : [message.run, message.seen?.step]));
  const told = (...messages) => {
    heard = [];
    messages.forEach(send);
    return heard;
  };
  const begin = { type: "begin", run: 1, settings, graphs };
  const after = [{ type: "seen" }, { type: "step" }, { type: "seen" }, { type: "go", on: true }, { type: "step" }];
  return {
    good: told(begin),
    half: told({ ...begin, run: 2, graphs: { ...graphs, memoryless_read: undefined } }, ...after).slice(1),
    none: told({ ...begin, run: 3, settings: { ...settings, p: settings.p.map(() => NaN) } }, ...after),
    again: told({ ...begin, run: 4 }),
  };
}

process.stdout.write(
  JSON.stringify({
    runs: runs.map(train),
    sources: sources.map(({ p, stickiness, n }) => ({
      P: source.transitions(p, stickiness),
      ...source.optimum(p, stickiness),
      least: source.leastSticky(p),
      counting: source.countingScale(p, stickiness),
      probes: Array.from(source.probes(p, stickiness, n)),
    })),
    moves: moves.map(([p, i, share]) => move(p, i, share)),
    curve:
      losses &&
      (() => {
        const record = makeRecord({ last: { loss: losses[0] } });
        losses.forEach(record.add);
        return record.curve();
      })(),
    talked: talk && (await talked(talk)),
    refused: refuse && refused(refuse),
  }),
  () => process.exit(0),
);
