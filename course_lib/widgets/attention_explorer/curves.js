// Loss and accuracy over the steps, with two exact lines: the least loss any predictor can have (0: the answers are
// determined), and the least for one that looks at no other token.

import { h, number, setAttr, setText, svg } from "../drawing/ui.js";
import { percent } from "./words.js";

const WIDTH = 320;
const HEIGHT = 132;
const LEFT = 40;
const RIGHT = 8;
const TOP = 12;
const BOTTOM = 18;
const FEWEST = 20; // steps on the axis at least
const x = (step, most) => LEFT + ((WIDTH - LEFT - RIGHT) * step) / most;
const y = (share) => HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * Math.min(1, Math.max(0, share));

function chart(kind, title) {
  const line = svg("path", { class: `aex-line aex-line-${kind}` });
  const dot = svg("circle", { class: `aex-dot aex-dot-${kind}`, r: 3.5 });
  const now = svg("line", { class: "aex-now", y1: TOP, y2: HEIGHT - BOTTOM });
  const rules = svg("g", {});
  const ticks = svg("g", {});
  const last = svg("text", { x: WIDTH - RIGHT, y: HEIGHT - 4, "text-anchor": "end" });
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "aex-chart", role: "img" },
    ticks,
    now,
    rules,
    line,
    dot,
    svg("text", { x: LEFT, y: HEIGHT - 4 }, "step 0"),
    last,
  );
  const caption = h("figcaption", {});
  const el = h("figure", {}, picture, caption);
  let ruled = "";
  function draw({ points, most, at, high, marks, lines, words }) {
    setAttr(
      line,
      "d",
      points.length
        ? `M${points.map(([step, value]) => `${x(step, most).toFixed(1)} ${y(value / high).toFixed(1)}`).join("L")}`
        : "",
    );
    const nearest = points.findLast(([step]) => step <= at) ?? points[0];
    setAttr(dot, "visibility", nearest ? "visible" : "hidden");
    if (nearest) {
      setAttr(dot, "cx", x(nearest[0], most).toFixed(1));
      setAttr(dot, "cy", y(nearest[1] / high).toFixed(1));
    }
    setAttr(now, "x1", x(at, most).toFixed(1));
    setAttr(now, "x2", x(at, most).toFixed(1));
    setText(last, String(most));
    const key = JSON.stringify([high, marks, lines]);
    if (key !== ruled) {
      ruled = key;
      ticks.replaceChildren(
        ...marks.flatMap(([value, text]) => [
          svg("line", { class: "aex-tick", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value / high), y2: y(value / high) }),
          svg("text", { x: LEFT - 5, y: y(value / high) + 3.5, "text-anchor": "end" }, text),
        ]),
      );
      rules.replaceChildren(
        ...lines.flatMap(([value, text, kind]) => [
          svg("line", {
            class: `aex-rule aex-rule-${kind}`,
            x1: LEFT,
            x2: WIDTH - RIGHT,
            y1: y(value / high),
            y2: y(value / high),
          }),
          svg("text", { class: "aex-rule-name", x: WIDTH - RIGHT - 8, y: y(value / high) - 4, "text-anchor": "end" }, text),
        ]),
      );
    }
    setText(caption, title);
    setAttr(picture, "aria-label", words);
  }
  return { el, draw };
}

export function curves() {
  const loss = chart("loss", "Loss in nats per answer");
  const accuracy = chart("accuracy", "Right answers, on 64 fixed questions");
  const el = h("div", { class: "aex-curves" }, loss.el, accuracy.el);
  function draw({ frame, task }) {
    if (!frame) return;
    const most = Math.max(FEWEST, frame.steps);
    const high = 1.5 * Math.log(task.vocabulary.length);
    loss.draw({
      points: frame.losses,
      most,
      at: frame.step,
      high,
      marks: [
        [0, "0"],
        [1, "1"],
        [2, "2"],
        [3, "3"],
        [4, "4"],
      ].filter(([value]) => value < high),
      lines: [
        [task.blind, `without looking ${number(task.blind)}`, "blind"],
        [0, "floor 0", "floor"],
      ],
      words: `Loss over ${frame.steps} steps${frame.loss === null ? "" : `, ${number(frame.loss)} nats at step ${frame.step}`}; the floor is 0, without looking at other tokens it is ${number(task.blind)}.`,
    });
    accuracy.draw({
      points: frame.accuracies,
      most,
      at: frame.step,
      high: 1,
      marks: [
        [0, "0 %"],
        [0.5, "50 %"],
        [1, "100 %"],
      ],
      lines: [],
      words: `Right answers over ${frame.steps} steps, ${percent(frame.whole)} at step ${frame.step}.`,
    });
  }
  return { el, draw };
}
