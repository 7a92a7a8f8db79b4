// Train, pause, step, reset; how fast; and the way back to any moment that is kept.

import { short, speedDial } from "../drawing/training.js";
import { button, h, number, setAttr, setAttrs, setText } from "../drawing/ui.js";
import { lower, status } from "./words.js";

/** acts: {play, step, reset, defaults, slower, seek(step), speed(stepsPerSecond or null)}. */
export function transport(acts) {
  const play = button("Train", acts.play, "course-main trn-play");
  const step = button("Step", acts.step);
  const slower = button("", acts.slower, "course-main trn-play");
  const words = h("p", { class: "trn-status" });
  const speed = speedDial("steps", acts.speed);
  const input = h("input", { type: "range", min: 0, max: 0, step: 1, value: 0 });
  const output = h("output", { "aria-hidden": "true" });
  let moments = [0];
  input.addEventListener("input", () => acts.seek(moments[Number(input.value)]));
  const el = h(
    "div",
    { class: "trn-transport" },
    h("div", { class: "trn-buttons" }, play, step, button("Reset", acts.reset), button("Defaults", acts.defaults)),
    speed.el,
    h("label", { class: "course-slider" }, h("span", { class: "course-label" }, "moment"), output, input),
    h("div", { class: "trn-told" }, words, slower),
  );

  /** now: the settings. */
  function draw({ frame, task, playing, now }) {
    setText(play, playing ? "Pause" : "Train");
    step.disabled = playing || Boolean(frame?.stopped);
    speed.set(now.speed);
    slower.hidden = frame?.stopped !== "diverged";
    if (!slower.hidden) setText(slower, `Start again with ${short(lower(now.rate))}`);
    if (!frame) return;
    moments = frame.moments;
    const last = moments.length - 1;
    const at = Math.max(
      0,
      moments.findLastIndex((kept) => kept <= frame.step),
    );
    setAttr(input, "max", last);
    if (Number(input.value) !== at) input.value = at;
    input.disabled = last < 1;
    setText(output, `step ${number(frame.step, 0)}`);
    setAttrs(input, { "aria-valuetext": `step ${frame.step} of ${frame.steps}`, style: `--part: ${last ? at / last : 0}` });
    setText(words, status(frame, task, now.rate));
    words.classList.toggle("trn-trouble", frame.stopped === "diverged");
  }
  return { el, draw };
}
