// A sentence translated, or written in a language that a table holds, while the reader watches: the beam's tree, the
// ranking of one step, and where the chosen hypothesis looks.

import { dialsOf } from "../shell/dials.js";
import { sides } from "../shell/layout.js";
import { transport } from "../shell/transport.js";
import { h, number, setText } from "../drawing/ui.js";
import { FEW, hypotheses } from "./hypotheses.js";
import { lookTable } from "./maps.js";
import { rowOf, tableModel, translatorModel } from "./models.js";
import { question } from "./question.js";
import { ranking } from "./ranking.js";
import declared from "./settings.json" with { type: "json" };
import { tree } from "./tree.js";
import { quoted, stepWords, verdict } from "./words.js";

export const DIALS = ["width", "length_power", "moment", "hypothesis"];
export const SETTINGS = ["text", ...DIALS, "layer", "head"];
const PACE = 900; // milliseconds a step

export function translator({ opened, get, change, redraw, examples }) {
  const translates = get("model") === "translator"; // else a table: no source sentence, and no attention
  const model = translates ? translatorModel(opened) : tableModel(get("follows"));
  const { begin, at, last, rows, line, name, text, isGreedy, greedyScore, found, source, read, close } = hypotheses({
    model,
    get,
    changed: redraw,
  });
  let row = null; // of the map, where the reader has chosen one
  const choose = (part) => {
    row = null;
    change(part);
  };

  const form = question({
    examples,
    wordsOf: (typed) => model.words(typed).words,
    ask: (asked) => choose({ text: asked, moment: null, hypothesis: 0 }),
  });
  const dial = dialsOf(declared, change);
  const width = dial("width", "beam width", { oninput: (x) => change({ width: Math.round(x), hypothesis: 0 }) });
  const power = dial("length_power", "length power α", {
    step: 0.1,
    format: (x) => number(x, 1),
    oninput: (x) => change({ length_power: Number(x.toFixed(2)), hypothesis: 0 }),
  });
  const way = transport({
    place: () => ({ at: at(), total: last(), complete: found().complete }),
    go: (to) => choose({ moment: found().complete && to >= last() ? null : to, hypothesis: 0 }),
    pace: () => PACE,
    changed: redraw,
  });
  const picture = tree({
    choose(node) {
      const i = rows().indexOf(node);
      if (i >= 0) choose({ hypothesis: i });
    },
  });
  const table = ranking({ choose: (i) => choose({ hypothesis: i }) });
  const looks =
    translates &&
    lookTable({
      model,
      get,
      change,
      caption: "Cross-attention of the chosen hypothesis, in hundredths: a row a word written, a column a word read",
      byHead: true,
      choose(i) {
        row = i;
        redraw();
      },
    });
  const told = h("p", { class: "dec-told" });
  const compared = h("p", { class: "dec-verdict" });
  const legend = h(
    "p",
    { class: "course-soft" },
    "A pill is a hypothesis: its last word and its score, the sum of its log-probabilities divided by length",
    h("sup", {}, "α"),
    ". Dashed ones were dropped in this step. ",
    h("i", { class: "dec-dot" }),
    " marks what greedy would have taken.",
  );
  const trouble = h("p", { role: "alert", class: "course-problem" });
  const side = (...parts) => h("div", { class: "dec-side" }, ...parts);
  const el = h(
    "div",
    { class: "dec-body" },
    ...(translates ? [form.el] : []),
    sides({
      picture: [picture.el],
      beside: [h("div", { class: "dec-dials" }, width.el, power.el), way.el, trouble, told, legend],
      over: true,
    }),
    translates
      ? h("div", { class: "dec-sides" }, side(table.el, compared), side(...looks.parts))
      : side(table.el, compared),
  );

  function drawLooks({ tokens }, theme) {
    const [level, which] = looks.chosen();
    const writing = tokens.length ? tokens : [null]; // nothing written yet: the look for the first word
    const maps = at() === 0 && !found().moments[1] ? null : read()([model.start, ...tokens.slice(0, -1)]).cross[level];
    const names = writing.map((token) => (token === null ? "first word" : token === model.end ? "⟨end⟩" : name(token)));
    const here = Math.min(row ?? names.length - 1, names.length - 1);
    const weights = maps && names.map((_, i) => rowOf(maps, which, i));
    const { words } = source();
    const columns = [...words, ...Array(weights ? weights[0].length - words.length : 0).fill("⟨end⟩")];
    looks.draw({
      corner: "French\u00a0↓ English\u00a0→",
      columns,
      names: columns.map(quoted),
      rows: names,
      weights,
      row: here,
      theme,
      who:
        `Writing ${names[here] === "first word" ? "the first word" : `“${names[here]}”`}, ` +
        `${which === null ? "the mean of the heads" : `head ${which + 1}`} of layer ${level + 1}`,
    });
  }

  function draw({ theme }) {
    begin();
    if (translates) form.draw(source());
    const { moments, greedy, complete, done, error } = found();
    const step = at();
    const moment = moments[step];
    const shown = rows();
    const chosen = shown[Math.min(get("hypothesis"), shown.length - 1)];
    const over = complete && step === last();
    const best = moments.at(-1).kept[0];
    width.set(get("width"));
    power.set(get("length_power"));
    way.draw();
    setText(trouble, error ? `The search stopped: ${error}.` : "");

    const words = stepWords({ at: step, moment, text, width: get("width") });
    picture.draw({ moments, at: step, few: FEW, name, chosen, words, greedy: isGreedy });
    const endless = over && moment.kept.some((each) => !each.finished);
    setText(told, endless ? `${words} No end after ${last()} words: the search gives up here.` : words);
    table.draw({
      words: over ? "The final ranking" : step ? `Ranking after step ${step}` : "Nothing to rank yet",
      rows: step ? shown.map((hypothesis, i) => line(hypothesis, i, moment.kept.length)) : [],
      chosen: shown.indexOf(chosen),
      power: get("length_power"),
      lanes: Math.max(...moments.map(({ kept, dropped }) => kept.length + Math.min(FEW, dropped.length))),
    });
    const against = () => verdict({ best, other: greedy, score: greedyScore(greedy), text, width: get("width") });
    setText(compared, over && greedy ? `${best.finished ? "Best" : "Best so far"}: “${text(best)}” ${against()}` : "");
    if (translates) drawLooks(chosen, theme);
    const ended = done && !error;
    const rank = (each) => [text(each), Number(each.logProb.toFixed(4)), Number(each.score.toFixed(4))];
    return {
      words: `${over && greedy ? compared.textContent : told.textContent} ${translates ? looks.words() : ""}`,
      quiet: way.playing() || !done,
      busy: !done,
      data: {
        step,
        steps: last(),
        best: text(best),
        greedy: greedy ? text(greedy) : "",
        differs: Boolean(greedy) && text(best) !== text(greedy),
        chosen: text(chosen),
        width: get("width"),
        playing: way.playing(),
        reads: read().count(),
        ...(translates ? looks.data() : {}),
      },
      back: ended ? { ranking: moments.at(-1).kept.map(rank), greedy: text(greedy) } : null,
    };
  }
  return {
    el,
    draw,
    close() {
      way.close();
      close();
    },
  };
}
