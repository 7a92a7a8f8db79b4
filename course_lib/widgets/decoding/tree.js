// The search as a tree that grows to the right: a column a step, a pill a hypothesis, the best on top. The table beside
// it says the same in words and is the way by keyboard; here a click chooses.

import { h, number, setAttrs, svg } from "../drawing/ui.js";
import { lineage } from "./search.js";

const ROW = 40;
const TOP = 18;
const GAP = 22;
const LEFT = 4;
const PILL = 33;
const LETTER = 7.2;
const NARROW = 42;

export function tree({ choose }) {
  const picture = svg("svg", { role: "img" });
  const el = h(
    "div",
    { class: "dec-tree course-fades", tabindex: 0, role: "region", "aria-label": "The tree of hypotheses" },
    picture,
  );
  let shown = new Map();
  let end = 0;
  new ResizeObserver(() => {
    el.scrollLeft = end;
  }).observe(el); // the first draw comes before the page has laid it out
  picture.addEventListener("click", (event) => {
    const node = shown.get(event.target.closest("[data-node]")?.dataset.node);
    if (node) choose(node);
  });

  /**
   * moments: what each step kept and dropped; at: the step shown; few: how many dropped ones; name(token); chosen: a
   * hypothesis; greedy(hypothesis): is it greedy's?
   */
  function draw({ moments, at, few, name, chosen, greedy, words }) {
    shown = new Map();
    const alive = new Set(moments[at].kept.flatMap(lineage));
    const path = new Set(chosen ? lineage(chosen) : []);
    const place = new Map();
    const edges = [];
    const pills = [];
    const heads = [];
    const lanes = Math.max(...moments.map(({ kept, dropped }) => kept.length + Math.min(few, dropped.length)));
    let x = LEFT;
    for (let step = 0; step <= at; step++) {
      const { kept, dropped } = moments[step];
      const column = [...kept, ...(step === at ? dropped.slice(0, few) : [])];
      const carried = (node) => node.finished && node.from?.finished;
      const texts = column.map((node) =>
        step === 0 ? "start" : carried(node) ? "✓" : node.finished ? "end ✓" : name(node.tokens.at(-1)),
      );
      const width = Math.max(NARROW, ...texts.map((text) => 13 + LETTER * text.length));
      heads.push(
        svg("text", { class: "dec-step", x: x + width / 2, y: 11, "text-anchor": "middle" }, step ? String(step) : ""),
      );
      column.forEach((node, lane) => {
        const y = TOP + lane * ROW;
        const key = `${step}.${lane}`;
        const from = place.get(node.from);
        const out = lane >= kept.length;
        place.set(node, { right: x + width, y: y + PILL / 2 });
        shown.set(key, node);
        const kind = [
          out ? "dec-out" : node.finished ? "dec-ended" : "dec-open",
          ...(out || alive.has(node) ? [] : ["dec-dead"]),
          ...(path.has(node) ? ["dec-path"] : []),
          ...(node === chosen ? ["dec-chosen"] : []),
        ].join(" ");
        if (from) {
          const middle = (from.right + x) / 2;
          edges.push(
            svg("path", {
              class: `dec-edge ${kind}`,
              d: `M${from.right} ${from.y}C${middle} ${from.y} ${middle} ${y + PILL / 2} ${x} ${y + PILL / 2}`,
            }),
          );
        }
        pills.push(
          svg(
            "g",
            { class: `dec-node ${kind}`, "data-node": key },
            svg("rect", { x, y, width, height: PILL, rx: 7 }),
            svg("text", { x: x + width / 2, y: y + 15, "text-anchor": "middle" }, texts[lane]),
            svg(
              "text",
              { class: "dec-number", x: x + width / 2, y: y + 28, "text-anchor": "middle" },
              number(node.score),
            ),
            ...(step && greedy(node) ? [svg("circle", { class: "dec-dot", cx: x + 1, cy: y + 1, r: 4.5 })] : []),
          ),
        );
      });
      x += width + GAP;
    }
    const wide = Math.ceil(x - GAP + LEFT);
    const high = TOP + lanes * ROW;
    setAttrs(picture, { viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, "aria-label": words });
    // the chosen path lies on top
    edges.sort((a, b) => a.classList.contains("dec-path") - b.classList.contains("dec-path"));
    picture.replaceChildren(...heads, ...edges, ...pills);
    if (el.dataset.at !== String(at)) {
      el.dataset.at = at;
      el.scrollLeft = end = wide;
    }
  }
  return { el, draw };
}
