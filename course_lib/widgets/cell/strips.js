// One strip a quantity, one bar a letter. The letter that is told in words is chosen here, by pointer or arrow keys.

import { clamp, draggable, h, number, setAttrs, svg } from "../drawing/ui.js";

/** kind → the strips: name of the number, label, symbol, and the colour's class. */
const STRIPS = {
  rnn: [["s", "state", "s", "state"]],
  gru: [
    ["reset", "reset gate", "κ", "gate"],
    ["update", "update gate", "z", "gate"],
    ["proposal", "proposal", "s̃", "new"],
    ["s", "state", "s", "state"],
  ],
  lstm: [
    ["forget", "forget gate", "f", "gate"],
    ["input", "input gate", "i", "gate"],
    ["proposal", "proposal", "g", "new"],
    ["c", "memory", "c", "memory"],
    ["output", "output gate", "o", "gate"],
    ["s", "state", "s", "state"],
  ],
};
const [ROW, BETWEEN, FOOT] = [40, 12, 26];
const WIDE = 560; // from here on labels have room beside the strips
const FEWEST = 8; // letters that share the width at least

/** now(): the settings with `steps` and `at`; choose(at). */
export function strips({ choose, now }) {
  const face = h("div", {
    class: "fed-face",
    role: "slider",
    tabindex: 0,
    "aria-label": "Letter that is told in words",
    "aria-valuemin": 0,
  });
  const picture = svg("svg", { class: "fed-picture", "aria-hidden": "true" });
  face.append(picture);
  let layout = { left: 0, step: 1 };

  const at = (event) => {
    const { steps } = now();
    if (!steps.length) return;
    const x = event.clientX - face.getBoundingClientRect().left - layout.left;
    choose(clamp(Math.floor(x / layout.step) + 1, 1, steps.length));
  };
  draggable(face, { start: at, move: at });
  const KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
  face.addEventListener("keydown", (event) => {
    const state = now();
    const to =
      { Home: 1, End: state.steps.length }[event.key] ?? (event.key in KEYS ? state.at + KEYS[event.key] : null);
    if (to === null) return;
    event.preventDefault();
    if (state.steps.length) choose(clamp(to, 1, state.steps.length));
  });

  function strip([name, label, symbol, colour], top, state, place) {
    const { steps, at: here } = state;
    const { left, step, width, wide } = place;
    const signed = colour !== "gate";
    const most = name === "c" ? Math.max(1, Math.ceil(Math.max(...steps.map((each) => Math.abs(each.c))) - 0.05)) : 1;
    const y = (value) => top + (signed ? (ROW / 2) * (1 - value / most) : ROW * (1 - value));
    const told = here ? number(steps[here - 1][name]) : number(0);
    const text = (x, height, anchor, ...parts) => svg("text", { x, y: height, "text-anchor": anchor }, ...parts);
    const named = svg("tspan", { class: "fed-symbol" }, symbol);
    const line = (value, kind) => svg("line", { class: kind, x1: left, x2: left + width, y1: y(value), y2: y(value) });
    const scale = signed ? [most, 0, -most] : [1, 0];
    return svg(
      "g",
      { class: `fed-strip fed-${colour}` },
      ...scale.map((value) => line(value, value === 0 ? "fed-zero" : "fed-rim")),
      ...(wide
        ? [text(0, top + ROW / 2 + 4, "start", `${label} `, named)]
        : [text(0, top + ROW / 2 + 4, "start", named)]),
      ...scale
        .filter((value) => value !== 0 || !signed)
        .map((value) =>
          svg("text", { class: "fed-tick", x: left - 4, y: y(value) + 4, "text-anchor": "end" }, number(value, 0)),
        ),
      ...steps.map((each, k) => {
        const value = clamp(each[name], -most, most);
        const [high, low] = [Math.min(y(value), y(0)), Math.max(y(value), y(0))];
        const size = { x: left + step * (k + 0.2), width: 0.6 * step, y: high, height: Math.max(1, low - high) };
        return svg("rect", { class: `fed-bar${k + 1 === here ? " fed-told" : ""}`, ...size });
      }),
      text(left + width + 46, top + ROW / 2 + 4, "end", told),
    );
  }

  function draw(state) {
    const { kind, steps, at: here } = state;
    const all = Math.max(260, face.clientWidth);
    const wide = all >= WIDE;
    const left = wide ? 132 : 44;
    const width = all - left - 50;
    const step = width / Math.max(FEWEST, steps.length);
    layout = { left, step };
    const rows = STRIPS[kind];
    const height = rows.length * (ROW + BETWEEN) + FOOT;
    const band = here
      ? [svg("rect", { class: "fed-here", x: left + step * (here - 1), y: 0, width: step, height })]
      : [];
    const foot = height - 8;
    setAttrs(picture, { width: all, height, viewBox: `0 0 ${all} ${height}` });
    picture.replaceChildren(
      ...band,
      ...rows.map((row, k) => strip(row, 8 + k * (ROW + BETWEEN), state, { left, step, width, wide })),
      svg("text", { class: "fed-symbol", x: 0, y: foot }, wide ? "letter read" : "x"),
      ...steps.map(({ letter }, k) =>
        svg("text", { class: "fed-letter", x: left + step * (k + 0.5), y: foot, "text-anchor": "middle" }, letter),
      ),
    );
    setAttrs(face, { "aria-valuemax": steps.length, "aria-valuenow": here, "aria-valuetext": state.told });
  }
  return { el: face, draw };
}
