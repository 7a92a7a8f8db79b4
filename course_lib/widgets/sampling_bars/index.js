// What a real language model would say next, as bars under a temperature, and twenty draws. tempered.js computes and
// says; this file draws.

import declared from "./settings.json" with { type: "json" };
import { draws, percent, shown, tempered, told } from "./tempered.js";
import { loadData } from "../runtime/data.js";
import { dialsOf } from "../shell/dials.js";
import { whenNear } from "../shell/deferred_data.js";
import { sides, task } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { codecsOf } from "../shell/settings.js";
import { settingsOf } from "../shell/traits.js";
import { button } from "../drawing/desk.js";
import { announcer, h, number, setAttr, setAttrs, setText } from "../drawing/ui.js";

const settings = settingsOf(Object.keys(declared));
const CODECS = codecsOf(declared);

function render({ model, el }) {
  const root = rootOf(el, "spb course-desk", "What a real language model says next", { "aria-busy": "true" });
  const shell = settings.open(model, CODECS);
  return whenNear(root, {
    words: "Getting the recorded probabilities …",
    get: () => loadData(model, "next_words"),
    start: (rows) => start({ root, el, rows, ...shell }),
  });
}

function start({ root, el, rows, authored, values: get, change, publish, live }) {
  const dial = dialsOf(declared, change);
  const temperature = dial("temperature", "temperature", {
    min: 0.1,
    max: 3,
    step: 0.01,
    scale: "log",
    format: number,
  });
  const pick = h(
    "select",
    { class: "course-field", onchange: () => change({ text: Number(pick.value) }) },
    ...rows.map(({ text }, i) => h("option", { value: i }, `${text} …`)),
  );
  const line = () => {
    const parts = { word: h("b", {}), bar: h("i", {}), share: h("span", {}) };
    const row = h(
      "div",
      { class: "spb-row" },
      parts.word,
      h("span", { class: "spb-track", "aria-hidden": "true" }, parts.bar),
      parts.share,
    );
    return { row, ...parts };
  };
  const lines = [...rows[0].top.map(line), line()];
  const list = h("div", { class: "spb-bars", role: "img" }, ...lines.map(({ row }) => row));
  const sentence = h("p", { class: "course-words" });
  const voice = announcer();
  const buttons = h(
    "div",
    { class: "course-buttons" },
    button("draw again", () => change({ seed: 1 + (get().seed % declared.seed.takes[1]) })),
    button("reset", () => change(authored)),
  );
  const first = task("make the model certain, then let it ramble.");
  root.append(
    first,
    h("label", { class: "spb-text" }, h("span", {}, "text"), pick),
    sides({ picture: [list], beside: [temperature.el, buttons, sentence] }),
    voice.el,
  );

  function draw() {
    const state = get();
    const row = rows[Math.min(state.text, rows.length - 1)];
    const found = tempered(row, state.temperature);
    const drawn = draws(found.shares, state.seed);
    temperature.set(state.temperature);
    pick.value = String(rows.indexOf(row));
    [...found.shares, found.others].forEach((share, i) => {
      const { word, bar, share: value } = lines[i];
      setText(word, row.top[i] ? shown(row.top[i][0]) : "all others");
      setAttr(bar, "style", `width:${(100 * share).toFixed(2)}%`);
      setText(value, percent(share));
    });
    const text = told({ ...state, row }, found, drawn);
    setAttr(list, "aria-label", text);
    setText(sentence, text);
    voice.tell(text);
    setAttrs(root, { first: found.shares[0], others: found.others, drawn: drawn.join(",") }, "data-");
    publish(root, state, { seen: { shares: found.shares, others: found.others, places: found.places, drawn } });
    setAttr(root, "aria-busy", false);
  }
  return live(draw, { root, el }).stop;
}

export default { initialize: settings.initialize, render };
