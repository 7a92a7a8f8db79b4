// What the reader may turn: dials for the maps, temperature, switches, and every number to type.

import { clamp, dial, h, number, setAttr, setText, slider, toggle } from "../drawing/ui.js";

export const NAMES = { W_Q: "query", W_K: "key", W_V: "value" };
export const MATRICES = Object.keys(NAMES);

/** Rows are vectors, x ↦ x·W: this W turns x anticlockwise. */
export const fromDial = (degrees, stretch) => {
  const c = Math.cos((degrees * Math.PI) / 180);
  const s = Math.sin((degrees * Math.PI) / 180);
  return [
    [stretch * c, stretch * s],
    [-stretch * s, stretch * c],
  ];
};
/** The turn and stretch nearest to W; pure says whether they are all of it. */
export function toDial([[a, b], [c, d]]) {
  const p = (a + d) / 2;
  const q = (b - c) / 2;
  const stretch = Math.hypot(p, q);
  return { angle: stretch < 1e-9 ? null : (Math.atan2(q, p) * 180) / Math.PI, stretch, pure: Math.hypot(a - d, b + c) < 1e-3 };
}

const label = (name) => [h("span", { class: "abh-letter" }, h("i", {}, "W"), h("sub", {}, name.at(-1)))];

function map(name, change) {
  let angle = 0;
  let stretch = 1;
  const give = () => change({ [name]: fromDial(angle, stretch) });
  const knob = dial({
    label: `W ${name.at(-1)}, angle of the ${NAMES[name]} map`,
    value: 0,
    oninput: (degrees) => {
      angle = degrees;
      give();
    },
  });
  const length = slider({
    label: [h("span", { class: "course-hidden" }, `W ${name.at(-1)} `), "stretch"],
    min: 0,
    max: 2.5,
    step: 0.05,
    value: 1,
    oninput: (x) => {
      stretch = x;
      give();
    },
  });
  const turned = h("span", { class: "abh-turned" });
  const el = h(
    "div",
    { class: `abh-map abh-map-${name.at(-1)}`, role: "group", "aria-label": `${NAMES[name]} map` },
    knob.el,
    h("div", {}, h("p", {}, ...label(name), " ", turned), length.el),
  );
  const draw = (state) => {
    const found = toDial(state[name]);
    angle = found.angle ?? angle;
    stretch = found.stretch;
    knob.set(angle, 0.25 + 0.75 * clamp(stretch / 2.5, 0, 1));
    length.set(stretch);
    setText(turned, found.pure ? `turn ${number(angle, 0)}°` : "typed");
    el.classList.toggle("abh-typed", !found.pure);
  };
  return { el, draw };
}

/** A grid of typed numbers for state[name]; what is no number in range is marked and not taken over. */
function typed({ name, title, limit, change, rows }) {
  let shown = [];
  const fields = rows.map((row, i) =>
    [0, 1].map((j) => {
      const input = h("input", {
        type: "number",
        step: 0.1,
        min: -limit,
        max: limit,
        inputmode: "decimal",
        "aria-label": `${row} ${j ? "second" : "first"} entry`,
      });
      input.addEventListener("input", () => {
        const value = input.valueAsNumber;
        const good = Number.isFinite(value) && Math.abs(value) <= limit;
        setAttr(input, "aria-invalid", !good);
        if (good) change({ [name]: shown.map((line, a) => line.map((old, b) => (a === i && b === j ? value : old))) });
      });
      return input;
    }),
  );
  const el = h("fieldset", {}, h("legend", {}, ...title), h("div", { class: "abh-fields" }, ...fields.flat()));
  const draw = (state) => {
    shown = state[name];
    fields.forEach((line, i) =>
      line.forEach((input, j) => {
        if (input.matches(":focus")) return; // never under the reader's fingers
        input.value = Number(shown[i][j].toFixed(3));
        setAttr(input, "aria-invalid", false);
      }),
    );
  };
  return { el, draw };
}

const button = (text, onclick) => h("button", { type: "button", class: "course-button", onclick }, ...[text].flat());

/** change(partial state): the reader turned something. `get` reads the present state. */
export function controls({ names, tokens, change, reset, get }) {
  const has = (name) => names.includes(name);
  const parts = [];
  const bar = [];
  const maps = MATRICES.filter(has).map((name) => map(name, change));
  parts.push(...maps);

  const tools = [];
  if (has("temperature")) {
    const part = slider({
      label: ["temperature ", h("i", {}, "τ")],
      min: 0.05,
      max: 20,
      step: 0.04,
      scale: "log",
      value: 1,
      oninput: (x) => change({ temperature: x }),
    });
    parts.push({ draw: ({ temperature }) => part.set(temperature) });
    bar.push(part.el);
  }
  for (const [name, text] of [
    ["scaled", "divide scores by √m"],
    ["causal", "causal mask: no looking ahead"],
  ]) {
    if (!has(name)) continue;
    const part = toggle({ label: text, value: false, oninput: (on) => change({ [name]: on }) });
    parts.push({ draw: (state) => part.set(state[name]) });
    bar.push(part.el);
  }
  if (has("W_Q") && has("W_K")) {
    tools.push(button(["swap ", ...label("W_Q"), " and ", ...label("W_K")], () => change({ W_Q: get("W_K"), W_K: get("W_Q") })));
    tools.push(button([...label("W_K"), " = ", ...label("W_Q")], () => change({ W_K: get("W_Q") })));
  }
  if (maps.length)
    tools.push(
      button("no maps: all identity", () =>
        change(Object.fromEntries(MATRICES.filter(has).map((name) => [name, fromDial(0, 1)]))),
      ),
    );
  if (names.length) tools.push(button("reset", reset));

  const grids = MATRICES.filter(has).map((name) =>
    typed({
      name,
      title: label(name),
      limit: 10,
      change,
      rows: ["first row,", "second row,"].map((row) => `W ${name.at(-1)}, ${row}`),
    }),
  );
  if (has("vectors"))
    grids.unshift(
      typed({ name: "vectors", title: ["tokens, one a row"], limit: 3, change, rows: tokens.map((token) => `${token},`) }),
    );
  parts.push(...grids);

  const el = h("div", { class: "abh-controls" });
  if (maps.length) el.append(h("div", { class: "abh-maps" }, ...maps.map((part) => part.el)));
  if (bar.length) el.append(h("div", { class: "abh-row" }, ...bar));
  if (tools.length) el.append(h("div", { class: "abh-row abh-tools" }, ...tools));
  if (grids.length)
    el.append(
      h("details", {}, h("summary", {}, "Type the numbers"), h("div", { class: "abh-grids" }, ...grids.map((part) => part.el))),
    );
  return { el, draw: (state) => parts.forEach((part) => part.draw(state)) };
}
