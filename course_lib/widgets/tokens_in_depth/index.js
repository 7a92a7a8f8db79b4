// Tokens in depth, live. The widget's model is the one truth: the settings and the number of layers passed. The run
// follows from the settings (flow.js); it is computed in slices of a frame as far as it is asked for, and what is known
// of the same start is kept.

import { sliced } from "../runtime/sliced.js";
import { CODECS, TAKES } from "./address.js";
import { chart } from "./chart.js";
import { controls } from "./controls.js";
import { later, run, sizes } from "./flow.js";
import { picture } from "./picture.js";
import { pictured, told } from "./words.js";
import { facts, signs } from "../drawing/facts.js";
import { announcer, h, number, setAttr, setAttrs, setText } from "../drawing/ui.js";
import { player } from "../shell/player.js";
import { sides, task } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";

const [, LAST] = TAKES.layers;
const AHEAD = 20; // layers that are computed before they are asked for, while it plays
const OWN = ["layers", "turn"]; // settings that do not make another run
const settings = settingsOf(Object.keys(CODECS));
const keyOf = (state) =>
  JSON.stringify(
    Object.keys(CODECS)
      .filter((name) => !OWN.includes(name))
      .map((name) => state[name]),
  );

function render({ model, el }) {
  const root = rootOf(el, "depth course-desk", "Tokens in depth", { "aria-busy": "true" });
  const { authored, values: get, change: set, publish, live } = settings.open(model, CODECS);

  let found = null; // the run, and the key of its start
  let key = "";
  const worker = sliced(
    (asked) => run(asked.state, key === asked.key ? found : null),
    (answer, asked) => {
      found = answer;
      key = asked.key;
      redraw();
    },
  );

  const calm = matchMedia("(prefers-reduced-motion: reduce)"); // few and large changes instead of moving dots
  const way = player({
    pace: () => (calm.matches ? 500 : 50),
    changed: () => redraw(),
    step() {
      const { layers } = get();
      const to = Math.min(LAST, layers + (calm.matches ? 10 : 1));
      if (key !== keyOf(get()) || found.layers.length <= to) {
        worker.ask({ key: keyOf(get()), state: { ...get(), layers: Math.min(LAST, to + AHEAD) } });
        return true; // they come first
      }
      set({ layers: to });
      return to < LAST;
    },
  });
  /** What the reader turns while it plays ends the playing: nothing goes on under the hand. */
  const change = (part) => {
    if (!Object.keys(part).every((name) => name === "turn")) way.halt();
    set(part);
  };
  function play() {
    if (way.playing()) return way.halt();
    if (get().layers >= LAST) set({ layers: 0 });
    way.start();
  }

  const view = picture();
  const curves = chart();
  const board = controls({ get, change, acts: { play, reset: () => change(authored) } });
  const sentence = h("p", { class: "course-words" });
  const voice = announcer();
  const about = h("p");
  const list = facts({
    groups: "groups",
    largest: "tokens in the largest",
    cosine: "mean cosine",
    equal: "with equal angles",
  });
  const signed = signs(["depth-token", "tokens"], ["depth-way", "the way they have come"]);
  root.append(
    task("press Play. How many groups are left, and for how long?"),
    sides({ picture: [view.face, signed, curves.el], beside: [board.transport, board.dials, list.el] }),
    sentence,
    h("details", {}, h("summary", {}, "The picture in words"), about),
    voice.el,
  );

  /** Cosines of equal angles at all layers of the chart, from the start's mean on. */
  let ahead = [];
  let aheadKey = "";
  function curve(state) {
    const [{ equal }] = found.layers;
    if (equal === null) return [];
    if (aheadKey === key) return ahead;
    aheadKey = key;
    ahead = [equal];
    const value = state.value === "minus" ? -1 : 1;
    for (let k = 0; k < LAST; k++) ahead.push(later(ahead[k], state.n, state.beta, value, state.step));
    return ahead;
  }

  function draw() {
    const state = get();
    const wanted = keyOf(state);
    const ready = key === wanted && found.layers.length > state.layers;
    if (!ready) worker.ask({ key: wanted, state });
    board.draw(state, way.playing());
    setAttr(root, "aria-busy", !ready);
    if (!ready) return false;
    const now = found.layers[state.layers];
    view.draw(state, found.layers, state.layers);
    curves.draw(state, found.layers, state.layers, curve(state));
    const each = sizes(now.group);
    const text = told(state, now);
    list.set("groups", String(each.length));
    list.set("largest", String(each[0]));
    list.set("cosine", number(now.cosine, 3));
    list.set("equal", now.equal === null ? "" : number(now.equal, 3));
    list.rows.equal.hidden = now.equal === null;
    setText(sentence, text);
    setText(about, pictured(state));
    voice.tell(text);
    setAttrs(root, { "data-groups": each.length, "data-cosine": now.cosine, "data-equal": now.equal ?? "" });
    signed.hidden = state.d > 3;
    publish(root, state, { result: { layer: state.layers, groups: each, cosine: now.cosine, equal: now.equal } });
  }
  const { redraw, stop } = live(draw, { root, el, face: view.face });
  return () => {
    way.close();
    worker.stop();
    stop();
  };
}

export default { initialize: settings.initialize, render };
