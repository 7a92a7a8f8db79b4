// The dials of task, model and training; shown are those that the widget's `controls` name.

import { TAKES } from "./address.js";
import { desk } from "../drawing/desk.js";
import { grid, group, picked, rateDial } from "../drawing/training.js";
import { h, setText } from "../drawing/ui.js";

export function controls({ get, change }) {
  const { kept, dial, pick, flag, seed, draw: show } = desk({ get, change, takes: TAKES });
  const whole = (name, label, step = 1) => dial(name, label, step, { format: String });
  const parts = {
    length: whole("length", "letters a row"),
    order: picked("to be written", pick("order", "to be written", { reversed: "reversed", copied: "as read" })),
    noise: dial("noise", "letters exchanged by chance", 0.05),
    r: whole("r", "width of the state r"),
    cell: picked("cell", pick("cell", "cell", { rnn: "plain", gru: "GRU", lstm: "LSTM" })),
    attention: flag("attention", "attention"),
    rate: kept(
      "rate",
      rateDial("learning rate", TAKES.rate, (rate) => change({ rate })),
    ),
    batch: whole("batch", "rows an update", 4),
    updates: whole("updates", "updates", 100),
    seed: seed(),
  };
  const count = h("span", { class: "trn-soft" });
  const some = (...names) => grid(...names.map((name) => parts[name]));
  const el = h(
    "div",
    {},
    some("length", "r", "cell", "attention"),
    group(
      "Task and training",
      { open: false, note: count },
      some("order", "noise", "rate", "batch", "updates", "seed"),
    ),
  );
  function draw(frame) {
    const now = get();
    show(now);
    for (const [name, part] of Object.entries(parts)) part.hidden = !now.controls.includes(name);
    setText(count, frame ? `${frame.parameters.toLocaleString("en")} learnables` : "");
  }
  return { el, draw };
}
