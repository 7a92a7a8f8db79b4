// What the reader may set: how to look, on which scale, and where the marker stands.

import { desk } from "../drawing/desk.js";
import { button, h, slider, toggle } from "../drawing/ui.js";
import { looking, row } from "./looking.js";
import { digits } from "../drawing/scale.js";
import { extremes } from "./words.js";

/** get(): the settings; change(partial state): the reader set something. positive: a logarithmic scale is possible. */
export function controls({ data, names, positive, takes, change, reset, get }) {
  const { x, y, fields, choices } = data;
  const board = desk({ get, change, takes });
  const zoom = board.dial("zoom", "zoom", 0.25, { format: (value) => `× ${digits(value)}` });
  const { view, turning } = looking(board, zoom);
  const scales = row(view);
  if (fields.length > 1) {
    const common = (on) => change({ scale: on ? "common" : "own" });
    const part = toggle({ label: "one scale for both", value: true, oninput: common });
    board.parts.scale = { ...part, read: ({ scale }) => scale === "common" };
    scales.append(part.el);
  }
  if (positive) scales.append(board.flag("log", `logarithm of ${names.z}`));

  const several = [];
  if (choices) {
    const part = slider({
      label: names.choice,
      min: 0,
      max: choices.length - 1,
      step: 1,
      value: 0,
      format: (k) => choices[k][0],
      oninput: (k) => change({ choice: k }),
    });
    board.parts.choice = { ...part, read: ({ choice }) => choice };
    several.push(row(part.el));
  }

  const along = (name, axis, index) => {
    const part = slider({
      label: `marker, ${name}`,
      min: 0,
      max: axis.length - 1,
      step: 1,
      value: 0,
      format: (i) => digits(axis[i]),
      oninput: (i) => change({ marker: get().marker.map((old, k) => (k === index ? i : old)) }),
    });
    board.parts[`marker ${index}`] = { ...part, read: ({ marker }) => marker[index] };
    return part.el;
  };
  const lowest = fields.map(({ name }, k) =>
    button(`marker to the lowest point${name && ` ${name}`}`, () => change({ marker: extremes(fields[k].z).low })),
  );
  const tools = row(...lowest, button("reset", reset));
  tools.classList.add("srf-tools");
  const el = h(
    "div",
    { class: "srf-controls" },
    ...several,
    scales,
    turning,
    row(along(names.x, x, 1), along(names.y, y, 0)),
    tools,
  );
  return { el, draw: board.draw };
}
