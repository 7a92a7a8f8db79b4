// The next letter of a town's name: its distribution under the dials, drawn letter by letter or name by name from a seed, and where the
// last letter looks.

import { draw as pick, logSoftmax, restrict, sample } from "../runtime/decode.js";
import { Generator } from "../runtime/random.js";
import { choice, h, number, setAttr, setText, slider } from "../drawing/ui.js";
import { bars, strip } from "./bars.js";
import { heatTable } from "./heat.js";
import { rowOf, townsModel } from "./models.js";
import { KINDS, nameList, unfold } from "./names.js";
import { remember } from "./search.js";
import { cutWords, lookWords } from "./words.js";

export const SETTINGS = ["text", "drawn", "seed", "temperature", "top_k", "top_p", "listed", "layer", "head"];
const TEN = 10;
const SIGNS = { "⟨end⟩": "■ end", " ": "␣ space" };
const SPOKEN = { "⟨end⟩": "the end", " ": "a space", "'": "an apostrophe", "-": "a hyphen" };

/** real() gives the list of real names, folded (names.js). */
export function towns({ opened, get, change, redraw, real }) {
  const model = townsModel(opened);
  const read = remember(model.read);
  const vocab = model.vocabulary.length;
  const button = (text, act, kind = "") => h("button", { type: "button", class: `course-button ${kind}`, onclick: act }, text);
  const name = (token) => SIGNS[model.vocabulary[token]] ?? model.vocabulary[token];
  const spoken = (token) => SPOKEN[model.vocabulary[token]] ?? `“${model.vocabulary[token]}”`;
  const spell = (ids) => ids.map((token) => model.vocabulary[token]).join("");
  const logits = (tokens) => read(tokens).logits;

  // The name so far: what the reader typed, then what was drawn; the end can only be drawn last.
  function state() {
    const { ids, unknown } = model.letters(get("text"));
    const typed = ids.slice(0, model.longest - 1);
    const rest = model.letters(get("drawn"), true);
    const end = rest.ids.indexOf(model.end);
    const good =
      rest.unknown === null && (end < 0 || end === rest.ids.length - 1) && typed.length + rest.ids.length <= model.longest + 1;
    const drawn = good ? rest.ids : [];
    const ended = drawn.at(-1) === model.end;
    const own = ended ? drawn.slice(0, -1) : drawn;
    return {
      typed,
      drawn,
      own,
      ended,
      unknown,
      full: typed.length + own.length >= model.longest,
      tokens: [model.start, ...typed, ...own],
      said: spell([...typed, ...own]),
    };
  }
  const dials = () => ({ temperature: get("temperature"), topK: get("top_k"), topP: get("top_p") });
  let last = null;
  function drawOne() {
    const { tokens, drawn } = state();
    const { probabilities, order } = restrict(logits(tokens), dials());
    const generator = new Generator(get("seed"));
    for (const _ of drawn) generator.uniform(); // the seed's stream goes on: letter by letter or at once, the same name
    const u = generator.uniform();
    const token = pick(probabilities, order, u);
    last = { probabilities, order, u, token };
    change({ drawn: spell([...drawn, token]) });
  }
  function finish() {
    for (let now = state(); !now.ended && !now.full; now = state()) drawOne();
  }
  function take(token) {
    // the reader's own choice counts as typed
    const { typed, own, said } = state();
    if (token === model.end) change({ drawn: spell([...own, token]) });
    else if (typed.length + own.length < model.longest - 1) change({ text: said + model.vocabulary[token], drawn: "" });
  }

  // Ten names, one after the other from one stream; the page stays alive in between.
  let names = [];
  let job = null;
  let known = null;
  let failed = "";
  let asked = false;
  const dialsTold = () =>
    `temperature ${number(get("temperature"))}, top-k ${get("top_k") ?? "all"}, top-p ${number(get("top_p"))}, seed ${get("seed")}`;
  const wanted = () => JSON.stringify([get("text"), dialsTold()]);
  function compare() {
    // the list of real names comes when the first name is to be compared
    if (asked) return;
    asked = true;
    real()
      .then(
        (entries) => {
          known = unfold(entries);
        },
        (error) => {
          failed = ` ${error.message}`;
          asked = false;
        },
      )
      .finally(redraw);
  }
  const kindOf = (said) => (known ? (known.has(said) ? "real" : "invented") : "unchecked");
  function ten() {
    clearTimeout(job?.clock);
    const { typed } = state();
    const begun = spell(typed);
    const generator = new Generator(get("seed"));
    const options = {
      start: [model.start, ...typed],
      end: model.end,
      longest: model.longest - typed.length,
      generator,
      ...dials(),
    };
    const mine = { key: wanted(), clock: null, words: `Drawn with ${dialsTold()}${begun ? `, beginning with “${begun}”` : ""}.` };
    job = mine;
    names = [];
    compare();
    const one = () => {
      const { tokens, finished } = sample(logits, options);
      names = [...names, { name: begun + spell(tokens), finished }];
      if (names.length < TEN) mine.clock = setTimeout(one);
      redraw();
    };
    mine.clock = setTimeout(one);
  }

  // The parts.
  const field = h("input", { type: "text", maxlength: 30, autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const problem = h("p", { class: "dec-problem", role: "status" });
  const refuse = (letter) => {
    setText(
      problem,
      letter
        ? `The model knows no “${letter}”: no town that it has read has this character. It goes on with what stands before.`
        : "",
    );
    setAttr(field, "aria-invalid", Boolean(letter));
  };
  field.addEventListener("input", () => {
    const { ids, unknown } = model.letters(field.value);
    shownText = spell(ids);
    change({ text: shownText, drawn: "" });
    refuse(unknown);
  });
  const form = h(
    "form",
    {
      class: "dec-ask",
      onsubmit: (event) => {
        event.preventDefault();
        finish();
      },
    },
    h("label", {}, h("span", {}, "the name begins with"), field),
    problem,
  );
  const temperature = slider({
    label: "temperature",
    min: 0.1,
    max: 5,
    step: 0.05,
    scale: "log",
    value: get("temperature"),
    oninput: (x) => change({ temperature: Number(x.toPrecision(3)) }),
  });
  const topK = slider({
    label: "top-k",
    min: 1,
    max: vocab,
    step: 1,
    value: get("top_k") ?? vocab,
    format: (x) => (x >= vocab ? "all" : number(x, 0)),
    oninput: (x) => change({ top_k: x >= vocab ? null : Math.round(x) }),
  });
  const topP = slider({
    label: "top-p",
    min: 0.05,
    max: 1,
    step: 0.01,
    value: get("top_p"),
    format: (x) => (x >= 1 ? "all" : number(x)),
    oninput: (x) => change({ top_p: Number(x.toFixed(2)) }),
  });
  const seed = h("input", { type: "number", min: 0, max: 9999, step: 1, inputmode: "numeric" });
  seed.addEventListener("change", () => {
    const value = Number(seed.value);
    if (seed.value !== "" && Number.isInteger(value) && value >= 0 && value <= 9999) change({ seed: value, drawn: "" });
    else seed.value = get("seed");
  });
  const one = button("Draw one letter", drawOne, "dec-main");
  const whole = button("Finish the name", finish);
  const restart = button("Start again", () => change({ drawn: "" }));
  const many = button("Ten names", () => {
    ten();
    change({ listed: true });
    redraw();
  });
  const typedShown = h("span", {});
  const drawnShown = h("span", { class: "dec-drawn" });
  const next = h("span", { class: "dec-next", "aria-hidden": "true" }, "_");
  const kind = h("span", {});
  const soFar = h("p", { class: "dec-name" }, typedShown, drawnShown, next, kind);
  const chart = bars({ choose: take });
  const fallen = strip();
  const list = nameList();
  const sentence = h("p", { class: "dec-told" });
  const looks = h("p", { class: "dec-told" });
  const map = heatTable({
    caption: "Where the last letter looks, in hundredths: a row a head",
    choose: (i) => change({ head: i === 0 ? null : i - 1 }),
  });
  const layer = choice({
    legend: "Layer",
    options: Array.from({ length: model.layers }, (_, i) => ({ value: String(i), label: `layer ${i + 1}` })),
    value: "0",
    oninput: (value) => change({ layer: Number(value) }),
  });
  const el = h(
    "div",
    { class: "dec-body" },
    form,
    soFar,
    h(
      "div",
      { class: "dec-transport" },
      h("div", { class: "dec-buttons" }, one, whole, many, restart),
      h("label", { class: "dec-seed" }, h("span", {}, "seed"), seed),
    ),
    fallen.el,
    list.el,
    h("div", { class: "dec-dials" }, temperature.el, topK.el, topP.el),
    chart.el,
    sentence,
    h("div", { class: "dec-choices" }, layer.el),
    map.el,
    looks,
  );

  let shownText = null;
  function draw({ theme }) {
    const { ended, unknown, full, tokens, said, own, typed } = state();
    if (get("listed") && job?.key !== wanted()) {
      if (job)
        change({ listed: false }); // a dial has moved: the names stay, with the dials that made them
      else ten();
    }
    if (get("text") !== shownText) {
      // a half-typed name is left alone
      shownText = get("text");
      if (field.value !== shownText) field.value = shownText;
      refuse(unknown);
    }
    const { logits: given, looks: maps } = read(tokens);
    const { probabilities, tempered, cut, order } = restrict(given, dials());
    const plain = logSoftmax(given).map(Math.exp);
    const entropy = -probabilities.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0);
    if (!own.length && !ended) last = null;

    setText(typedShown, spell(typed));
    setText(drawnShown, spell(own));
    next.hidden = ended;
    kind.hidden = !ended;
    if (ended) compare();
    setText(kind, ended ? KINDS[kindOf(said)] : "");
    setAttr(kind, "class", `dec-kind dec-${kindOf(said)}`);
    one.disabled = whole.disabled = ended || full;
    restart.disabled = !get("drawn");
    temperature.set(get("temperature"));
    topK.set(get("top_k") ?? vocab);
    topP.set(get("top_p"));
    if (Number(seed.value) !== get("seed")) seed.value = get("seed");
    chart.draw({
      logits: given,
      plain,
      tempered,
      cut,
      probabilities,
      order,
      name,
      spoken,
      may: (token) => !ended && !full && (token === model.end || model.letters(model.vocabulary[token]).unknown === null),
    });
    const now = ended
      ? `The name has ended: “${said}”. The bars show what its last draw was made from.`
      : cutWords({ probabilities, cut, order, spoken, entropy });
    setText(sentence, now);
    fallen.draw({ last, name, spoken });
    const stale = job && job.key !== wanted();
    const shown = names.map((each) => ({ name: each.name, kind: each.finished ? kindOf(each.name) : "cut" }));
    const whole10 = shown.length === TEN && known;
    const invented = shown.filter((each) => each.kind === "invented").length;
    list.draw({
      names: shown,
      words: `${whole10 ? `${invented} of ${TEN} are invented. ` : ""}${job?.words ?? ""}${stale ? " The dials have moved since." : ""}${failed}`,
    });

    const level = Math.min(get("layer") ?? model.layers - 1, model.layers - 1);
    const which = get("head") === null ? null : Math.min(get("head"), model.heads - 1);
    const i = tokens.length - 1;
    const columns = tokens.map((token) =>
      token === model.start ? "start" : model.vocabulary[token] === " " ? "␣" : model.vocabulary[token],
    );
    const heads = [null, ...Array.from({ length: model.heads }, (_, head) => head)];
    const weights = heads.map((head) => rowOf(maps[level], head, i).slice(0, i + 1));
    const row = which === null ? 0 : which + 1;
    layer.set(String(level));
    map.draw({
      corner: "",
      columns,
      rows: heads.map((head) => (head === null ? "mean" : `head ${head + 1}`)),
      cells: (head, j) => weights[head][j],
      row,
      theme,
    });
    const who = `${i === 0 ? "The start token" : `The last letter, ${spoken(tokens[i])},`} in layer ${level + 1}, ${which === null ? "mean of the heads" : `head ${which + 1}`},`;
    setText(
      looks,
      lookWords({ who, names: columns.map((column, j) => (j ? `${column}” at place ${j}“` : column)), weights: weights[row] })
        .replaceAll("“”", "")
        .replaceAll(/“([^“”]+)” at place (\d+)“”/g, "“$1” at place $2"),
    );
    return {
      words: `${said && !ended ? `“${said}” so far. ` : ""}${now}${whole10 && !stale ? ` ${invented} of ${TEN} names are invented.` : ""} ${looks.textContent}`,
      quiet: Boolean(job) && names.length < TEN,
      data: {
        text: get("text"),
        drawn: get("drawn"),
        ended,
        kept: order.filter((token) => probabilities[token] > 0).length,
        temperature: get("temperature"),
        seed: get("seed"),
        names: names.length,
        reads: read.count(),
        invented: whole10 ? invented : "",
        layer: level + 1,
        head: which === null ? "mean" : which + 1,
      },
      back: {
        probabilities: Object.fromEntries(
          order.map((token) => [model.vocabulary[token], Number(probabilities[token].toPrecision(6))]),
        ),
        names: whole10 && !stale ? shown.map((each) => [each.name, each.kind]) : [],
      },
    };
  }
  const listed = () => {
    if (get("listed") && job && job.key !== wanted()) ten();
  };
  return {
    el,
    draw,
    reactions: { listed },
    close() {
      clearTimeout(job?.clock);
    },
  };
}
