// Train, pause, step, reset; how fast; and the way back to any moment that is kept.

import { short, speedDial } from "../drawing/training.js";
import { track } from "../drawing/track.js";
import { button, h, number, setText } from "../drawing/ui.js";
import { lower, status } from "./words.js";

/** acts: {play, step, reset, defaults, slower, seek(step), speed(stepsPerSecond or null)}. */
export function transport(acts) {
  const play = button("Train", acts.play, "course-main trn-play");
  const step = button("Step", acts.step);
  const slower = button("", acts.slower, "course-main trn-play");
  const words = h("p", { class: "trn-status" });
  const speed = speedDial("steps", acts.speed);
  let moments = [0];
  const moment = track("moment", (i) => acts.seek(moments[i]));
  const el = h(
    "div",
    { class: "trn-transport" },
    h("div", { class: "trn-buttons" }, play, step, button("Reset", acts.reset), button("Defaults", acts.defaults)),
    speed.el,
    moment.el,
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
    moment.draw({
      at,
      last,
      shown: `step ${number(frame.step, 0)}`,
      spoken: `step ${frame.step} of ${frame.steps}`,
      disabled: last < 1,
    });
    setText(words, status(frame, task, now.rate));
    words.classList.toggle("trn-trouble", frame.stopped === "diverged");
  }
  return { el, draw };
}
