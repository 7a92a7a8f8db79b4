// What the reader may turn: dials for the maps, temperature, switches, and every number to type.

import { TAKES } from "./address.js";
import { fromDial, MATRICES, NAMES, toDial } from "./maps.js";
import { desk } from "../drawing/desk.js";
import { button, clamp, dial, h, number, setAttr, setText, slider } from "../drawing/ui.js";

const LONGEST = 2.5; // the stretch of a dial
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
    max: LONGEST,
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
    knob.set(angle, 0.25 + 0.75 * clamp(stretch / LONGEST, 0, 1));
    length.set(stretch);
    setText(turned, found.pure ? `turn ${number(angle, 0)}°` : "typed");
    el.classList.toggle("abh-typed", !found.pure);
  };
  return { el, draw };
}

/**
 * A grid of typed numbers for state[name]; what is no number in range is marked, not taken over, and put back, and a
 * line says why.
 */
function typed({ name, title, change, get, rows }) {
  const [min, max] = TAKES[name];
  const now = () => get()[name]; // not what was drawn last: two fields may be typed in before the next picture
  const problem = h("p", { class: "course-problem", role: "status" });
  const fields = rows.map((row, i) =>
    [0, 1].map((j) => {
      const input = h("input", {
        type: "number",
        step: 0.1,
        min,
        max,
        inputmode: "decimal",
        "aria-label": `${row} ${j ? "second" : "first"} entry`,
      });
      input.addEventListener("input", () => {
        const value = input.valueAsNumber;
        const good = value >= min && value <= max; // false for nan
        setAttr(input, "aria-invalid", !good);
        const range = `${number(min, 0)} to ${number(max, 0)}`;
        setText(problem, good ? "" : `Only numbers from ${range} are taken: it stays ${number(now()[i][j])}.`);
        if (good) change({ [name]: now().map((line, a) => line.map((old, b) => (a === i && b === j ? value : old))) });
      });
      input.addEventListener("blur", () => {
        if (input.getAttribute("aria-invalid") === "true") put(input, now()[i][j]);
      });
      return input;
    }),
  );
  const put = (input, x) => {
    input.value = Number(x.toFixed(3));
    setAttr(input, "aria-invalid", false);
  };
  const el = h("fieldset", {}, h("legend", {}, ...title), h("div", { class: "abh-fields" }, ...fields.flat()), problem);
  const draw = (state) => {
    fields.forEach((line, i) =>
      line.forEach((input, j) => {
        if (!input.matches(":focus")) put(input, state[name][i][j]); // never under the reader's fingers
      }),
    );
  };
  return { el, draw };
}

const tool = (words, onclick) => {
  const made = button("", onclick);
  made.append(...words);
  return made;
};

/** change(partial state): the reader turned something. get(): the present state. */
export function controls({ names, tokens, change, reset, get }) {
  const has = (name) => names.includes(name);
  const own = MATRICES.filter(has);
  const board = desk({ get, change, takes: TAKES });
  const maps = own.map((name) => map(name, change));
  const bar = [];
  if (has("temperature"))
    bar.push(board.dial("temperature", ["temperature ", h("i", {}, "τ")], 0.04, { scale: "log" }));
  if (has("scaled")) bar.push(board.flag("scaled", "divide scores by √m"));
  if (has("causal")) bar.push(board.flag("causal", "causal mask: no looking ahead"));

  const tools = [];
  if (has("W_Q") && has("W_K")) {
    const swap = () => change({ W_Q: get().W_K, W_K: get().W_Q });
    tools.push(tool(["swap ", ...label("W_Q"), " and ", ...label("W_K")], swap));
    tools.push(tool([...label("W_K"), " = ", ...label("W_Q")], () => change({ W_K: get().W_Q })));
  }
  const identity = () => change(Object.fromEntries(own.map((name) => [name, fromDial(0, 1)])));
  if (maps.length) tools.push(button("no maps: all identity", identity));
  if (names.length) tools.push(button("reset", reset));

  const lines = (name) => ["first row,", "second row,"].map((row) => `W ${name.at(-1)}, ${row}`);
  const grids = own.map((name) => typed({ name, title: label(name), change, get, rows: lines(name) }));
  if (has("vectors"))
    grids.unshift(
      typed({ name: "vectors", title: ["tokens, one a row"], change, get, rows: tokens.map((token) => `${token},`) }),
    );

  const el = h("div", { class: "abh-controls" });
  if (maps.length) el.append(h("div", { class: "abh-maps" }, ...maps.map((part) => part.el)));
  if (bar.length) el.append(h("div", { class: "abh-row" }, ...bar));
  if (tools.length) el.append(h("div", { class: "abh-row abh-tools" }, ...tools));
  if (grids.length)
    el.append(
      h(
        "details",
        {},
        h("summary", {}, "Type the numbers"),
        h("div", { class: "abh-grids" }, ...grids.map((part) => part.el)),
      ),
    );
  return { el, draw: (state) => [board, ...maps, ...grids].forEach((part) => part.draw(state)) };
}
