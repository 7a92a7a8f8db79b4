// Gradients through time. The numbers come from the traced step of a PyTorch cell and its vector–Jacobian product, run
// by graph.js (gradient_flow/flow.js); this file holds the settings (the widget's model is the one truth) and has the
// parts draw once a frame.

import { loadData } from "../runtime/data.js";
import { CODECS } from "./address.js";
import { chart } from "./chart.js";
import { acting, controls } from "./controls.js";
import { compute, kindOf, machine } from "./flow.js";
import { hasTask, TASK, words } from "./words.js";
import { sides, task } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, h, oncePerFrame, setAttr, setText } from "../drawing/ui.js";

const SETTINGS = Object.keys(CODECS);
const settings = settingsOf(SETTINGS);

const tens = (logs) => Float64Array.from(logs, (log) => log / Math.LN10);
const plain = (logs) => Array.from(logs, (log) => Number(Math.exp(log).toPrecision(6)));

const stateAt = (step) => h("i", {}, "s", h("sub", {}, step));
const WEIGHTS = "W_s"; // as the words have it
const weights = () => h("i", {}, "W", h("sub", {}, "s"));
const typeset = (text) => text.split(WEIGHTS).flatMap((part, k) => (k ? [weights(), part] : [part]));
const said = (text) => text.replaceAll(WEIGHTS, "W s");

/** What the chart draws of the numbers. */
function picture(state) {
  const { view, norms, memory, parts, total, threshold, bound } = state;
  if (view === "states") {
    const series = [{ name: memory ? "by the state s" : "measured", mark: "main", values: tens(norms) }];
    if (memory) series.push({ name: "by the memory c", mark: "second", values: tens(memory) });
    if (bound) series.push({ name: "bound", mark: "bound", values: tens(bound) });
    const start = ["What is left of a gradient at ", stateAt("T"), " when it reaches step ", h("i", {}, "t"), ": ‖∂"];
    return {
      series,
      from: 0,
      title: [...start, stateAt("T"), "/∂", stateAt("t"), "‖"],
    };
  }
  const cut = Math.min(0, Math.log(threshold) - total);
  const series = [
    { name: "before clipping", mark: "second", values: tens(parts) },
    { name: "after clipping", mark: "main", values: tens(parts.map((log) => log + cut)) },
  ];
  return { series, from: 2, title: ["Length of each step’s part in the gradient by ", weights()] };
}

async function render({ model, el }) {
  const root = rootOf(el, "gfl course-desk", "Gradients through time");
  const { authored, values, change, save, link, follow } = settings.open(model, CODECS);

  const most = (state) => (state.view === "states" ? state.length : state.length - 2);
  const now = () => {
    const state = values();
    return { ...state, most: most(state), back: Math.min(state.back, most(state)) };
  };
  const drawing = chart({ choose: (back) => change({ back }), now });
  const panel = controls({ get: values, change, reset: () => change(authored) });
  const sentence = h("p", { class: "course-words" });
  const first = task(...typeset(TASK));
  const voice = announcer();
  const trouble = h("p", { role: "alert", hidden: true });
  const seen = sides({ picture: [drawing.el], beside: [panel.view, panel.el], over: true });
  root.append(first, seen, sentence, trouble, voice.el);

  const graphs = new Map();
  const machines = new Map(); // kind → its graph; kind and width → its plans
  let computed = null;
  let key = "";
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
      setAttr(root, "aria-busy", true);
      try {
        graphs.set(kind, await loadData(model, kind));
      } catch (error) {
        setAttr(root, "aria-busy", false);
        trouble.hidden = false;
        return setText(trouble, error.message);
      }
      // another was chosen while this one came
      if (closed || kindOf(now()) !== kind) return closed ? undefined : draw();
    }
    trouble.hidden = true;
    const settled = now();
    const state = { ...settled, ...numbers(settled, kind) };
    const text = words(state);
    first.hidden = !hasTask(state);
    panel.draw(state);
    drawing.draw({
      ...picture(state),
      back: state.back,
      told: said(text),
      label: "Step of the sequence. Left: one step further back. Right: one step later.",
    });
    sentence.replaceChildren(...typeset(text));
    voice.tell(said(text));
    for (const name of SETTINGS) setAttr(root, `data-${name}`, state[name]);
    const read = { norms: plain(state.norms), parts: plain(state.parts) };
    model.set({ ...read, memory: plain(state.memory ?? []), total: plain([state.total])[0] });
    for (const [name, list] of Object.entries(read)) setAttr(root, `data-${name}`, list.join(" "));
    save();
    link(values(), [...acting(state), "back"]);
    setAttr(root, "aria-busy", false);
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
