// Gradients through time. The numbers come from the traced step of a PyTorch cell and its vector–Jacobian product, run by graph.js
// (gradient_flow/flow.js); this file holds the settings (the widget's model is the one truth) and has the parts draw once a frame.

import { short } from "../shell/address.js";
import { loadData } from "../runtime/data.js";
import { chart } from "./chart.js";
import { acting, controls } from "./controls.js";
import { compute, kindOf, machine } from "./flow.js";
import { words } from "./words.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, h, oncePerFrame, setAttr, setText } from "../drawing/ui.js";

const SETTINGS = ["cell", "activation", "weights", "scale", "inputs", "bias", "r", "length", "seed", "view", "threshold", "back"];
const settings = settingsOf(SETTINGS);

/** A setting as short text for the address, and back; null where the text is not one. */
const word = (...options) => ({ write: String, read: (text) => (options.includes(text) ? text : null) });
const within = (low, high, text) => (text.trim() && Number(text) >= low && Number(text) <= high ? Number(text) : null);
const whole = (low, high) => ({
  write: String,
  read: (text) => (Number.isInteger(Number(text)) ? within(low, high, text) : null),
});
const real = (low, high, digits = 2) => ({ write: (x) => short(x, digits), read: (text) => within(low, high, text) });
const CODECS = {
  cell: word("rnn", "gru", "lstm"),
  activation: word("tanh", "relu", "sigmoid", "identity"),
  weights: word("orthogonal", "gaussian"),
  view: word("states", "clipping"),
  scale: real(0.1, 2),
  inputs: real(0.1, 3),
  bias: real(-2, 4),
  threshold: real(0.001, 1000, 6),
  r: whole(2, 32),
  length: whole(3, 60),
  seed: whole(0, 99),
  back: whole(0, 60),
};

const LN10 = Math.LN10;
const tens = (logs) => Float64Array.from(logs, (log) => log / LN10);
const plain = (logs) => Array.from(logs, (log) => Number(Math.exp(log).toPrecision(6)));

const stateAt = (step) => h("i", {}, "s", h("sub", {}, step));

/** What the chart draws of the numbers. */
function picture(state) {
  const { view, norms, memory, parts, total, threshold, bound } = state;
  if (view === "states") {
    const series = [{ name: memory ? "by the state s" : "measured", mark: "main", values: tens(norms) }];
    if (memory) series.push({ name: "by the memory c", mark: "second", values: tens(memory) });
    if (bound) series.push({ name: "bound", mark: "bound", values: tens(bound) });
    return {
      series,
      from: 0,
      title: [
        "What is left of a gradient at ",
        stateAt("T"),
        " when it reaches step ",
        h("i", {}, "t"),
        ": ‖∂",
        stateAt("T"),
        "/∂",
        stateAt("t"),
        "‖",
      ],
    };
  }
  const cut = Math.min(0, Math.log(threshold) - total);
  const series = [
    { name: "before clipping", mark: "second", values: tens(parts) },
    { name: "after clipping", mark: "main", values: tens(parts.map((log) => log + cut)) },
  ];
  return { series, from: 2, title: ["Length of each step’s part in the gradient by ", h("i", {}, "W", h("sub", {}, "s"))] };
}

async function render({ model, el }) {
  const root = h("div", { class: "course-ui gfl", role: "group", "aria-label": "Gradients through time" });
  el.replaceChildren(root);
  const { authored, values, change, save, link, follow } = settings.open(model, CODECS);

  const most = (state) => (state.view === "states" ? state.length : state.length - 2);
  const now = () => {
    const state = values();
    return { ...state, most: most(state), back: Math.min(state.back, most(state)) };
  };
  const drawing = chart({ choose: (back) => change({ back }), now });
  const panel = controls({ change, reset: () => change(authored) });
  const sentence = h("p", { class: "gfl-words" });
  const voice = announcer();
  const trouble = h("p", { role: "alert", hidden: true });
  root.append(panel.view, drawing.el, sentence, panel.el, trouble, voice.el);

  const graphs = new Map();
  const machines = new Map(); // kind → its graph; kind and width → its plans
  let computed = null;
  let key = "";
  let spoken = "";
  let shown = false;
  let closed = false;
  function numbers(state, kind) {
    const wanted = JSON.stringify({ ...state, view: "", threshold: 0, back: 0, most: 0 }); // these three only look
    if (wanted === key) return computed;
    const place = `${kind} ${state.r}`;
    if (!machines.has(place)) machines.set(place, machine(graphs.get(kind), state.r));
    key = wanted;
    computed = compute(state, machines.get(place));
    return computed;
  }

  async function draw() {
    const kind = kindOf(now());
    if (!graphs.has(kind)) {
      try {
        graphs.set(kind, await loadData(model, kind));
      } catch (error) {
        trouble.hidden = false;
        return setText(trouble, error.message);
      }
      if (closed || kindOf(now()) !== kind) return closed ? undefined : draw(); // another was chosen while this one came
    }
    trouble.hidden = true;
    const settled = now();
    const state = { ...settled, ...numbers(settled, kind) };
    const text = words(state);
    panel.draw(state);
    drawing.draw({
      ...picture(state),
      back: state.back,
      told: text,
      label: "Step of the sequence. Left: one step further back. Right: one step later.",
    });
    setText(sentence, text);
    if (shown && text !== spoken) voice.say(text); // nothing is spoken before the reader has touched something
    spoken = text;
    for (const name of SETTINGS) setAttr(root, `data-${name}`, state[name]);
    model.set({
      norms: plain(state.norms),
      memory: state.memory ? plain(state.memory) : [],
      parts: plain(state.parts),
      total: plain([state.total])[0],
    });
    setAttr(root, "data-norms", plain(state.norms).join(" "));
    setAttr(root, "data-parts", plain(state.parts).join(" "));
    save();
    link(values(), [...acting(state), "back"]);
    shown = true;
  }
  const redraw = oncePerFrame(draw);
  const stop = follow(redraw, { root, face: drawing.face, drawn: () => shown });
  await draw();
  el.dataset.ready = "1";
  return () => {
    closed = true;
    stop();
  };
}

export default { initialize: settings.initialize, render };
