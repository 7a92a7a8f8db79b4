// The page's slices for tests/test_gaussian_widget.py: which of several requests are answered, and how often others had their turn.

import { sliced } from "../../course_lib/widgets/static/sliced.js";

const wait = (until) =>
  new Promise((done) => {
    const look = () => (until() ? done() : setTimeout(look, 1));
    look();
  });
const answers = [];
let turns = 0;
const slices = sliced(
  function* (name) {
    let pieces = 0;
    for (; pieces < 40; pieces++) {
      const end = performance.now() + 3;
      while (performance.now() < end); // busy
      yield;
    }
    return [name, pieces];
  },
  (answer) => answers.push(answer),
);
const clock = setInterval(() => {
  turns++;
}, 0);
for (const name of "abcd") slices.ask(name);
await wait(() => answers.length === 2);
clearInterval(clock);
slices.ask("e");
await wait(() => true);
slices.stop();
await new Promise((done) => setTimeout(done, 60));
process.stdout.write(JSON.stringify({ answers, turns, after_stop: answers.length, busy: slices.busy() }));
