// The session of any training, with a run that only counts, for tests/widgets/test_training.py.

import { sessionOf } from "../../course_lib/widgets/runtime/session.js";
import { drive } from "./session.mjs";

let counted; // by the latest run

/** Counts to `length`; `faulty` says where it throws; rests: where it was told that training rests. */
function open({ length = Infinity, faulty = "" }) {
  const fault = (place) => {
    if (faulty === place) throw Error(`no ${place}`);
  };
  const rests = [];
  let step = 0;
  fault("begin");
  return {
    rate: 1,
    get step() {
      return step;
    },
    get stopped() {
      return step >= length ? "end" : null;
    },
    once() {
      fault("step");
      step += 1;
      counted = step;
    },
    settle: () => rests.push(step),
    frame() {
      fault("frame");
      return { rate: this.rate, rests: [...rests] };
    },
    acts: {
      seek(message, on) {
        if (!on) step = message.step;
      },
    },
  };
}

const session = sessionOf(open);
const out = {};
const { page, rest, send, begins, steps, toTheEnd, until } = drive(session);
send({ type: "go", on: true, speed: null, steps: 5 }); // before there is a run: it begins to train at once
await begins({ run: 1, length: 30 });
out.early = await until(({ stopped }) => stopped);
await begins({ run: 2, length: 100 });
send({ type: "step" });
await until(({ step }) => step === 1);
await steps(9);
send({ type: "seek", step: 4 });
await until(({ step }) => step === 4);
send({ type: "rate", rate: 0.5 });
out.rested = await steps(6);
out.end = await toTheEnd();
send({ type: "step" });
await rest();
out.after = page.latest.step;

await begins({ run: 3 });
page.attentive = false;
page.frames = 0;
for (let step = 0; step < 5; step++) send({ type: "step" });
send({ type: "go", on: true, speed: null, steps: 35 });
while (counted < 40) await rest();
out.unseen = page.frames;
send({ type: "seen" });
out.told = page.latest.step;

// What is heard of runs that cannot begin or go on, and after them; of a frame its run.
let heard = [];
const other = session((message) => heard.push(message.type === "error" ? message.words : message.run));
const told = (message) => {
  heard = [];
  for (const each of [
    { type: "begin", ...message },
    { type: "seen" },
    { type: "step" },
    { type: "seen" },
    { type: "seek", step: 0 },
  ])
    other(each);
  return heard;
};
out.refused = [{ run: 1 }, ...["begin", "frame", "step"].map((faulty, i) => ({ run: i + 2, faulty })), { run: 5 }].map(
  told,
);
process.stdout.write(JSON.stringify(out));
