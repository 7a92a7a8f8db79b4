// The words nearest to one that the reader types, or to king − man + woman. The table comes when the widget is near;
// this file holds the settings and has the lists drawn once a frame.

import declared from "./settings.json" with { type: "json" };
import { lists } from "./lists.js";
import { fault, found, opened } from "./nearest.js";
import { told } from "./words.js";
import { loadData } from "../runtime/data.js";
import { whenNear } from "../shell/deferred_data.js";
import { sides, task } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { codecsOf, takesOf } from "../shell/settings.js";
import { settingsOf } from "../shell/traits.js";
import { button, desk, named } from "../drawing/desk.js";
import { typed } from "../drawing/typed.js";
import { announcer, h, setAttr, setText } from "../drawing/ui.js";

const settings = settingsOf(Object.keys(declared));
const CODECS = codecsOf(declared);
const TAKES = takesOf(declared);
const FIELDS = { word: "Word", start: "Start from", minus: "− take away", plus: "+ add" };
const TASKS = {
  word: "type a word with two meanings. Which do its neighbours show?",
  sum: "allow the three given words. Which word wins?",
};
const ASKED = { word: ["word"], sum: ["start", "minus", "plus"] };

function render({ model, el }) {
  const root = rootOf(el, "nbr course-desk", "Neighbours of words", { "aria-busy": "true" });
  const shell = settings.open(model, CODECS);
  return whenNear(root, {
    words: "Getting the words …",
    get: async () => opened(await loadData(model, "table")),
    start: (table) => start({ root, el, table, ...shell }),
  });
}

function start({ root, el, table, authored, values, change, publish, live }) {
  const known = h("datalist", { id: `known-${Math.random().toString(36).slice(2)}` });
  known.append(...[...table.words].sort().map((value) => h("option", { value })));
  const fields = Object.fromEntries(
    Object.entries(FIELDS).map(([name, label]) => {
      const oninput = () => change({ [name]: part.field.value });
      const part = typed("input", {
        type: "text",
        list: known.id,
        maxlength: TAKES[name][1],
        "aria-label": label,
        oninput,
      });
      return [name, { ...part, el: h("div", {}, named(label, part.field), part.problem) }];
    }),
  );
  const row = h("div", { class: "nbr-fields" }, ...Object.values(fields).map((each) => each.el));
  const board = desk({ get: values, change, takes: TAKES });
  const asks = board.pick("ask", "What is asked", { word: "one word", sum: "word arithmetic" });
  const rule = h(
    "div",
    {},
    named(
      "The three given words are",
      board.pick("given", "The three given words", { struck: "struck out", allowed: "allowed" }),
    ),
  );
  const any = button("any word", () =>
    change({ ask: "word", word: table.words[Math.floor(Math.random() * table.words.length)] }),
  );
  const view = lists({ choose: (word) => change({ ask: "word", word }) });
  const asked = h("span");
  const sentence = h("p", { class: "course-words" });
  const voice = announcer();
  root.append(
    task(asked),
    h("div", { class: "course-buttons" }, asks),
    row,
    rule,
    sides({ picture: [view.el], beside: [sentence], over: true }),
    h(
      "div",
      { class: "course-buttons" },
      any,
      button("reset", () => change(authored)),
    ),
    known,
    voice.el,
  );

  function draw() {
    const state = values();
    board.draw(state);
    rule.hidden = state.ask === "word";
    setText(asked, TASKS[state.ask]);
    let wrong = "";
    for (const [name, part] of Object.entries(fields)) {
      const asked = ASKED[state.ask].includes(name);
      part.el.hidden = !asked;
      const words = asked ? fault(table, state[name]) : "";
      part.fault(words);
      wrong ||= words;
      if (document.activeElement !== part.field) part.field.value = state[name];
    }
    const seen = wrong ? { nearest: [], alone: null } : found(table, state);
    view.draw(state, seen);
    const text = wrong || told(state, seen);
    setText(sentence, wrong ? "" : text);
    voice.tell(text);
    setAttr(root, "data-nearest", seen.nearest.map(([word]) => word).join(" "));
    setAttr(root, "data-alone", (seen.alone ?? []).map(([word]) => word).join(" "));
    publish(root, state, { found: seen });
    setAttr(root, "aria-busy", false);
  }
  return live(draw, { root, el }).stop;
}

export default { initialize: settings.initialize, render };
