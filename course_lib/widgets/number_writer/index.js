// A number of the reader's own in German words. The model is the traced PyTorch translator (runtime/recurrent.js); this
// file holds the settings and has the parts draw once a frame.

import { openRecurrent } from "../runtime/recurrent.js";
import { CODECS, TAKES } from "./address.js";
import { english } from "./numerals.js";
import { view } from "./view.js";
import { words } from "./words.js";
import { both, searched, written } from "./write.js";
import { whenNear } from "../shell/deferred_data.js";
import { sides, task } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";
import { abreast, button, desk, named } from "../drawing/desk.js";
import { typed } from "../drawing/typed.js";
import { announcer, h, setAttr, setText } from "../drawing/ui.js";

const settings = settingsOf(Object.keys(CODECS));
const [LEAST, MOST] = TAKES.number;
const END_SIGN = "⟨end⟩";

function render({ model, el }) {
  const root = rootOf(el, "num course-desk", "A number in German words", { "aria-busy": "true" });
  const shell = settings.open(model, CODECS);
  return whenNear(root, {
    words: "Getting the model …",
    get: () => openRecurrent(model, "numbers"),
    start: (net) => start({ root, el, net, ...shell }),
  });
}

function start({ root, el, net, authored, values, change, publish, live }) {
  const word = (token) => net.target[token];

  const known = { key: "", found: null };
  function computed({ number: n, reads, width }) {
    const key = [n, reads, width].join();
    if (known.key !== key) {
      const pair = both(net, n);
      const kept = width > 1 ? searched(net, pair, width) : [];
      const told = ({ tokens, logProb }) => [
        tokens
          .map(word)
          .filter((each) => each !== END_SIGN)
          .join(" "),
        logProb,
      ];
      known.found = { ...pair, english: english(n), steps: written(net, pair, reads), sentences: kept.map(told) };
      known.key = key;
    }
    return known.found;
  }
  let looked = null; // a step before the last one shown
  function now() {
    const state = values();
    const found = computed(state);
    const shown = Math.min(state.moment, found.steps.length);
    return { ...state, ...found, word, shown, at: Math.min(looked ?? shown, shown) };
  }
  const to = (moment) => {
    looked = null;
    change({ moment });
  };
  const ask = (n) => {
    looked = null;
    change({ number: n, moment: 1 });
  };
  const { field, problem, fault } = typed("input", {
    type: "text",
    inputmode: "numeric",
    "aria-label": `A number from ${LEAST} to ${MOST}`,
    oninput() {
      const text = field.value.replace(/[\s,.'’]/g, "");
      const good = /^\d+$/.test(text) && Number(text) >= LEAST && Number(text) <= MOST;
      fault(good ? "" : "A whole number from 1 to 999,999, in digits.");
      if (good) ask(Number(text));
    },
  });
  const board = desk({ get: values, change, takes: TAKES });
  const picture = view({
    choose(k) {
      looked = k;
      redraw();
    },
  });
  const back = button("one word back", () => to(Math.max(1, now().shown - 1)));
  const on = button("one word on", () => to(now().shown + 1), " course-main");
  const end = button("to the end", () => to(now().steps.length));
  const chance = button("any number", () => ask(LEAST + Math.floor(Math.random() * MOST)));
  const reset = button("reset", () => {
    looked = null;
    change(authored);
  });
  const reading = abreast(
    named(
      "The decoder reads",
      board.pick("reads", "Words that the decoder reads", { own: "its own words", right: "the right words" }),
    ),
    board.dial("width", "beam width", 1, { format: (x) => (x === 1 ? "1: greedy" : String(x)) }),
  );
  const sentence = h("p", { class: "course-words" });
  const voice = announcer();
  root.append(
    task("find a number from 1 to 999,999 that the model gets wrong."),
    h("div", { class: "num-ask" }, named("Number", field), chance),
    problem,
    picture.source,
    h("div", { class: "course-buttons" }, on, end, back),
    picture.el,
    sentence,
    sides({ picture: [picture.beam], beside: [reading, h("div", { class: "course-buttons" }, reset)], over: true }),
    voice.el,
  );

  function draw() {
    const state = now();
    const told = words(state);
    board.draw(state);
    if (document.activeElement !== field) {
      field.value = state.number;
      fault("");
    }
    back.disabled = state.shown === 1;
    on.disabled = end.disabled = state.shown === state.steps.length;
    picture.draw(state);
    setText(sentence, told);
    voice.tell(told);
    setAttr(root, "data-said", state.steps.map(({ said }) => word(said)).join(" "));
    publish(root, values(), {
      said: state.steps.map(({ said }) => word(said)),
      right: state.right.map(word),
      sentences: state.sentences,
    });
    setAttr(root, "aria-busy", false);
  }
  const { redraw, stop } = live(draw, { root, el });
  return stop;
}

export default { initialize: settings.initialize, render };
