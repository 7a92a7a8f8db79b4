// StudyTable: the model holds filters, reading and sort; rows.js decides what is shown; strip.js draws a row.

import { pageAddress } from "../shell/address.js";
import { loadData } from "../runtime/data.js";
import { FILTERS, below, fieldOf, shown, words } from "./rows.js";
import { axis, strip } from "./strip.js";
import { announcer, choice, h, number, oncePerFrame, setAttr, setText, watchTheme } from "../drawing/ui.js";

const SETTINGS = [...FILTERS, "reading", "sort"];
const COLUMNS = [
  // [sort key, heading, spoken heading, class]
  ["v", "v", "vocabulary v", ""],
  ["n", "n", "length n", ""],
  ["d", "d", "width d", ""],
  ["m", "m", "attention width m", ""],
  ["r", "r", "feed-forward width r", "sty-wide"],
  ["learnables", "learnables", "learnables", "sty-wide"],
  ["published", "R’s err", "published error, percentage points", ""],
  ["ours", "ours", "our median error, percentage points", "sty-wide"],
  ["place", "below", "our models below the published error", ""],
];
const SORTS = ["printed", ...COLUMNS.map(([key]) => key)];
const begun = new WeakMap(); // model → the author's settings, for reset

const settings = (model) => Object.fromEntries(SETTINGS.map((name) => [name, model.get(name)]));
const values = (rows, name) => [...new Set(rows.map((row) => row[name]))].sort((a, b) => a - b);
const half = (count) => (Number.isInteger(count) ? String(count) : number(count, 1));

/** What an address may say; anything else is left alone. */
function reader(study) {
  return {
    ...Object.fromEntries(
      FILTERS.map((name) => [name, (text) => (values(study.rows, name).includes(Number(text)) ? Number(text) : null)]),
    ),
    reading: (text) => (study.readings.some(([key]) => key === text) ? text : null),
    sort: (text) => (SORTS.includes(text.replace(/^-/, "")) ? text : null),
  };
}

function filters(study, change) {
  const parts = Object.fromEntries(
    FILTERS.map((name) => {
      const options = [
        { value: "0", label: "all" },
        ...values(study.rows, name).map((x) => ({ value: String(x), label: String(x) })),
      ];
      return [
        name,
        choice({ legend: `Show ${name}`, options, value: "0", oninput: (value) => change({ [name]: Number(value) }) }),
      ];
    }),
  );
  const reading = choice({
    legend: "Updates in all",
    value: study.readings[0][0],
    oninput: (key) => change({ reading: key }),
    options: study.readings.map(([key, label]) => ({ value: key, label })),
  });
  const named = (name, el) =>
    h("div", { class: "sty-filter" }, h("span", { class: "sty-name", "aria-hidden": "true" }, name), el);
  const el = h(
    "div",
    { class: "sty-filters" },
    ...FILTERS.map((name) => named(h("i", {}, name), parts[name].el)),
    named("run", reading.el),
  );
  const draw = (state) => {
    for (const name of FILTERS) parts[name].set(String(state[name]));
    reading.set(state.reading);
  };
  return { el, draw };
}

