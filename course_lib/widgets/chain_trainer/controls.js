// The dials of chains, model and training; shown are those that the widget's `controls` name.

import { TAKES } from "./address.js";
import { desk } from "../drawing/desk.js";
import { grid, group, rateDial } from "../drawing/training.js";
import { h, setText } from "../drawing/ui.js";

export function controls({ get, change }) {
  const { kept, dial, flag, seed, draw: show } = desk({ get, change, takes: TAKES });
  const whole = (name, label, step = 1) => dial(name, label, step, { format: String });
  const parts = {
    layers: whole("layers", "attention layers"),
    h: whole("h", "heads a layer"),
    start: flag("start", "a ⟨start⟩ token"),
    prior: dial("prior", "prior count α", 0.5),
    order: whole("order", "order of the chains"),
    v: whole("v", "states v"),
    d: whole("d", "width of a token d", 4),
    m: whole("m", "width of a head m", 2),
    rate: kept(
      "rate",
      rateDial("learning rate", TAKES.rate, (rate) => change({ rate })),
    ),
    updates: whole("updates", "updates", 100),
    seed: seed(),
  };
  const count = h("span", { class: "trn-soft" });
  const some = (...names) => grid(...names.map((name) => parts[name]));
  const el = h(
    "div",
    {},
    some("h", "layers", "start", "prior"),
    group("More dials", { open: false, note: count }, some("order", "v", "d", "m", "rate", "updates", "seed")),
  );
  function draw(frame) {
    const now = get();
    show(now);
    for (const [name, part] of Object.entries(parts)) part.hidden = !now.controls.includes(name);
    setText(count, frame ? `${frame.parameters.toLocaleString("en")} learnables` : "");
  }
  return { el, draw };
}
