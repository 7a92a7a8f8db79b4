// Each part's share of the learnables: a bar with its count beside it.

import { h, setAttr, setText } from "../drawing/ui.js";
import { PARTS } from "./count.js";
import { percent, thousands } from "./words.js";

export function bars() {
  const lines = PARTS.map(({ key, name, hue }) => {
    const bar = h("i", { class: "siz-bar" });
    const count = h("td");
    const share = h("td");
    const el = h(
      "tr",
      { class: `siz-${hue}`, "data-part": key },
      h("th", { scope: "row" }, name),
      h("td", { class: "siz-track", "aria-hidden": "true" }, bar),
      count,
      share,
    );
    return {
      el,
      draw(part) {
        setAttr(bar, "style", `width:${(100 * part.share).toFixed(2)}%`);
        setText(count, thousands(part.count));
        setText(share, percent(part.share));
        setAttr(el, "data-count", part.count);
      },
    };
  });
  const heads = ["part", "", "numbers", "share"].map((text) =>
    text ? h("th", { scope: "col" }, text) : h("td", { "aria-hidden": "true" }),
  );
  const el = h(
    "table",
    { class: "siz-bars" },
    h("caption", { class: "course-hidden" }, "The numbers to learn, by part"),
    h("thead", {}, h("tr", {}, ...heads)),
    h("tbody", {}, ...lines.map((line) => line.el)),
  );
  return { el, draw: (shares) => shares.forEach((share, i) => lines[i].draw(share)) };
}
