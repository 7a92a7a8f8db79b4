// The journey of one sentence through the shipped translator, to the next French word and on. The widget's model is the
// one truth: it holds the sentence, what is written, and where the reader stands. All numbers come from PyTorch's own
// model as a graph, run by shipped.js.

import { END, openModel, START } from "../runtime/shipped.js";
import { task } from "../shell/layout.js";
import { whenNear } from "../shell/deferred_data.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, button, h, number, setAttr, setAttrs, setText, toggle } from "../drawing/ui.js";
import { CODECS } from "./address.js";
import { computed } from "./computed.js";
import { routeMap } from "./map.js";
import { express, find, stepName, stops } from "./route.js";
import { ranking, sceneOf } from "./scenes.js";
import { cut, problem, sentenceForm } from "./sentence.js";
import { stopView } from "./view.js";
import { lookedAt, percent, probability, quote, summary, titleOf } from "./words.js";
import { idle, offers, written } from "./writing.js";

const MODEL = "english_french";
const MOST_WRITTEN = 28;
const WIDE = 640;
const settings = settingsOf(Object.keys(CODECS));

function render({ model, el }) {
  const root = rootOf(el, "jny", "A sentence's journey through the transformer", { "aria-busy": "true" });
  const shell = settings.open(model, CODECS);
  return whenNear(root, {
    words: "Getting the model …",
    get: () => openModel(model, MODEL),
    start: (translator) => start({ model, root, el, translator, ...shell }),
  });
}

