// A real model, opened. stored.js and live.js answer, looks.js and cut.js say what was found, this file keeps the
// settings and has the parts draw.

import declared from "./settings.json" with { type: "json" };
import { bars, compared, toldNext } from "./bars.js";
import { randomOf } from "./chance.js";
import { cut, drawnAt } from "./cut.js";
import { most, SCORES } from "./find.js";
import { BadText } from "./live.js";
import { cellOf, headName, look, piece, share } from "./looks.js";
import { opening } from "./opening.js";
import { overview } from "./overview.js";
import { stored } from "./stored.js";
import { loadData } from "../runtime/data.js";
import { dialsOf } from "../shell/dials.js";
import { whenNear } from "../shell/deferred_data.js";
import { sides, task } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { codecsOf, takesOf } from "../shell/settings.js";
import { settingsOf } from "../shell/traits.js";
import { abreast, button, desk, named } from "../drawing/desk.js";
import { map } from "../drawing/layer_map.js";
import { typed } from "../drawing/typed.js";
import { announcer, h, number, setAttr, setText } from "../drawing/ui.js";

// for tests and the benchmark, which load the bundle
export { forget, kept, offered, openModel } from "./engine/open.js";

const settings = settingsOf(Object.keys(declared));
const CODECS = codecsOf(declared);
const OWN = -1; // the sentence that is typed
const VIEWS = {
  maps: "maps",
  next: "next piece",
  lens: "logit lens",
  erased: "erasure",
  patched: "patching",
  moved: "turns",
};
const SAYS = {
  maps: {
    first: "find a head that looks from the last token at the fourth.",
    label: "Weights of one head. Up and down: the token that looks. Left and right: the token looked at.",
  },
  next: { first: "let top-p fall until only one piece may be drawn." },
  lens: {
    first: "go right in the first row. When does its piece appear?",
    label: "Share of the five likeliest next pieces, read early. Left and right: layers read. Up and down: piece.",
  },
  erased: {
    first: "find the head that the likeliest piece misses most.",
    label:
      "Change of the likeliest piece's log probability with one part erased. Left and right: layer. Up and down: " +
      "head, or feed-forward layer.",
  },
  patched: {
    first: "go right in the full row. Which row takes over, and when?",
    label: "Effect of one row put in. Left and right: layer. Up and down: token.",
  },
  moved: {
    first: "find the layers that turn the first token's row.",
    label: "How far each layer turns each row. Left and right: layer. Up and down: token.",
  },
};

function render({ model, el }) {
  const root = rootOf(el, "real course-desk", "A real model, opened", { "aria-busy": "true" });
  const shell = settings.open(model, CODECS);
  return whenNear(root, {
    words: "Getting the recorded runs …",
    get: () => loadData(model, "stored"),
    start: (rows) => start({ root, el, model, rows, ...shell }),
  });
}

