// ModelSizes: the model holds the five sizes; count.js turns them into shapes; the parts draw them once a frame.

import { pageAddress } from "../shell/address.js";
import { bars } from "./bars.js";
import { block } from "./block.js";
import { controls, LARGEST } from "./controls.js";
import { count, learnables, rowOf, shares, SIZES, untrained } from "./count.js";
import { verdict, words } from "./words.js";
import { announcer, atMostEvery, h, oncePerFrame, setAttr, setText, watchTheme } from "../drawing/ui.js";

const begun = new WeakMap(); // model → the author's sizes, for reset

const settings = (model) => Object.fromEntries(SIZES.map((name) => [name, model.get(name)]));
const read = (name, text) => (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= LARGEST[name] ? Number(text) : null);

function render({ model, el }) {
  const authored = begun.get(model) ?? settings(model);
  const rows = model.get("published");
  begun.set(model, authored);
  const root = h("div", { class: "course-ui siz", role: "group", "aria-label": "Sizes of the model" });
  el.replaceChildren(root);
  const address = pageAddress(model);
  const linked = address.read();
  for (const name of SIZES) {
    const value = linked[name] === undefined ? null : read(name, linked[name]);
    if (value !== null) model.set(name, value);
  }

  const save = atMostEvery(120, () => model.save_changes());
  const change = (part) => {
    for (const [name, value] of Object.entries(part)) model.set(name, value);
  };
  const room = () => Math.max(160, root.clientWidth - 56);
  const dials = controls({ rows, change, get: (name) => model.get(name) });
  const picture = block({ sizes: authored, room });
  const parts = bars();
  const sentence = h("p", { class: "siz-words" });
  const printed = h("p", { class: "siz-printed" });
  const voice = announcer();
  const key = h(
    "p",
    { class: "siz-key" },
    "All rectangles have one scale, rows down and columns across. Empty with a dashed edge: never learns.",
  );
  const reset = h("button", { type: "button", class: "course-button", onclick: () => change(authored) }, "reset");
  root.append(dials.el, sentence, printed, parts.el, key, picture.el, h("div", {}, reset), voice.el);

  let spoken = "";
  let drawn = false;
  function draw() {
    const sizes = settings(model);
    const row = rowOf(sizes, rows);
    const text = words(sizes);
    const beside = verdict(sizes, rows);
    dials.draw(sizes, row);
    picture.draw(sizes);
    parts.draw(shares(sizes));
    setText(sentence, text);
    setText(printed, beside);
    if (drawn && text !== spoken) voice.say(`${text} ${beside}`); // nothing is spoken before the reader has touched something
    spoken = text;
    for (const name of SIZES) setAttr(root, `data-${name}`, sizes[name]);
    const sum = count(sizes);
    const idle = learnables(sizes).reduce((all, each) => all + untrained(each), 0);
    setAttr(root, "data-count", sum);
    model.set({ learnables: sum, untrained: idle });
    save();
    address.write(Object.fromEntries(SIZES.map((name) => [name, sizes[name] === authored[name] ? null : String(sizes[name])])));
    drawn = true;
  }
  const redraw = oncePerFrame(draw);
  const events = SIZES.map((name) => `change:${name}`);
  for (const event of events) model.on(event, redraw);
  const unwatch = watchTheme(root, () => {});
  const sized = new ResizeObserver(() => {
    if (drawn) redraw();
  });
  sized.observe(root);
  draw();
  el.dataset.ready = "1";
  return () => {
    unwatch();
    sized.disconnect();
    for (const event of events) model.off(event, redraw);
  };
}

export default {
  initialize: ({ model }) => {
    begun.set(model, settings(model));
  },
  render,
};
