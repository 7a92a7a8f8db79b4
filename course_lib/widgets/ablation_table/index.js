// AblationTable: the model holds filters, measure and sort; rows.js decides what is shown; table.js and band.js draw it.

import { codecs, groups } from "./address.js";
import { MEASURES, shown, tally, VERDICTS, words } from "./rows.js";
import { table } from "./table.js";
import { pageAddress } from "../shell/address.js";
import { loadData } from "../runtime/data.js";
import { announcer, atMostEvery, choice, h, oncePerFrame, setAttr, setText, watchTheme } from "../drawing/ui.js";

const SETTINGS = ["group", "measure", "verdict", "sort"];
const begun = new WeakMap(); // model → the author's settings, for reset
const settings = (model) => Object.fromEntries(SETTINGS.map((name) => [name, model.get(name)]));

function filters({ rows }, change) {
  const options = (pairs) => pairs.map(([value, label]) => ({ value, label }));
  const pick = (name, legend, pairs) =>
    choice({ legend, options: options(pairs), value: pairs[0][0], oninput: (value) => change({ [name]: value }) });
  const parts = {
    measure: pick(
      "measure",
      "Measure",
      Object.entries(MEASURES).map(([key, { name }]) => [key, name]),
    ),
    group: pick("group", "Group of variants", [["all", "all"], ...groups(rows).map((name) => [name, name])]),
    verdict: pick("verdict", "Verdict", [["all", "all"], ...Object.entries(VERDICTS)]),
  };
  const named = (name) =>
    h("div", { class: `abl-filter abl-filter-${name}` }, h("span", { "aria-hidden": "true" }, name), parts[name].el);
  const el = h("div", { class: "abl-filters" }, ...Object.keys(parts).map(named));
  return {
    el,
    draw: (state) => {
      for (const [name, part] of Object.entries(parts)) part.set(state[name]);
    },
  };
}

async function render({ model, el }) {
  const root = h("div", { class: "course-ui abl", role: "group", "aria-label": "The ablation study, published and ours" });
  el.replaceChildren(root);
  const unwatch = watchTheme(root, () => {});
  let study;
  try {
    study = await loadData(model, "ablation");
  } catch (error) {
    root.append(h("p", { role: "alert" }, error.message));
    el.dataset.ready = "1";
    return unwatch;
  }
  const authored = begun.get(model) ?? settings(model);
  begun.set(model, authored);
  const address = pageAddress(model);
  const linked = address.read();
  const read = codecs(study.rows);
  for (const name of SETTINGS) {
    const value = linked[name] === undefined ? null : read[name].read(linked[name]);
    if (value !== null) model.set(name, value);
  }

  const save = atMostEvery(200, () => model.save_changes());
  const now = () => settings(model);
  const change = (part) => {
    model.set(part);
    save();
  };
  const panel = filters(study, change);
  const list = table(study, { now, change });
  const sentence = h("p", { class: "abl-words" });
  const voice = announcer();
  const unit = h("span");
  const key = h(
    "p",
    { class: "abl-key", "aria-hidden": "true" },
    h("span", { class: "abl-key-theirs" }, "◆ published"),
    h("span", {}, h("i", { class: "abl-key-dot" }), "our seeds, mean"),
    h("span", {}, h("i", { class: "abl-key-base" }), "the base’s seeds"),
    unit,
  );
  const reset = h("button", { type: "button", class: "course-button", onclick: () => change(authored) }, "reset");
  root.append(panel.el, sentence, key, list.el, h("div", {}, reset), voice.el);

  let drawn = false;
  function draw() {
    const state = now();
    const rows = shown(study, state);
    const text = words(study, rows, state);
    const counts = tally(rows);
    panel.draw(state);
    list.draw(rows, state);
    setText(
      unit,
      `change from the base, ${state.measure === "ppl" ? "per cent" : "BLEU points"}, on a root scale: directions compare, sizes do not`,
    );
    if (drawn && sentence.textContent !== text) voice.say(text); // nothing is spoken before the reader has touched something
    setText(sentence, text);
    for (const name of SETTINGS) setAttr(root, `data-${name}`, state[name]);
    setAttr(root, "data-rows", rows.length);
    model.set("result", { variants: rows.map(({ row }) => row.variant), ...counts });
    save();
    address.write(Object.fromEntries(SETTINGS.map((name) => [name, state[name] === authored[name] ? null : state[name]])));
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