function start({ model, root, el, translator, values: get, authored, save, link, live, change: set }) {
  const { config, source: english, target: french } = translator;
  const wide = el.clientWidth >= WIDE;
  const list = stops(config.layers);
  const change = (part) => {
    set(part);
    save();
  };
  const known = (words) => words.length <= MOST_WRITTEN && words.every((word) => french.indexOf(word) > START);
  if (problem(get().sentence, english) !== null) set({ sentence: authored.sentence, written: authored.written });
  if (!known(get().written)) set({ written: [] });

  const compute = computed(translator, get);
  const layer = () => Math.min(get().layer, config.layers - 1);
  const context = () => {
    const { source, target, results } = compute();
    const head = Math.min(get().head, config.h - 1);
    return { model: translator, source, target, results, layer: layer(), head, row: get().row };
  };
  const position = () => find(list, get().station, layer());

  // Moves.
  const go = ({ station, layer: to }) => {
    const floor = to ?? get().layer;
    const elsewhere = list[position()].box.side !== list[find(list, station, floor)].box.side || view.aside();
    change({ station, layer: floor, matrix: "", column: null, ...(elsewhere ? { row: null } : {}) });
  };
  const few = express(list, config.layers);
  const served = () => (get().every ? list : few); // the stops at which Next and Back halt
  const further = (by) => {
    const at = position();
    const ahead = served().filter((stop) => by * (list.indexOf(stop) - at) > 0);
    return by > 0 ? ahead[0] : ahead.at(-1);
  };
  const move = (by) => {
    const to = further(by);
    if (to) go(to);
  };
  const rewrite = (words) => change({ written: words, row: null, column: null });
  const write = (token) => {
    if (!compute().done && get().written.length < MOST_WRITTEN) rewrite([...get().written, french[token]]);
  };
  const acts = {
    next: () => write(ranking(context())[0]),
    back: () => rewrite(get().written.slice(0, -1)),
    restart: () => rewrite([]),
  };
  /** From the last stop: write the likeliest word and take the decoder's route again, until the model says ⟨end⟩. */
  const goOn = () => {
    const before = get().written.length;
    acts.next();
    if (get().written.length > before && get().written.at(-1) !== french[END])
      go({ station: "target_words", layer: 0 });
  };

  // The parts.
  const form = sentenceForm({
    examples: model.get("examples"),
    vocabulary: english,
    ask: (sentence) => change({ sentence, written: [], row: null, column: null }),
  });
  const writing = written(acts);
  const offered = offers({ take: write });
  const map = routeMap({ layers: config.layers, go });
  const view = stopView({ heads: config.h, get, change, redraw: () => redraw(), open: wide });
  const title = h("p", { class: "jny-title" });
  const count = h("p", { class: "course-soft" });
  const back = button("← Back", () => move(-1));
  const forth = button("", () => (further(1) ? move(1) : goOn()), "course-main");
  const all = toggle({ label: "all stops", value: get().every, oninput: (every) => change({ every }) });
  const stepper = h("div", { class: "jny-stepper" }, back, h("div", { class: "jny-count" }, count, all.el), forth);
  const asked = h("span", {});
  const first = task(asked);
  const across = h("p", { class: "jny-across-words" });
  const steps = h("div", { class: "jny-steps", role: "group", "aria-label": "Steps of this stop" });
  const stage = h("div", { class: "jny-stage" }, title, view.told, across, steps, view.tokens, offered.el, view.el);
  const voice = announcer(600);
  root.append(first, form.el, writing.el, stepper, h("div", { class: "jny-sides" }, map.el, stage), voice.el);
  root.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const taken = event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented;
    if (!by || taken || event.target.closest("input, select, summary, .jny-face")) return;
    event.preventDefault();
    move(by);
  });

  let stepsOf = "";
  let spoken = "";
  let drawn = false;
  function drawSteps(stop) {
    const key = `${stop.box.key} ${stop.layer}`;
    steps.hidden = stop.box.stops.length < 2;
    if (stepsOf !== key) {
      stepsOf = key;
      const step = (station) => {
        const onclick = () => go({ station, layer: stop.layer });
        return h("button", { type: "button", class: "jny-step", "data-station": station, onclick }, stepName(station));
      };
      steps.replaceChildren(...stop.box.stops.map(step));
    }
    for (const node of steps.children) {
      if (node.dataset.station === stop.station) setAttr(node, "aria-current", "step");
      else node.removeAttribute("aria-current");
    }
  }
  function draw(theme) {
    const { done, source } = compute();
    const state = get();
    const at = position();
    const stop = list[at];
    const now = context();
    if (stop.layer !== null) now.layer = stop.layer;
    const order = ranking(now);
    const words = state.written.filter((word) => word !== french[END]);
    const full = words.length >= MOST_WRITTEN;
    const last = !further(1);
    const halts = served();
    const halt = halts.indexOf(stop);
    const heading = titleOf(stop, config.layers, stepName(stop.station));
    form.draw(cut(state.sentence, english).join(" "));
    writing.draw({ words, done, full });
    map.draw(stop);
    setText(title, heading);
    const likely = `${quote(french[order[0]])}, with ${percent(probability(now, order[0]))}`;
    setText(
      asked,
      done
        ? "the sentence is finished. Take a word back, or start again."
        : `the model writes ${likely}. Why? Try each head.`,
    );
    setText(count, halt < 0 ? `between two of ${halts.length} stops` : `stop ${halt + 1} of ${halts.length}`);
    all.set(state.every);
    across.hidden = stop.station !== "cross_weights" || done;
    setText(across, across.hidden ? "" : lookedAt(now));
    idle(back, !further(-1));
    setText(forth, !last ? "Next stop →" : done ? "The end" : `Write “${french[order[0]]}” and go on →`);
    idle(forth, last && (done || full));
    drawSteps(stop);
    offered.el.hidden = stop.station !== "softmax" || done;
    offered.draw({ context: now, done });
    const { matrix, entry, data } = view.draw({ scene: sceneOf(now, stop.station), now, station: stop.station, theme });
    const { station } = stop;
    setAttrs(
      root,
      { station, layer: stop.layer ?? "", head: now.head, stop: at + 1, halt: halt + 1, ...data },
      "data-",
    );
    setAttrs(root, { sentence: state.sentence, written: words.join(" "), done }, "data-");
    setAttrs(root, { next: french[order[0]], probability: probability(now, order[0]) }, "data-");
    const pointed = view.pointed();
    const text = [
      heading,
      view.told.textContent,
      across.textContent,
      matrix ? summary(matrix, Number(data.row)) : "",
      done
        ? `The model has said ⟨end⟩: the translation is finished. ${words.join(" ")}`
        : `French so far: ${words.join(" ") || "nothing"}.`,
    ].join(" ");
    if (!pointed && text + entry !== spoken) {
      if (drawn) voice.say(spoken.startsWith(text) ? `${entry}. ${view.formula()}` : text);
      spoken = text + entry;
    }
    link(state);
    if (!pointed) {
      const likeliest = (token) => [french[token], Number(number(probability(now, token), 4))];
      model.set({ tokens: source.map((token) => english[token]), next_words: order.slice(0, 10).map(likeliest) });
      save();
    }
    drawn = true;
    setAttr(root, "aria-busy", false);
  }
  const { redraw, stop } = live(draw, { root, el });
  return () => {
    map.stop();
    stop();
  };
}

export default { initialize: settings.initialize, render };