function table(most, change, now) {
  const sorted = (key) => {
    const { sort } = now();
    change({ sort: sort === key ? `-${key}` : sort === `-${key}` ? "printed" : key });
  };
  const heads = COLUMNS.map(([key, label, spoken, kind]) =>
    h(
      "th",
      { scope: "col", class: kind, "data-key": key },
      h(
        "button",
        { type: "button", class: "sty-sort", "aria-label": `sort by ${spoken}`, onclick: () => sorted(key) },
        label,
        h("span", { "aria-hidden": "true" }),
      ),
    ),
  );
  const strips = h(
    "th",
    { scope: "col", class: "sty-strips" },
    h("span", { class: "course-hidden" }, "published error over our models, percentage points"),
    axis(most),
  );
  heads.splice(6, 0, strips);
  const body = h("tbody");
  const el = h(
    "div",
    { class: "sty-scroll", tabindex: 0, role: "region", "aria-label": "The configurations: scroll with the arrow keys" },
    h("table", { class: "sty-table" }, h("thead", {}, h("tr", {}, ...heads)), body),
  );
  function draw(rows, state) {
    for (const head of heads) {
      const key = head.dataset.key;
      const way = state.sort === key ? "ascending" : state.sort === `-${key}` ? "descending" : "none";
      if (!key) continue;
      setAttr(head, "aria-sort", way);
      setText(head.querySelector("span"), { ascending: " ↑", descending: " ↓", none: "" }[way]);
    }
    body.replaceChildren(...rows.map((row) => line(row, state.reading)));
  }
  function line(row, reading) {
    const ours = row.ours[reading];
    const cell = (text, kind = "") => h("td", { class: kind }, text);
    return h(
      "tr",
      {},
      cell(row.v),
      cell(row.n),
      cell(row.d),
      cell(row.m),
      cell(row.r, "sty-wide"),
      cell(row.learnables, "sty-wide"),
      h("td", { class: "sty-strips" }, strip(row, reading, most)),
      cell(number(row.published), "sty-main"),
      cell(number(fieldOf("ours", row, reading)), "sty-wide"),
      h("td", {}, half(below(ours, row.published)), h("span", { class: "sty-of" }, ` of ${ours.length}`)),
    );
  }
  return { el, draw };
}

async function render({ model, el }) {
  const root = h("div", { class: "course-ui sty", role: "group", "aria-label": "The published study and ours" });
  el.replaceChildren(root);
  const unwatch = watchTheme(root, () => {});
  let study;
  try {
    study = await loadData(model, "study");
  } catch (error) {
    root.append(h("p", { role: "alert" }, error.message));
    el.dataset.ready = "1";
    return unwatch;
  }
  const authored = begun.get(model) ?? settings(model);
  begun.set(model, authored);
  const address = pageAddress(model);
  const linked = address.read();
  const read = reader(study);
  for (const name of SETTINGS) {
    const value = linked[name] === undefined ? null : read[name](linked[name]);
    if (value !== null) model.set(name, value);
  }

  const most = Math.max(...study.rows.flatMap((row) => [row.published, ...Object.values(row.ours).flat()]));
  const now = () => settings(model);
  const change = (part) => {
    model.set(part);
    model.save_changes();
  };
  const panel = filters(study, change);
  const list = table(most, change, now);
  const sentence = h("p", { class: "sty-words" });
  const voice = announcer();
  const key = h(
    "p",
    { class: "sty-key", "aria-hidden": "true" },
    h("span", { class: "sty-key-published" }, "◆ published"),
    h("span", {}, h("i", { class: "sty-key-dot" }), "our models"),
    h("span", {}, h("i", { class: "sty-key-band" }), "middle half, median"),
    h("span", {}, "err in percentage points, on a root scale"),
  );
  const reset = h("button", { type: "button", class: "course-button", onclick: () => change(authored) }, "reset");
  root.append(panel.el, sentence, key, list.el, h("div", {}, reset), voice.el);

  let drawn = false;
  function draw() {
    const state = now();
    const rows = shown(study.rows, state);
    const text = words(study.rows, rows, state);
    panel.draw(state);
    list.draw(rows, state);
    if (drawn && sentence.textContent !== text) voice.say(text); // nothing is spoken before the reader has touched something
    setText(sentence, text);
    for (const name of SETTINGS) setAttr(root, `data-${name}`, state[name]);
    setAttr(root, "data-rows", rows.length);
    address.write(
      Object.fromEntries(SETTINGS.map((name) => [name, state[name] === authored[name] ? null : String(state[name])])),
    );
    drawn = true;
  }
  const redraw = oncePerFrame(draw);
  const events = SETTINGS.map((name) => `change:${name}`);
  for (const event of events) model.on(event, redraw);
  draw();
  el.dataset.ready = "1";
  return () => {
    unwatch();
    for (const event of events) model.off(event, redraw);
  };
}

export default {
  initialize: ({ model }) => {
    begun.set(model, settings(model));
  },
  render,
};
