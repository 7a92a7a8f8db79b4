// The page's slices for tests/widgets/test_gaussian_attention.py: which of several requests are answered, and in how
// many slices.

import { sliced } from "../../course_lib/widgets/runtime/sliced.js";

const wait = (until) =>
  new Promise((done) => {
    const look = () => (until() ? done() : setTimeout(look, 1));
    look();
  });
const answers = [];
let slices = 0;
let time = 0;
let within = false;
performance.now = () => time;
const worker = sliced(
  function* (name) {
    let pieces = 0;
    for (; pieces < 40; pieces++) {
      time += 3; // milliseconds of work
      if (!within) {
        slices++;
        within = true;
        queueMicrotask(() => {
          within = false;
        });
      } // that comes when the slice has ended
      yield;
    }
    return [name, pieces];
  },
  (answer) => answers.push(answer),
);
for (const name of "abcd") worker.ask(name);
await wait(() => answers.length === 2);
const taken = slices;
worker.ask("e");
worker.stop();
// were it not stopped, it would be done
for (let turn = 0; turn < 60; turn++) await new Promise((done) => setTimeout(done));
process.stdout.write(JSON.stringify({ answers, slices: taken, after_stop: slices - taken, busy: worker.busy() }));
