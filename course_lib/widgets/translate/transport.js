// The way through the steps: play, back, forward, to the end, and a slider.

import { player } from "../shell/player.js";
import { clamp, h, setAttr, setText } from "../drawing/ui.js";

const PACE = [900, 450];
const LONG = 20; // milliseconds a step; the second where there are more than LONG steps

/** go(to): show this step. Play goes on from step to step until the last. */
export function transport({ go, changed }) {
  const button = (text, act, kind = "") => h("button", { type: "button", class: `course-button ${kind}`, onclick: act }, text);
  const input = h("input", { type: "range", min: 0, max: 1, step: 1 });
  const output = h("output", { "aria-hidden": "true" });
  let now = { at: 0, total: 0 };
  const way = player({
    changed,
    pace: () => PACE[Number(now.total > LONG)],
    step() {
      if (now.at < now.total) go(now.at + 1);
      return now.at < now.total;
    },
  });
  const jump = (to) => {
    way.halt();
    go(clamp(to, 0, now.total));
  };
  const play = button(
    "Play",
    () => {
      if (way.playing()) return way.halt();
      if (now.at === now.total) go(0);
      way.start();
    },
    "tra-main",
  );
  const back = button("Back", () => jump(now.at - 1));
  const forward = button("Forward", () => jump(now.at + 1));
  const end = button("To the end", () => jump(now.total));
  input.addEventListener("input", () => jump(Number(input.value)));
  const el = h(
    "div",
    { class: "tra-transport" },
    h("div", { class: "tra-buttons" }, play, back, forward, end),
    h("label", { class: "course-slider" }, h("span", { class: "course-label" }, "step"), output, input),
  );
  function draw({ at, total, ready }) {
    now = { at, total };
    setAttr(input, "max", Math.max(1, total));
    if (Number(input.value) !== at) input.value = at;
    setAttr(input, "style", `--part: ${at / Math.max(1, total)}`);
    setText(output, ready ? `${at} of ${total}` : "…");
    setAttr(input, "aria-valuetext", `step ${at} of ${total}`);
    setText(play, way.playing() ? "Pause" : at === total ? "Play from the start" : "Play");
    play.disabled = input.disabled = !ready;
    back.disabled = !ready || at === 0;
    forward.disabled = end.disabled = !ready || at === total;
    if (at === total) way.halt();
  }
  return { el, draw, halt: way.halt, playing: way.playing };
}
