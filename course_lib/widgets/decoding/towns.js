// The next letter of a town's name: its distribution under the dials, drawn letter by letter or name by name from a
// seed, and where the last letter looks.

import { logSoftmax, restrict } from "../runtime/decode.js";
import { PAD, UNKNOWN } from "../runtime/shipped.js";
import { dialsOf } from "../shell/dials.js";
import { sides } from "../shell/layout.js";
import { typed } from "../drawing/typed.js";
import { button, h, number, setAttr, setText } from "../drawing/ui.js";
import { bars, strip } from "./bars.js";
import { letters } from "./letters.js";
import { lookTable } from "./maps.js";
import { rowOf, townsModel } from "./models.js";
import { KINDS } from "./names.js";
import { remember } from "./search.js";
import declared from "./settings.json" with { type: "json" };
import { tenNames } from "./ten.js";
import { cutWords, quoted } from "./words.js";

export const SETTINGS = ["text", "drawn", "seed", "temperature", "top_k", "top_p", "listed", "layer", "head"];
const SIGNS = { "⟨end⟩": "■ end", " ": "␣ space" };
const SPOKEN = { "⟨end⟩": "the end", " ": "a space", "'": "an apostrophe", "-": "a hyphen" };

/** real() gives the list of real names, folded (names.js). */
export function towns({ opened, get, change, redraw, real }) {
  const model = townsModel(opened);
  const read = remember(model.read);
  const never = [PAD, model.start, UNKNOWN]; // no name has them; a hot softmax would draw them all the same
  const vocab = model.vocabulary.length - never.length;
  const sign = (token) => SIGNS[model.vocabulary[token]] ?? model.vocabulary[token];
  const spoken = (token) => SPOKEN[model.vocabulary[token]] ?? `“${model.vocabulary[token]}”`;
  const logits = (tokens) => read(tokens).logits.map((logit, token) => (never.includes(token) ? -Infinity : logit));
  const dials = () => ({ temperature: get("temperature"), topK: get("top_k"), topP: get("top_p") });
  const name = letters({ model, get, change, logits, dials });
  const ten = tenNames({ model, name, logits, dials, get, real, redraw });

  // The parts.
  let shownText = null;
  const type = () => {
    const { ids, unknown } = model.letters(field.value);
    shownText = name.spell(ids);
    change({ text: shownText, drawn: "" });
    refuse(unknown);
  };
  const { field, problem, fault } = typed("input", { type: "text", maxlength: 30, oninput: type });
  const refuse = (letter) =>
    fault(
      letter
        ? `The model knows no “${letter}”: no town that it has read has this character. It goes on with what ` +
            `stands before.`
        : "",
    );
  const submit = (event) => {
    event.preventDefault();
    name.finish();
  };
  const form = h(
    "form",
    { class: "dec-ask", onsubmit: submit },
    h("label", {}, h("span", {}, "the name begins with"), field),
    problem,
  );
  const dial = dialsOf(declared, change);
  const temperature = dial("temperature", "temperature", {
    step: 0.05,
    scale: "log",
    format: number,
    oninput: (x) => change({ temperature: Number(x.toPrecision(3)) }),
  });
  const topK = dial("top_k", "top-k", {
    max: vocab,
    value: vocab,
    format: (x) => (x >= vocab ? "all" : number(x, 0)),
    oninput: (x) => change({ top_k: x >= vocab ? null : Math.round(x) }),
  });
  const topP = dial("top_p", "top-p", {
    step: 0.01,
    format: (x) => (x >= 1 ? "all" : number(x)),
    oninput: (x) => change({ top_p: Number(x.toFixed(2)) }),
  });
  const [least, most] = declared.seed.takes;
  const seed = h("input", {
    class: "course-field",
    type: "number",
    min: least,
    max: most,
    step: 1,
    inputmode: "numeric",
  });
  seed.addEventListener("change", () => {
    const value = Number(seed.value);
    if (seed.value !== "" && Number.isInteger(value) && value >= least && value <= most)
      change({ seed: value, drawn: "" });
    else seed.value = get("seed");
  });
  const one = button("Draw one letter", name.drawOne, "course-main");
  const whole = button("Finish the name", name.finish);
  const restart = button("Start again", () => change({ drawn: "" }));
  const many = button("Ten names", () => {
    ten.begin();
    change({ listed: true });
    redraw();
  });
  const typedShown = h("span", {});
  const drawnShown = h("span", { class: "dec-drawn" });
  const next = h("span", { class: "dec-next", "aria-hidden": "true" }, "_");
  const kind = h("span", {});
  const chart = bars({ choose: name.take });
  const fallen = strip();
  const sentence = h("p", { class: "dec-told" });
  const looks = lookTable({
    model,
    get,
    change,
    caption: "Where the last letter looks, in hundredths: a row a head",
    choose: (i) => change({ head: i === 0 ? null : i - 1 }),
  });
  const transport = h(
    "div",
    { class: "course-transport" },
    h("div", { class: "course-buttons" }, one, whole, many, restart),
    h("label", { class: "dec-seed" }, h("span", {}, "seed"), seed),
  );
  const el = h(
    "div",
    { class: "dec-body" },
    form,
    sides({
      picture: [h("div", {}, h("p", { class: "dec-name" }, typedShown, drawnShown, next, kind), chart.el)],
      beside: [transport, fallen.el, ten.el, h("div", { class: "dec-dials" }, temperature.el, topK.el, topP.el)],
      over: true,
    }),
    sentence,
    ...looks.parts,
  );

  function drawName({ ended, full, own, typed: begun, said }) {
    setText(typedShown, name.spell(begun));
    setText(drawnShown, name.spell(own));
    next.hidden = ended;
    kind.hidden = !ended;
    if (ended) ten.compare();
    setText(kind, ended ? KINDS[ten.kindOf(said)] : "");
    setAttr(kind, "class", `dec-kind dec-${ten.kindOf(said)}`);
    one.disabled = whole.disabled = ended || full;
    restart.disabled = !get("drawn");
  }
  function drawLooks(tokens, maps, theme) {
    const [level, which] = looks.chosen();
    const i = tokens.length - 1;
    const letter = (token) => (model.vocabulary[token] === " " ? "␣" : model.vocabulary[token]);
    const columns = tokens.map((token) => (token === model.start ? "start" : letter(token)));
    const heads = [null, ...Array.from({ length: model.heads }, (_, head) => head)];
    looks.draw({
      corner: "",
      columns,
      names: columns.map((column, j) => (j ? `${quoted(column)} at place ${j}` : quoted(column))),
      rows: heads.map((head) => (head === null ? "mean" : `head ${head + 1}`)),
      weights: heads.map((head) => rowOf(maps[level], head, i).slice(0, i + 1)),
      row: which === null ? 0 : which + 1,
      theme,
      who:
        `${i === 0 ? "The start token" : `The last letter, ${spoken(tokens[i])},`} in layer ${level + 1}, ` +
        `${which === null ? "mean of the heads" : `head ${which + 1}`},`,
    });
  }
  let listed = false; // when it was drawn last
  /** Ten names where they are asked for; where a dial has moved since, they stay, with the dials that made them. */
  function drawTen() {
    if (get("listed") && !ten.fresh()) {
      if (listed && ten.started()) change({ listed: false });
      else ten.begin();
    }
    listed = get("listed");
    return ten.draw();
  }

  function draw({ theme }) {
    const state = name.state();
    const { ended, unknown, full, tokens, said } = state;
    if (get("text") !== shownText) {
      // a half-typed name is left alone
      shownText = get("text");
      if (field.value !== shownText) field.value = shownText;
      refuse(unknown);
    }
    const given = logits(tokens);
    const { looks: maps } = read(tokens);
    const { probabilities, tempered, cut, ...all } = restrict(given, dials());
    const order = all.order.filter((token) => !never.includes(token));
    for (const token of never) cut[token] = null;
    const entropy = -probabilities.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0);
    drawName(state);
    temperature.set(get("temperature"));
    topK.set(get("top_k") ?? vocab);
    topP.set(get("top_p"));
    if (Number(seed.value) !== get("seed")) seed.value = get("seed");
    chart.draw({
      logits: given,
      plain: logSoftmax(given).map(Math.exp),
      tempered,
      cut,
      probabilities,
      order,
      name: sign,
      spoken,
      may: (token) =>
        !ended && !full && (token === model.end || model.letters(model.vocabulary[token]).unknown === null),
    });
    const now = ended
      ? `The name has ended: “${said}”. The bars show what its last draw was made from.`
      : cutWords({ probabilities, cut, order, spoken, entropy });
    setText(sentence, now);
    fallen.draw({ last: name.latest(), name: sign, spoken });
    const names = drawTen();
    drawLooks(tokens, maps, theme);
    return {
      words: `${said && !ended ? `“${said}” so far. ` : ""}${now}${names.words} ${looks.words()}`,
      quiet: names.going,
      data: {
        text: get("text"),
        drawn: get("drawn"),
        ended,
        kept: order.filter((token) => probabilities[token] > 0).length,
        temperature: get("temperature"),
        seed: get("seed"),
        reads: read.count(),
        ...names.data,
        ...looks.data(),
      },
      back: {
        probabilities: Object.fromEntries(
          order.map((token) => [model.vocabulary[token], Number(probabilities[token].toPrecision(6))]),
        ),
        names: names.back,
      },
    };
  }
  return { el, draw, close: ten.close };
}
