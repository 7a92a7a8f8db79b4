// What the reader may set: how to look, on which scale, and where the marker stands.

import { choice, h, number, slider, toggle } from "../drawing/ui.js";
import { digits } from "./scale.js";
import { extremes } from "./words.js";

const degrees = (value) => `${number(value, 0)}°`;

/** change(partial state): the reader set something. positive: a logarithmic scale is possible. */
export function controls({ data, names, positive, change, reset, get }) {
  const { x, y, fields } = data;
  const rows = [];
  const add = (...parts) => {
    rows.push(h("div", { class: "srf-row" }, ...parts.filter(Boolean).map((part) => part.el)));
    return rows.at(-1);
  };
  const button = (text, onclick) => ({ el: h("button", { type: "button", class: "course-button", onclick }, text) });

  const view = choice({
    legend: "View",
    value: "surface",
    oninput: (value) => change({ view: value }),
    options: [
      { value: "surface", label: "surface" },
      { value: "map", label: "map" },
    ],
  });
  const common =
    fields.length > 1 &&
    toggle({ label: "one scale for both", value: true, oninput: (on) => change({ scale: on ? "common" : "own" }) });
  const log = positive && toggle({ label: `logarithm of ${names.z}`, value: false, oninput: (on) => change({ log: on }) });
  add(view, common, log);

  const angle = (label, name, min, max) =>
    slider({ label, min, max, step: 5, value: min, format: degrees, oninput: (value) => change({ [name]: value }) });
  const azimuth = angle("turn", "azimuth", -180, 180);
  const elevation = angle("tilt", "elevation", 5, 90);
  const zoom = slider({
    label: "zoom",
    min: 1,
    max: 4,
    step: 0.25,
    value: 1,
    format: (value) => `× ${digits(value)}`,
    oninput: (value) => change({ zoom: value }),
  });
  const turning = add(azimuth, elevation, zoom);

  const along = (name, axis, index) =>
    slider({
      label: `marker, ${name}`,
      min: 0,
      max: axis.length - 1,
      step: 1,
      value: 0,
      format: (i) => digits(axis[i]),
      oninput: (i) => change({ marker: get("marker").map((old, k) => (k === index ? i : old)) }),
    });
  const column = along(names.x, x, 1);
  const row = along(names.y, y, 0);
  const lowest = fields.map(({ name, z }) =>
    button(`marker to the lowest point${name && ` ${name}`}`, () => change({ marker: extremes(z).low })),
  );
  add(column, row);
  add(...lowest, button("reset", reset));
  rows.at(-1).classList.add("srf-tools");

  const draw = (state) => {
    view.set(state.view);
    if (common) common.set(state.scale === "common");
    if (log) log.set(state.log);
    turning.hidden = state.view !== "surface";
    azimuth.set(state.azimuth);
    elevation.set(state.elevation);
    zoom.set(state.zoom);
    column.set(state.marker[1]);
    row.set(state.marker[0]);
  };
  return { el: h("div", { class: "srf-controls" }, ...rows), draw };
}
