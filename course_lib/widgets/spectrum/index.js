// The spectrum of a random matrix against its law. The widget's model holds the settings; the values are computed in slices of a
// frame, and until they are there the last picture stays.

import { sliced } from "../runtime/sliced.js";
import { CODECS } from "./address.js";
import { controls } from "./controls.js";
import { picture } from "./picture.js";
import { solve } from "./solve.js";
import { formula, heading, seen, told } from "./words.js";
import { digits } from "../surface/scale.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, h, oncePerFrame, setAttr, setText } from "../drawing/ui.js";

const SETTINGS = Object.keys(CODECS);
const settings = settingsOf(SETTINGS);

function render({ model, el }) {
  const root = h("div", {
    class: "course-ui spc",
    role: "group",
    "aria-busy": "true",
    "aria-label": "Spectrum of a random matrix",
  });
  el.replaceChildren(root);
  const { authored, values: get, change, save, link, follow } = settings.open(model, CODECS);

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
  const sentence = h("p", { class: "spc-words" });
  const voice = announcer();
  const facts = { gap: h("dd"), found: h("dd"), predicted: h("dd") };
  const names = { predicted: h("dt") };
  const row = (name, text) => h("div", {}, names[name] ?? h("dt", {}, text), facts[name]);
  const apart = [row("found", "largest value"), row("predicted")];
  const key = h(
    "p",
    { class: "spc-key" },
    h("span", { class: "spc-values" }, "the matrix"),
    h("span", { class: "spc-law" }, "the law"),
  );
  root.append(
    board.el,
    title,
    view.el,
    key,
    h("dl", { class: "spc-facts" }, row("gap", "distance to the law (Kolmogorov–Smirnov)"), ...apart),
    sentence,
    voice.el,
  );

  let spoken = "";
  let drawn = false;
  function draw() {
    const state = get();
    const ready = answered !== null && JSON.stringify(answered) === JSON.stringify(state);
    board.draw(state);
    if (!ready) worker.ask(state);
    setAttr(root, "aria-busy", !ready);
    if (!answer) return;
    const found = seen(answered, answer);
    const plane = answer.points !== null;
    const text = told(answered, found);
    view.draw(answer, found, answered.values === "eigenvalues" ? "eigenvalue" : "singular value");
    setText(title, heading(answered));
    setText(facts.gap, digits(found.gap, 2));
    setText(facts.found, digits(found.largest, 4));
    setText(names.predicted, `predicted, ${formula(answered)}`);
    setText(facts.predicted, found.predicted === null ? "" : digits(found.predicted, 4));
    for (const part of apart) part.hidden = found.predicted === null;
    setText(sentence, text);
    setAttr(root, "data-plane", plane);
    if (!ready) return;
    if (drawn && text !== spoken) voice.say(text); // nothing is spoken before the reader has touched something
    spoken = text;
    for (const name of SETTINGS) setAttr(root, `data-${name}`, CODECS[name].write(state[name]));
    setAttr(root, "data-gap", found.gap);
    setAttr(root, "data-largest", found.largest);
    model.set("result", {
      distance: found.gap,
      smallest: found.smallest,
      largest: found.largest,
      predicted: found.predicted,
      within: found.within,
    });
    save();
    link(state);
    drawn = true;
  }
  const redraw = oncePerFrame(draw);
  const stop = follow(redraw, { root, face: view.face, drawn: () => drawn });
  draw();
  el.dataset.ready = "1";
  return () => {
    worker.stop();
    stop();
  };
}

export default { initialize: settings.initialize, render };
