// One or two height fields as surfaces to turn, or as maps. The heights come from Python; this file holds the settings (the
// widget's model is the one truth) and has the parts draw them once a frame.

import { short } from "../shell/address.js";
import { loadData } from "../runtime/data.js";
import { controls } from "./controls.js";
import { panel } from "./panel.js";
import { ranges } from "./scale.js";
import { markerWords, rangeWords } from "./words.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, clamp, h, oncePerFrame, setAttr, setText } from "../drawing/ui.js";

const SETTINGS = ["view", "scale", "log", "azimuth", "elevation", "zoom", "marker"];
const settings = settingsOf(SETTINGS);
const round = (degrees) => degrees - 360 * Math.ceil((degrees - 180) / 360); // into (-180, 180]

/** A setting as short text for the address, and back; null where the text is not one. */
const number = (low, high) => ({
  write: (x) => short(x),
  read: (text) => (text.trim() && Number(text) >= low && Number(text) <= high ? Number(text) : null),
});
const word = (...options) => ({ write: String, read: (text) => (options.includes(text) ? text : null) });
const codecs = ({ rows, columns, positive }) => ({
  view: word("surface", "map"),
  scale: word("common", "own"),
  azimuth: number(-180, 180),
  elevation: number(5, 90),
  zoom: number(1, 4),
  log: { write: (on) => (on ? "1" : "0"), read: (text) => (text === "0" ? false : text === "1" && positive ? true : null) },
  marker: {
    write: (pair) => pair.join(","),
    read(text) {
      const [i, j, ...rest] = text.split(",").map(Number);
      const good = !rest.length && Number.isInteger(i) && Number.isInteger(j) && i >= 0 && i < rows && j >= 0 && j < columns;
      return good ? [i, j] : null;
    },
  },
});

async function render({ model, el }) {
  const root = h("div", { class: "course-ui srf", role: "group", "aria-label": model.get("title") || "Surface" });
  el.replaceChildren(root);
  let data;
  try {
    data = await loadData(model, "heights");
  } catch (error) {
    root.append(h("p", { role: "alert" }, error.message));
    return;
  }
  data.fields.forEach((field, k) => {
    field.path = data.paths[k];
  });
  const names = { x: model.get("x_name"), y: model.get("y_name"), z: model.get("z_name") };
  const spoken = { ...data, xName: names.x, yName: names.y };
  const rows = data.y.length;
  const columns = data.x.length;
  const positive = data.fields.every(({ z }) => z.flat().every((value) => value === null || value > 0));
  const { authored, values, change, save, link, follow } = settings.open(model, codecs({ rows, columns, positive }));

  const turn = {
    from: () => [model.get("azimuth"), model.get("elevation")],
    to: ([azimuth, elevation], right, up) => change({ azimuth: round(azimuth + right), elevation: clamp(elevation + up, 5, 90) }),
  };
  const mark = (marker) => change({ marker });
  const step = (up, right) => {
    const [i, j] = model.get("marker");
    mark([clamp(i + up, 0, rows - 1), clamp(j + right, 0, columns - 1)]);
  };
  const panels = data.fields.map((field) => panel({ field, names, turn, mark, step }));
  const panelled = h("div", { class: `srf-panels${panels.length > 1 ? " srf-two" : ""}` }, ...panels.map((part) => part.el));
  const board = controls({ data, names, positive, change, reset: () => change(authored), get: (name) => model.get(name) });
  const sentence = h("p", { class: "srf-words" });
  const voice = announcer();
  const about = h(
    "details",
    {},
    h("summary", {}, "The picture in words"),
    h("p", {}, `${model.get("description")} ${rangeWords(spoken, names.z)}`),
  );
  const title = model.get("title");
  root.append(...(title ? [h("p", { class: "srf-title" }, title)] : []), panelled, sentence, board.el, about, voice.el);

  let told = "";
  let drawn = false;
  function draw() {
    const state = values();
    const range = ranges(data.fields, state.scale);
    panels.forEach((part, k) => part.draw(state, data, range[k]));
    board.draw(state);
    const text = markerWords(spoken, names.z, state.marker);
    setText(sentence, text);
    if (drawn && text !== told) voice.say(text); // nothing is spoken before the reader has touched something
    told = text;
    for (const name of ["view", "scale", "log", "azimuth", "elevation", "zoom"]) setAttr(root, `data-${name}`, state[name]);
    setAttr(root, "data-marker", state.marker.join(","));
    save();
    link(state);
    drawn = true;
  }
  const redraw = oncePerFrame(draw);
  const stop = follow(redraw, { root, face: panels[0].face, drawn: () => drawn });
  draw();
  el.dataset.ready = "1";
  return stop;
}

export default { initialize: settings.initialize, render };
