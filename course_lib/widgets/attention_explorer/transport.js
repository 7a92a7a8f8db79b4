// Train, pause, step, reset; how fast; and the way back to any moment that is kept.

import { h, number, setAttr, setText, slider } from "../drawing/ui.js";
import { lower, short, status } from "./words.js";

const FASTEST = 1000; // the slider's end means: as fast as this machine can

/** acts: {play, step, reset, defaults, slower, seek(step), speed(stepsPerSecond or null)}. */
export function transport(acts, speedNow) {
  const button = (text, act, kind = "") => h("button", { type: "button", class: `course-button ${kind}`, onclick: act }, text);
  const play = button("Train", acts.play, "aex-play");
  const step = button("Step", acts.step);
  const reset = button("Reset", acts.reset);
  const defaults = button("Defaults", acts.defaults);
  const slower = button("", acts.slower, "aex-play");
  const words = h("p", { class: "aex-status" });
  const speed = slider({
    label: "speed",
    min: 1,
    max: FASTEST,
    step: 0.25,
    scale: "log",
    value: speedNow ?? FASTEST,
    format: (x) => (x > 0.95 * FASTEST ? "as fast as it can" : `${short(x)} steps a second`),
    oninput: (x) => acts.speed(x > 0.95 * FASTEST ? null : Number(x.toPrecision(2))),
  });
  const input = h("input", { type: "range", min: 0, max: 0, step: 1, value: 0 });
  const output = h("output", { "aria-hidden": "true" });
  input.addEventListener("input", () => acts.seek(moments[Number(input.value)]));
  const moment = h("label", { class: "course-slider" }, h("span", { class: "course-label" }, "moment"), output, input);
  const el = h(
    "div",
    { class: "aex-transport" },
    h("div", { class: "aex-buttons" }, play, step, reset, defaults),
    speed.el,
    moment,
    h("div", { class: "aex-told" }, words, slower),
  );

  let moments = [0];
  function draw({ frame, task, playing, rate, speed: pace }) {
    setText(play, playing ? "Pause" : "Train");
    step.disabled = playing || Boolean(frame?.stopped);
    speed.set(pace ?? FASTEST);
    slower.hidden = frame?.stopped !== "diverged";
    if (!slower.hidden) setText(slower, `Start again with ${short(lower(rate))}`);
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
    setAttr(input, "aria-valuetext", `step ${frame.step} of ${frame.steps}`);
    setAttr(input, "style", `--part: ${last ? at / last : 0}`);
    setText(words, status(frame, task, rate));
    words.classList.toggle("aex-trouble", frame.stopped === "diverged");
  }
  return { el, draw };
}
