// Drives the explorer's session by its messages for tests/widgets/test_attention_explorer.py. Reads {table, trained} from standard input.

import { readFileSync } from "node:fs";
import { session } from "../../course_lib/widgets/attention_explorer/session.js";

const stored = (name) => JSON.parse(readFileSync(new URL(`../../course_lib/widgets/graphs/${name}.json`, import.meta.url)));
const { table, trained } = JSON.parse(readFileSync(0, "utf8"));
const begin = {
  type: "begin",
  run: 1,
  task: table,
  graph: stored("train_1_pre"),
  adam: stored("adam"),
  settings: trained.settings,
};

let latest = null;
let frames = 0;
let attentive = true;
const send = session((message) => {
  if (message.type === "error") throw Error(message.words);
  latest = message;
  frames++;
  if (attentive) setTimeout(() => send({ type: "seen" }));
});
const rest = (ms = 15) => new Promise((done) => setTimeout(done, ms));
async function until(true_) {
  for (const end = performance.now() + 60_000; !true_(); await rest()) if (performance.now() > end) throw Error(`never ${true_}`);
}

const out = {};
send({ ...begin, stored: trained });
await rest();
out.first = { step: latest.step, stored: latest.stored, accuracy: latest.accuracy, moments: latest.moments };
const apart = (a, b) => Math.max(...a.map((x, i) => Math.abs(x - b[i])));
out.difference = Math.max(
  apart([...latest.weights[0]], trained.seen.weights[0]),
  apart([...latest.probabilities], trained.seen.probabilities),
);

send(begin);
await rest();
send({ type: "go", on: true, speed: null, steps: 30 });
await until(() => latest.step === 30 && !latest.on);
out.trained = { step: latest.step, loss: latest.loss };
send({ type: "look", draws: null, off: [[0, 0]] });
await rest();
out.off = { accuracy: latest.accuracy, whole: latest.whole };
send({ type: "look", draws: null, off: [] });
send({ type: "seek", step: 10 });
await until(() => latest.step === 10);
out.back = { step: latest.step };
send({ type: "go", on: true, speed: null, steps: 20 });
await until(() => latest.step === 30 && !latest.on);
out.again = { loss: latest.loss };

send({ ...begin, settings: { ...trained.settings, rate: 1 } });
await rest();
send({ type: "go", on: true, speed: null });
await until(() => latest.stopped);
out.hopeless = { stopped: latest.stopped, whole: latest.whole };

send(begin);
await rest();
attentive = false;
frames = 0;
send({ type: "go", on: true, speed: null, steps: 40 });
for (let turn = 0; turn < 60; turn++) await rest(0); // each of the session's turns takes at least one step
out.unseen = frames;
send({ type: "seen" });
out.told = latest.step;

// What is heard of runs that cannot begin, and after them; of a frame its run: one without a test question, one without Adam.
let heard = [];
const other = session((message) => heard.push(message.type === "error" ? "error" : message.run));
const told = (...messages) => {
  heard = [];
  messages.forEach(other);
  return heard;
};
const after = [
  { type: "seen" },
  { type: "step" },
  { type: "look", draws: null, off: [] },
  { type: "seen" },
  { type: "seek", step: 0 },
];
out.refused = [
  told(begin),
  told({ ...begin, run: 2, draws: [] }, ...after),
  told({ ...begin, run: 3, adam: undefined }, ...after),
  told({ ...begin, run: 4 }),
];
process.stdout.write(JSON.stringify(out));
process.exit(0);
