// One or two height fields as surfaces to turn, or as maps. The heights come from Python; this file holds the settings
// (the widget's model is the one truth) and has the parts draw them once a frame.

import declared from "./settings.json" with { type: "json" };
import { controls } from "./controls.js";
import { turner } from "./looking.js";
import { panel } from "./panel.js";
import { ranges } from "../drawing/scale.js";
import { markerWords, rangeWords } from "./words.js";
import { given } from "../shell/given.js";
import { sides } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { codecsOf, takesOf } from "../shell/settings.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, clamp, h, setText } from "../drawing/ui.js";

const takes = takesOf(declared);
const settings = settingsOf(Object.keys(declared));

/** How a link holds the settings of so many rows, columns and choices; positive: a logarithmic scale is possible. */
export function codecs({ rows, columns, positive, choices = 1 }) {
  const chosen = (text) => (/^\d+$/.test(text) && Number(text) < choices ? Number(text) : null);
  const own = { marker: { write: String, read }, choice: { write: String, read: chosen } };
  function read(text) {
    const [i, j, ...rest] = text.split(",").map(Number);
    const good =
      !rest.length && Number.isInteger(i) && Number.isInteger(j) && i >= 0 && i < rows && j >= 0 && j < columns;
    return good ? [i, j] : null;
  }
  const all = codecsOf(declared, own);
  const log = { ...all.log, read: (text) => (text === "1" && !positive ? null : all.log.read(text)) };
  return { ...all, log };
}

async function render({ model, el }) {
  const title = model.get("title");
  const root = rootOf(el, "srf", title || "Surface");
  const data = await given(root, model, "heights");
  if (data === null) return;
  data.fields.forEach((field, k) => {
    field.path = data.paths[k];
  });
  const names = { x: model.get("x_name"), y: model.get("y_name"), z: model.get("z_name"), choice: data.choice_name };
  const spoken = { ...data, xName: names.x, yName: names.y };
  const rows = data.y.length;
  const columns = data.x.length;
  const sets = data.choices?.map(([, , heights]) => heights) ?? [data.fields.map(({ z }) => z)];
  // of all choices, for the scales
  const whole = data.fields.map((_, k) => ({ z: sets.flatMap((heights) => heights[k]) }));
  const positive = whole.every(({ z }) => z.flat().every((value) => value === null || value > 0));
  const linked = codecs({ rows, columns, positive, choices: sets.length });
  const { authored, values: get, change, publish, live } = settings.open(model, linked);

  const turn = turner(get, change, takes.elevation);
  const mark = (marker) => change({ marker });
  const step = (up, right) => {
    const [i, j] = get().marker;
    mark([clamp(i + up, 0, rows - 1), clamp(j + right, 0, columns - 1)]);
  };
  const panels = data.fields.map((field) => panel({ field, names, turn, mark, step }));
  const over = panels.length > 1;
  const panelled = h("div", { class: `srf-panels${over ? " srf-two" : ""}` }, ...panels.map((part) => part.el));
  const board = controls({ data, names, positive, takes, change, reset: () => change(authored), get });
  const sentence = h("p", { class: "srf-words" });
  const voice = announcer();
  const words = h("p");
  const inWords = h("details", {}, h("summary", {}, "The picture in words"), words);
  root.append(
    ...(title ? [h("p", { class: "srf-title" }, title)] : []),
    sides({ picture: [panelled], beside: [board.el], over }),
    sentence,
    inWords,
    voice.el,
  );

  function draw() {
    const state = get();
    const range = ranges(whole, state.scale);
    data.fields.forEach((field, k) => {
      field.z = sets[state.choice][k];
    });
    panels.forEach((part, k) => part.draw(state, data, range[k]));
    board.draw(state);
    const about = data.choices ? `${data.choices[state.choice][1]} ` : "";
    const text = about + markerWords(spoken, names.z, state.marker);
    setText(sentence, text);
    setText(words, `${model.get("description")} ${rangeWords(spoken, names.z)}`);
    voice.tell(text);
    publish(root, state, {});
  }
  return live(draw, { root, el, face: panels[0].face }).stop;
}

export default { initialize: settings.initialize, render };
