// What the reader may set: the layers to pass, the tokens, the layer's matrices and numbers, the blur, the drawn
// tokens.

import { abreast, button, desk, group } from "../drawing/desk.js";
import { headsEditor } from "../drawing/heads.js";
import { choice, clamp, h, setText, slider } from "../drawing/ui.js";
import { HEADS, RANGES, TOKENS } from "./address.js";
import { LAYERS, layerOf, MEASURES, measureOf } from "./presets.js";

const OWN = "own";
/** A menu of presets, and a name for what is none of them. */
function menu(label, presets, pick) {
  const select = h(
    "select",
    {
      onchange: () => {
        if (Object.hasOwn(presets, select.value)) pick(presets[select.value]);
      },
    },
    ...Object.keys(presets).map((name) => h("option", { value: name }, name)),
    h("option", { value: OWN, disabled: true }, "own"),
  );
  return {
    el: h("label", { class: "mea-menu" }, h("span", {}, label), select),
    set(name) {
      select.value = name ?? OWN;
    },
  };
}

/** get(): the settings; change(part); acts: {play, reset, add, remove, split, weigh, go, chosen}. */
export function controls({ get, change, acts }) {
  const board = desk({ get, change, takes: RANGES });
  const { dial } = board;
  const start = menu("start from", MEASURES, (tokens) => change({ tokens }));
  const layer = menu("layer", LAYERS, ({ heads, scale, step }) => change({ heads, scale, step }));
  const about = h("p", { class: "mea-chosen" });
  const [least, most] = RANGES.weight;
  const weight = slider({
    label: "its weight",
    min: least,
    max: most,
    step: 0.05,
    value: 1,
    format: (x) => String(Number(x.toPrecision(3))),
    scale: "log",
    oninput: (value) => acts.weigh(acts.chosen(), clamp(Number(value.toPrecision(3)), least, most)),
  });
  const before = button("‹ previous", () => acts.go(-1));
  const next = button("next ›", () => acts.go(1));
  const add = button("Add a token", () => acts.add(null));
  const split = button("Split in two", acts.split);
  const remove = button("Remove", () => acts.remove(acts.chosen(), false));
  const editor = headsEditor({ get, change, range: RANGES.heads, most: HEADS });
  const pushed = choice({
    legend: "What the later layers look at",
    value: "1",
    options: [
      { value: "1", label: "⋄ measure pushed forward" },
      { value: "0", label: "∘ measure of the start" },
    ],
    oninput: (value) => change({ pushed: value === "1" }),
  });
  const n = dial("n", ["tokens drawn, ", h("i", {}, "n")], 0.1, {
    scale: "log",
    format: (x) => String(Math.round(x)),
    oninput: (value) => change({ n: Math.round(value) }),
  });
  const drawn = abreast(n, board.another("another sample"));
  const transport = board.transport(acts);
  const dials = h(
    "div",
    { class: "course-dials" },
    group(
      "The tokens",
      abreast(start.el, weight.el),
      about,
      h("div", { class: "mea-buttons" }, before, next, add, split, remove),
    ),
    group(
      "The measure",
      abreast(dial("blur", ["blur ", h("i", {}, "σ")], 0.05)),
      board.flag("compare", "compare with tokens drawn from it"),
      drawn,
    ),
    group(
      "The layer",
      abreast(
        layer.el,
        dial("step", ["step ", h("i", {}, "ε")], 0.01),
        dial("scale", ["scale ", h("i", {}, "s")], 0.01),
      ),
      editor.count,
      editor.list,
      h("p", { class: "mea-label" }, "Every layer after the first looks at the"),
      pushed.el,
    ),
  );

  function draw(state, playing, words) {
    const share = state.tokens[acts.chosen()][2];
    board.draw({ ...state, playing });
    start.set(measureOf(state));
    layer.set(layerOf(state));
    weight.set(share);
    setText(about, words);
    before.disabled = next.disabled = remove.disabled = state.tokens.length === 1;
    add.disabled = split.disabled = state.tokens.length >= TOKENS;
    split.disabled ||= share / 2 < least;
    editor.draw(state.heads);
    pushed.set(state.pushed ? "1" : "0");
    drawn.hidden = !state.compare;
  }
  return { transport, dials, draw };
}
