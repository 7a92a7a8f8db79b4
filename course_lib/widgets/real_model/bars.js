// The next pieces as bars: what may be drawn in full colour, what temperature leaves and a cut takes away pale. And the
// same five pieces in three runs.

import { drawnAt } from "./cut.js";
import { quoted, share } from "./looks.js";
import { percent, shown } from "../sampling_bars/tempered.js";
import { h, number, setAttr, setText } from "../drawing/ui.js";

const SHOWN = 12;

export function bars() {
  const line = () => {
    const parts = { word: h("b"), whole: h("i", { class: "real-cut" }), bar: h("i"), share: h("span") };
    const track = h("span", { class: "real-track", "aria-hidden": "true" }, parts.whole, parts.bar);
    return { ...parts, row: h("div", { class: "real-bar" }, parts.word, track, parts.share) };
  };
  const lines = Array.from({ length: SHOWN + 1 }, line);
  const el = h("div", { class: "real-bars", role: "img" }, ...lines.map(({ row }) => row));
  function draw(next, found, told) {
    const sum = (values) => values.slice(SHOWN).reduce((a, b) => a + b, 0);
    const rest = {
      now: sum(found.shares) + found.others,
      before: 1 - found.before.slice(0, SHOWN).reduce((a, b) => a + b, 0),
    };
    lines.forEach(({ word, whole, bar, share: value }, i) => {
      const all = i === SHOWN;
      const [now, before] = all ? [rest.now, rest.before] : [found.shares[i], found.before[i]];
      setText(word, all ? "all others" : shown(next.top[i][0]));
      setAttr(bar, "style", `width:${(100 * now).toFixed(2)}%`);
      setAttr(whole, "style", `width:${(100 * before).toFixed(2)}%`);
      setText(value, percent(Math.max(0, now)));
    });
    setAttr(el, "aria-label", told);
  }
  return { el, draw };
}

/** In a sentence; `u` draws a piece. */
export function toldNext(next, found, { temperature, k, p }, u) {
  const at = drawnAt(found, u);
  const cuts = [
    k === null ? "" : `the ${k} likeliest`,
    p >= 1 ? "" : `the likeliest that have ${number(100 * p, 0)}\u00a0% together`,
  ].filter(Boolean);
  const may = cuts.length
    ? `, and only ${cuts.join(", and of these ")} may be drawn: ${found.kept.toLocaleString("en")} of ` +
      `${found.all.toLocaleString("en")}`
    : "";
  return (
    `At temperature ${number(temperature)}${may}, ${quoted(next.top[0][0])} has ${percent(found.shares[0])}. ` +
    `A draw gives ${at === null ? "one of the pieces that are not shown" : quoted(next.top[at][0])}.`
  );
}

/** words × runs, a share in each cell with its bar. */
export function compared() {
  const head = h("tr");
  const body = h("tbody");
  const el = h("table", { class: "real-compare" }, h("thead", {}, head), body);
  function draw({ words, columns }) {
    head.replaceChildren(
      h("th", { scope: "col" }, "next piece"),
      ...columns.map(([name]) => h("th", { scope: "col" }, name)),
    );
    body.replaceChildren(
      ...words.map((word, i) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, shown(word)),
          ...columns.map(([, shares]) =>
            h("td", {}, h("i", { style: `width:${(100 * shares[i]).toFixed(1)}%` }), h("span", {}, share(shares[i]))),
          ),
        ),
      ),
    );
  }
  return { el, draw };
}
