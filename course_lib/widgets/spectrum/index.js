// The spectrum of a random matrix against its law. The widget's model holds the settings; the values are computed in
// slices of a frame, and until they are there the last picture stays.

import { sliced } from "../runtime/sliced.js";
import { CODECS } from "./address.js";
import { controls } from "./controls.js";
import { picture } from "./picture.js";
import { solve } from "./solve.js";
import { formula, heading, seen, told } from "./words.js";
import { digits } from "../drawing/scale.js";
import { sides } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";
import { facts, signs } from "../drawing/facts.js";
import { announcer, h, setAttr, setAttrs, setText } from "../drawing/ui.js";

const settings = settingsOf(Object.keys(CODECS));

function render({ model, el }) {
  const root = rootOf(el, "spc course-desk", "Spectrum of a random matrix", { "aria-busy": "true" });
  const { authored, values: get, change, publish, live } = settings.open(model, CODECS);

  let answer = null;
  let answered = null; // the values, and the settings that they belong to
  const worker = sliced(solve, (values, state) => {
    answer = values;
    answered = state;
    redraw();
  });

  const board = controls({ get, change, reset: () => change(authored) });
  const view = picture();
  const title = h("p", { class: "spc-title" });
  const sentence = h("p", { class: "course-words" });
  const voice = announcer();
  const list = facts({ gap: "distance to the law (Kolmogorov–Smirnov)", found: "largest value", predicted: "" });
  const key = signs(["spc-values", "the matrix"], ["spc-law", "the law"]);
  root.append(title, sides({ picture: [view.face, key], beside: [board.el, list.el] }), sentence, voice.el);

  function draw() {
    const state = get();
    const ready = answered !== null && JSON.stringify(answered) === JSON.stringify(state);
    board.draw(state);
    if (!ready) worker.ask(state);
    setAttr(root, "aria-busy", !ready);
    if (!answer) return false;
    const found = seen(answered, answer);
    const { gap: distance, smallest, largest, predicted, within } = found;
    const text = told(answered, found);
    view.draw(answer, found, answered.values === "eigenvalues" ? "eigenvalue" : "singular value");
    setText(title, heading(answered));
    list.set("gap", digits(distance, 2));
    list.set("found", digits(largest, 4));
    setText(list.names.predicted, `predicted, ${formula(answered)}`);
    list.set("predicted", predicted === null ? "" : digits(predicted, 4));
    list.rows.found.hidden = list.rows.predicted.hidden = predicted === null;
    setText(sentence, text);
    setAttr(root, "data-plane", answer.points !== null);
    if (!ready) return false;
    voice.tell(text);
    setAttrs(root, { "data-gap": distance, "data-largest": largest });
    publish(root, state, { result: { distance, smallest, largest, predicted, within } });
  }
  const { redraw, stop } = live(draw, { root, el, face: view.face });
  return () => {
    worker.stop();
    stop();
  };
}

export default { initialize: settings.initialize, render };