function start({ root, el, model, rows, authored, values: get, change, publish, live }) {
  const recorded = stored(rows);
  const board = desk({ get, change, takes: takesOf(declared) });
  const dial = dialsOf(declared, change);
  let redraw = () => {};

  const open = opening({
    workerText: () => loadData(model, "worker"),
    opened(name) {
      change({ model: name });
      redraw();
    },
  });
  /** Who is asked, and of what. */
  function source({ model: name, text, other, sentence }) {
    const alive = open.get(name);
    const row = rows[Math.min(sentence, rows.length - 1)];
    return {
      provider: alive ?? recorded,
      text: (alive && text) || row.text,
      other: (alive && (other || text)) || row.other,
      alive: alive !== null,
    };
  }

  // ---- what is read
  const views = board.pick("view", "View", VIEWS);
  const who = named("model", board.pick("model", "Model", { smollm2: "SmolLM2", minilm: "MiniLM" }));
  const pick = h(
    "select",
    {
      class: "course-field",
      "aria-label": "sentence",
      onchange: () => change({ sentence: Number(pick.value), text: "", other: "" }),
    },
    ...rows.map(({ text }, i) => h("option", { value: i }, text)),
  );
  const ownOption = h("option", { value: OWN, disabled: true }, "your own:");
  pick.append(ownOption);
  const own = typed("input", {
    type: "text",
    maxlength: declared.text.takes[1],
    "aria-label": "sentence",
    onchange: () => change({ text: own.field.value }),
  });
  const second = typed("input", {
    type: "text",
    maxlength: declared.other.takes[1],
    "aria-label": "second sentence",
    onchange: () => change({ other: second.field.value }),
  });
  const secondText = h("span", { class: "real-second" });
  const secondLine = h("div", { class: "real-line" }, h("span", {}, "second sentence"), second.field, secondText);

  // ---- the pictures
  const heads = overview({ choose: change });
  const plan = map({
    choose([row, column]) {
      const { view } = get();
      const names = { maps: ["row", "column"], lens: ["word", "layer"], erased: ["part", "layer"] }[view] ?? [
        "row",
        "layer",
      ];
      change({ [names[0]]: row, [names[1]]: column });
    },
  });
  const list = bars();
  const table = compared();

  // ---- dials of single views
  const layer = dial("layer", "layer", { format: String });
  const head = dial("head", "head", { format: String });
  const token = h("select", {
    class: "course-field",
    "aria-label": "token",
    onchange: () => change({ row: Number(token.value) }),
  });
  const temperature = dial("temperature", "temperature", {
    min: 0.1,
    max: 3,
    step: 0.01,
    scale: "log",
    format: number,
  });
  const k = dial("k", "top-k", {
    format: (x) => (x >= declared.k.takes[1] ? "all" : String(x)),
    oninput: (x) => change({ k: x >= declared.k.takes[1] ? null : x }),
  });
  const p = dial("p", "top-p", { step: 0.01, format: number });
  const finder = h(
    "select",
    { class: "course-field", "aria-label": "what the head does" },
    ...Object.entries(SCORES).map(([value, { label }]) => h("option", { value }, label)),
  );
  const found = h("p", { class: "course-soft", role: "status" });
  const find = button("go to the head that does it most", () => {
    const { reading, provider } = now;
    if (!reading) return;
    const best = most(finder.value, provider, reading, cellOf(provider, reading, get()));
    if (!best.possible) return setText(found, "No piece of this sentence comes twice: nothing can be copied.");
    for (let each = 0; each < provider.layers * provider.heads; each++) looked.add(each);
    setText(
      found,
      `${headName(best.layer, best.head)}: score ${share(best.score)}, the highest of ` +
        `${provider.layers * provider.heads}.`,
    );
    change({ layer: best.layer, head: best.head });
  });
  const again = button("draw again", () => change({ seed: 1 + (get().seed % declared.seed.takes[1]) }));
  const write = button("write the drawn piece on", () => writeOn());
  const all = button("work out the whole map", () => workOut());
  const fill = named(
    "in its place",
    board.pick("fill", "What stands in place of the part", { mean: "its mean", zero: "nothing" }),
  );
  const what = named(
    "from the first sentence",
    board.pick("what", "What is put in", { stream: "a row", attention: "attention", "feed-forward": "feed-forward" }),
  );
  const BESIDE = {
    maps: [layer.el, head.el, named("which head …", finder), find],
    next: [temperature.el, k.el, p.el, again, write],
    lens: [layer.el, named("row of the token", token)],
    erased: [layer.el, fill, again, all],
    patched: [layer.el, what],
    moved: [layer.el],
  };
  const dials = [...new Set(Object.values(BESIDE).flat())];

  const first = h("span");
  const counter = h("p", { class: "real-counter" });
  const sentence = h("p", { class: "course-words" });
  const note = h("p", { class: "course-problem", role: "status" });
  const voice = announcer();
  root.append(
    task(first),
    open.el,
    h("div", { class: "real-top" }, views, who),
    h("div", { class: "real-line" }, h("span", {}, "sentence"), pick, own.field),
    secondLine,
    sides({
      picture: [h("div", { class: "real-pictures" }, heads.el, plan.el, list.el)],
      beside: [plan.key, abreast(...dials), found, counter, note, sentence, table.el],
      over: true,
    }),
    h(
      "div",
      { class: "course-buttons" },
      button("reset", () => change(authored)),
    ),
    voice.el,
  );

  // ---- what was looked at
  const looked = new Set();
  let lookedIn = "";
  function count({ provider, text }, { layer: l, head: j }) {
    const key = `${provider.name} ${text}`;
    if (key !== lookedIn) {
      looked.clear();
      setText(found, "");
    }
    lookedIn = key;
    looked.add(l * provider.heads + j);
    const of = provider.layers * provider.heads;
    setText(
      counter,
      `Heads looked at on this sentence: ${looked.size} of ${of}. ` +
        `${looked.size > 1 ? `One that looks good was the best of ${looked.size}: try it on another sentence.` : ""}`,
    );
  }

  let now = { provider: recorded, reading: null };
  let turn = 0;
  let job = null; // of what is still being computed

  async function writeOn() {
    const state = get();
    const { text, alive } = source(state);
    if (!alive || !now.reading?.next) return;
    const { next } = now.reading;
    const at = drawnAt(cut(next, state), randomOf(state.seed)());
    change({ text: text + next.top[at ?? 0][0], seed: 1 + (state.seed % declared.seed.takes[1]) });
  }
  async function workOut() {
    const state = get();
    const { provider, text } = source(state);
    job?.abort();
    const mine = new AbortController();
    job = mine;
    const known = await provider.erased(text, state.fill);
    for (let part = provider.heads + 1; part >= 0; part--)
      for (let l = 0; l < provider.layers; l++) {
        if (mine.signal.aborted) return;
        if (!Number.isNaN(known[l][part])) continue;
        await provider.erase(text, { layer: l, part, fill: state.fill });
        if (l % 5 === 4) redraw();
      }
    redraw();
  }

  function controls(state, from) {
    const { provider, alive } = from;
    board.draw(state);
    who.hidden = open.get("smollm2") === null || open.get("minilm") === null;
    for (const input of views.querySelectorAll("input")) input.disabled = !provider.views.includes(input.value);
    ownOption.hidden = !alive;
    pick.value = String(state.text && alive ? OWN : state.sentence);
    own.field.hidden = !alive;
    if (document.activeElement !== own.field) own.field.value = from.text;
    second.field.hidden = !alive;
    secondText.hidden = alive;
    if (document.activeElement !== second.field) second.field.value = from.other;
    setText(secondText, from.other);
    secondLine.hidden = state.view !== "patched";
    for (const each of dials) each.hidden = !BESIDE[state.view].includes(each);
    write.hidden = state.view !== "next" || !alive;
    all.hidden = state.view !== "erased" || !alive;
    heads.el.hidden = counter.hidden = found.hidden = state.view !== "maps";
    list.el.hidden = state.view !== "next";
    plan.el.hidden = plan.key.hidden = state.view === "next";
    table.el.hidden = state.view !== "erased";
    temperature.set(state.temperature);
    k.set(state.k ?? declared.k.takes[1]);
    p.set(state.p);
    setText(first, SAYS[state.view].first);
  }
  function tell(state, told, value) {
    setText(sentence, told);
    voice.tell(told);
    setAttr(root, "data-value", Number(value).toFixed(3));
    setAttr(root, "data-looked", looked.size);
    publish(root, state.asked, { seen: { value, told, looked: looked.size } });
  }
  function drawNext(state, reading) {
    const shares = cut(reading.next, state);
    const told = toldNext(reading.next, shares, state, randomOf(state.seed)());
    list.draw(reading.next, shares, told);
    setAttr(root, "data-kept", shares.kept);
    tell(state, told, shares.shares[0]);
  }
  function drawMap(state, seen, theme) {
    const { provider, reading } = now;
    const { axis = "" } = seen;
    plan.draw(seen, { label: SAYS[state.view].label, axis }, theme);
    if (state.view === "maps") heads.draw(provider, reading, cellOf(provider, reading, state), theme);
    if (seen.compare) table.draw(seen.compare);
    setAttr(root, "data-missing", seen.missing ?? 0);
    tell(state, seen.told, seen.value);
  }

  async function draw(theme) {
    const mine = ++turn; // a model may be slow: what is no longer asked for is not shown
    const asked = get();
    const from = source(asked);
    const state = { ...asked, asked, source: from };
    if (!from.provider.views.includes(state.view)) state.view = "maps";
    job?.abort();
    job = new AbortController();
    const { signal } = job;
    controls(state, from);
    setAttr(root, "aria-busy", true);
    setText(
      note,
      from.alive || !asked.text ? "" : "The link holds a sentence of its own: load the model, and it is read.",
    );
    try {
      const reading = await from.provider.read(from.text);
      if (mine !== turn) return;
      now = { provider: from.provider, reading };
      const cell = cellOf(from.provider, reading, state);
      count(from, cell);
      layer.set(state.view === "maps" ? cell.layer : cell.column);
      head.set(cell.head);
      tokens(reading, cell.place);
      if (state.view === "next") drawNext(state, reading);
      else {
        const seen = (more) => {
          if (mine === turn) drawMap(state, more, theme);
        };
        const found = await look(from.provider, reading, state, { seen, signal });
        if (mine !== turn) return;
        drawMap(state, found, theme);
      }
    } catch (error) {
      if (mine !== turn || error.name === "AbortError") return;
      setText(note, error.message);
      if (!(error instanceof BadText)) setText(sentence, "");
    }
    setAttr(root, "aria-busy", false);
  }
  function tokens({ words }, place) {
    if (token.children.length !== words.length || token.dataset.words !== words.join("|")) {
      token.replaceChildren(...words.map((word, i) => h("option", { value: i }, `${i + 1}: ${piece(word)}`)));
      token.dataset.words = words.join("|");
    }
    token.value = String(place);
  }
  const { redraw: again_, stop } = live((theme) => void draw(theme), { root, el });
  redraw = again_;
  return () => {
    job?.abort();
    open.close();
    stop();
  };
}

export default { initialize: settings.initialize, render };
