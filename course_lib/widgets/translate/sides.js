// Both models side by side after some steps: what each has said, how many words are wrong, and the context that it was
// told.

import { h } from "../drawing/ui.js";
import { END } from "../runtime/shipped.js";
import { counted } from "./compare.js";
import { panel } from "./panel.js";
import { contextWords, countWords, each } from "./words.js";

export function sides(models) {
  const panels = each(panel);
  const empty = new Float32Array(models.rnnsearch.width);
  const more = { role: "group", "aria-label": "What both have said" };
  const el = h("div", { class: "tra-panels", ...more }, panels.rnnencdec.el, panels.rnnsearch.el);

  function side(name, { found, said, marks, text }, at) {
    const mine = found.steps[name];
    const words = said[name];
    const done = Math.min(at, words.length);
    const over = at >= mine.length;
    const step = Math.min(at, mine.length);
    const counts = marks && counted(marks[name], done, over);
    const ends = over && mine.at(-1).token !== END ? "; cut, no end in sight" : "";
    const unmarked = `${done} ${done === 1 ? "word" : "words"}; no reference to count errors against`;
    panels[name].draw({
      key: `${text}|${found.done}`,
      words,
      marks: marks?.[name],
      at: done,
      over,
      counts: (counts ? countWords(counts, done) : unmarked) + ends,
      state: counts ? (counts.wrong + counts.missing ? "bad" : "good") : "unknown",
      numbers: name === "rnnsearch" && !at ? empty : mine[Math.max(0, step - 1)].C,
      ...contextWords(name, models[name].width, step),
    });
    return counts;
  }
  /** Where there is no room for all that is said, its last word is in sight. */
  function follow() {
    const [now] = el.querySelectorAll(".tra-now");
    const over = el.scrollHeight > el.clientHeight + 1;
    el.toggleAttribute("tabindex", over);
    if (over) el.tabIndex = 0;
    if (now) el.scrollTop += now.getBoundingClientRect().bottom - el.getBoundingClientRect().bottom + 40;
  }
  /** Draws an entry (entries.js) after `at` steps; gives {name: counts of compare.js, or null}. */
  function draw(entry, at) {
    const counts = each((name) => side(name, entry, at));
    follow();
    return counts;
  }
  return { el, draw };
}
