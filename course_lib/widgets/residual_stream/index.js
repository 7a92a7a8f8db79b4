// The residual stream of a real model in four views. looks.js asks a provider and says what it found, map.js draws;
// this file keeps the settings.

import declared from "./settings.json" with { type: "json" };
import { called, cellOf, look } from "./looks.js";
import { stored } from "./provider.js";
import { loadData } from "../runtime/data.js";
import { dialsOf } from "../shell/dials.js";
import { whenNear } from "../shell/deferred_data.js";
import { sides, task } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { codecsOf, takesOf } from "../shell/settings.js";
import { settingsOf } from "../shell/traits.js";
import { button, desk, named } from "../drawing/desk.js";
import { map } from "../drawing/layer_map.js";
import { announcer, h, setAttr, setText } from "../drawing/ui.js";

const settings = settingsOf(Object.keys(declared));
const CODECS = codecsOf(declared);
const VIEWS = { lens: "logit lens", written: "contributions", erased: "erasure", patched: "patching" };
const SAYS = {
  lens: {
    first: "go right in the last row. When does the word that fits appear?",
    label: "Share of the true next word, read early. Left and right: layers read. Up and down: token.",
    axis: "layers read",
  },
  written: {
    first: "find the part that writes most. In which half does it stand?",
    label: "Direct contributions. Left and right: layer. Up and down: head, or feed-forward layer.",
    axis: "layer",
  },
  erased: {
    first: "find a part that wrote nothing and is needed all the same.",
    label:
      "Change of the word's log probability with one part erased. Left and right: layer. Up and down: head, or " +
      "feed-forward layer.",
    axis: "layer",
  },
  patched: {
    first: "go right in the full row. Which row takes over, and when?",
    label: "Effect of one row put in. Left and right: layers read. Up and down: token.",
    axis: "layers read",
  },
};

function render({ model, el }) {
  const root = rootOf(el, "strm course-desk", "The residual stream of a real model", { "aria-busy": "true" });
  const shell = settings.open(model, CODECS);
  return whenNear(root, {
    words: "Getting the recorded rows …",
    get: () => loadData(model, "stream"),
    start: (rows) => start({ root, el, providers: rows.map(stored), ...shell }),
  });
}

function start({ root, el, providers, authored, values: get, change, publish, live }) {
  const board = desk({ get, change, takes: takesOf(declared) });
  const of = ({ pair }) => providers[Math.min(pair, providers.length - 1)];
  const views = board.pick("view", "View", VIEWS);
  const pair = h(
    "select",
    { class: "course-field", onchange: () => change({ pair: Number(pair.value) }) },
    ...providers.map((each, i) => h("option", { value: i }, sentences(each))),
  );
  const picks = {
    side: named("sentence", board.pick("side", "Sentence that is read", { A: "A", B: "B" })),
    fill: named(
      "in its place",
      board.pick("fill", "What stands in place of the part", { mean: "its mean", zero: "nothing" }),
    ),
    source: named("the row comes from", board.pick("source", "Where the row comes from", { A: "A", C: "C" })),
  };
  const asked = { lens: ["side"], written: ["side"], erased: ["side", "fill"], patched: ["source"] };
  const layer = dialsOf(declared, change)("layer", "layer");
  const plan = map({
    choose([row, column]) {
      const parts = get().view === "written" || get().view === "erased";
      change({ layer: column, [parts ? "part" : "token"]: row });
    },
  });
  const first = h("span");
  const sentence = h("p", { class: "course-words" });
  const voice = announcer();
  root.append(
    task(first),
    views,
    h("label", { class: "strm-pair" }, h("span", {}, "pair"), pair),
    sides({
      picture: [plan.el],
      beside: [plan.key, h("div", { class: "course-abreast" }, layer.el, ...Object.values(picks)), sentence],
      over: true,
    }),
    h(
      "div",
      { class: "course-buttons" },
      button("reset", () => change(authored)),
    ),
    voice.el,
  );

  let turn = 0;
  async function draw(theme) {
    const mine = ++turn; // a live provider may be slow: what is no longer asked for is not shown
    const state = get();
    const provider = of(state);
    const says = SAYS[state.view];
    board.draw(state);
    pair.value = String(providers.indexOf(provider));
    for (const [name, box] of Object.entries(picks)) box.hidden = !asked[state.view].includes(name);
    label(picks.side, { A: `A, ${called(provider, "A")}`, B: `B, ${called(provider, "B")}` });
    label(picks.source, { A: `A, ${called(provider, "A")}`, C: `C, ${called(provider, "C")}` });
    layer.set(cellOf(provider, state)[1]);
    setText(first, says.first);
    setAttr(root, "aria-busy", true);
    const seen = await look(provider, state);
    if (mine !== turn) return;
    plan.draw(seen, says, theme);
    setText(sentence, seen.told);
    voice.tell(seen.told);
    setAttr(root, "data-value", seen.value.toFixed(3));
    publish(root, state, { seen: { value: seen.value, told: seen.told } });
    setAttr(root, "aria-busy", false);
  }
  return live((theme) => void draw(theme), { root, el }).stop;
}

/** A pair in a line: The capital of France | Italy is. */
function sentences({ tokens, at }) {
  const of = (i) => (i === at ? ` ${called({ tokens, at }, "A")} | ${called({ tokens, at }, "B")}` : tokens.A[i]);
  return tokens.A.map((_, i) => of(i))
    .join("")
    .trim();
}

function label(box, texts) {
  for (const input of box.querySelectorAll("input")) setText(input.nextElementSibling, texts[input.value]);
}

export default { initialize: settings.initialize, render };
