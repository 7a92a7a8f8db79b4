// A recurrent cell, letter by letter. The numbers come from the traced PyTorch cell (run.js); the model holds the
// settings.

import { loadData } from "../runtime/data.js";
import { CODECS } from "./address.js";
import { controls } from "./controls.js";
import { machine } from "./run.js";
import { strips } from "./strips.js";
import { words } from "./words.js";
import { sides, task } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, h, setAttr, setText } from "../drawing/ui.js";

const KINDS = ["rnn", "gru", "lstm"];
const settings = settingsOf(Object.keys(CODECS));
const TASKS = {
  count: "an a is one up, a b one down. Feed eight a’s: which cell still counts?",
  keep: "feed an a, then ten of -. Which of the cells still has what the a wrote?",
};

async function render({ model, el }) {
  const root = rootOf(el, "fed course-desk", "A recurrent cell, letter by letter");
  const { authored, values, change, save, link, live } = settings.open(model, CODECS);
  setAttr(root, "aria-busy", true);
  const [data, ...traced] = await Promise.all(["weights", ...KINDS].map((name) => loadData(model, name)));
  const run = machine(Object.fromEntries(KINDS.map((kind, k) => [kind, traced[k]])), data);

  /** The settings with what they give: the letter told is the last one where the chosen one is gone. */
  function now() {
    const state = values();
    const steps = run(state);
    const at = Math.min(state.moment ?? steps.length, steps.length);
    const { W_x, b } = data.weights[state.task].rnn;
    const x = at ? data.letters[steps[at - 1].letter] : [0, 0];
    return { ...state, steps, at, reads: b[0] + x[0] * W_x[0][0] + x[1] * W_x[1][0] };
  }
  const asked = h("span");
  const picture = strips({
    now,
    choose: (moment) => change({ moment: moment === values().text.length ? null : moment }),
  });
  const panel = controls({ get: values, change, reset: () => change(authored) });
  const sentence = h("p", { class: "course-words" });
  const voice = announcer();
  root.append(
    task(asked),
    sides({ picture: [picture.el], beside: [panel.top, panel.el], over: true }),
    sentence,
    voice.el,
  );

  function draw() {
    const state = now();
    const told = words(state);
    setText(asked, TASKS[state.task]);
    panel.draw(state);
    picture.draw({ ...state, told });
    setText(sentence, told);
    voice.tell(told);
    const back = { s: state.steps.map(({ s }) => s), c: state.kind === "lstm" ? state.steps.map(({ c }) => c) : [] };
    for (const name of Object.keys(CODECS)) setAttr(root, `data-${name}`, CODECS[name].write(state[name]));
    for (const [name, list] of Object.entries(back)) setAttr(root, `data-${name}`, list.join(" "));
    model.set(back);
    save();
    link(values(), panel.acting(state));
    setAttr(root, "aria-busy", false);
  }
  return live(draw, { root, el, face: picture.el }).stop;
}

export default { initialize: settings.initialize, render };
