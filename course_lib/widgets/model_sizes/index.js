// ModelSizes: the model holds the five sizes; count.js turns them into shapes; the parts draw them once a frame.

import { bars } from "./bars.js";
import { block } from "./block.js";
import { controls } from "./controls.js";
import { count, idle, rowOf, shares, SIZES } from "./count.js";
import declared from "./settings.json" with { type: "json" };
import { verdict, words } from "./words.js";
import { sides } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { codecsOf } from "../shell/settings.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, button, h, setAttr, setText } from "../drawing/ui.js";

const CODECS = codecsOf(declared);
const settings = settingsOf(SIZES);

function render({ model, el }) {
  const rows = model.get("published");
  const root = rootOf(el, "siz", "Sizes of the model");
  const { authored, values, change, publish, live } = settings.open(model, CODECS);
  const dials = controls({ rows, change, get: (name) => model.get(name) });
  const picture = block({ sizes: authored, room: () => Math.max(160, root.clientWidth - 56) });
  const parts = bars();
  const sentence = h("p", { class: "siz-words" });
  const printed = h("p", { class: "siz-printed" });
  const voice = announcer();
  const key = h(
    "p",
    { class: "siz-key" },
    "All rectangles have one scale, rows down and columns across. Empty with a dashed edge: never learns.",
  );
  const reset = button("reset", () => change(authored));
  root.append(
    sides({ picture: [parts.el, sentence], beside: [dials.el, h("div", {}, reset)] }),
    printed,
    key,
    picture.el,
    voice.el,
  );

  function draw() {
    const sizes = values();
    const text = words(sizes);
    const beside = verdict(sizes, rows);
    const learnables = count(sizes);
    dials.draw(sizes, rowOf(sizes, rows));
    picture.draw(sizes);
    parts.draw(shares(sizes));
    setText(sentence, text);
    setText(printed, beside);
    voice.tell(text, `${text} ${beside}`);
    setAttr(root, "data-count", learnables);
    publish(root, sizes, { learnables, untrained: idle(sizes) });
  }
  return live(draw, { root, el, face: root }).stop;
}

export default { initialize: settings.initialize, render };
