// The way through steps that are computed: play, back, forward, to the end where it is asked for, and a slider.

import { track } from "../drawing/track.js";
import { button, clamp, h, setText } from "../drawing/ui.js";
import { player } from "./player.js";

/**
 * place(): {at, total, complete: will there be no more steps?}; go(to): show this step; pace(total): milliseconds a
 * step. `patient`: the reader moves when all steps are there. Play goes on from step to step until the last.
 */
export function transport({ place, go, pace, changed, end = false, patient = false }) {
  const way = player({
    changed,
    pace: () => pace(place().total),
    step() {
      const { at, total, complete } = place();
      if (at < total) go(at + 1);
      return !complete || at + 1 < total;
    },
  });
  const jump = (to) => {
    way.halt();
    go(clamp(to, 0, place().total));
  };
  const begin = () => {
    if (way.playing()) return way.halt();
    if (place().at === place().total) go(0);
    way.start();
  };
  const play = button("Play", begin, "course-main");
  const back = button("Back", () => jump(place().at - 1));
  const forward = [
    button("Forward", () => jump(place().at + 1)),
    ...(end ? [button("To the end", () => jump(place().total))] : []),
  ];
  const steps = track("step", jump);
  const el = h(
    "div",
    { class: "course-transport" },
    h("div", { class: "course-buttons" }, play, back, ...forward),
    steps.el,
  );
  function draw() {
    const { at, total, complete } = place();
    const closed = patient && !complete;
    const shown = closed ? "…" : `${at} of ${total}${complete ? "" : " …"}`;
    steps.draw({ at, last: Math.max(1, total), shown, spoken: `step ${at} of ${total}`, disabled: closed });
    setText(play, way.playing() ? "Pause" : at === total && (complete || patient) ? "Play from the start" : "Play");
    play.disabled = closed;
    back.disabled = closed || at === 0;
    for (const each of forward) each.disabled = closed || at === total;
  }
  return { el, draw, halt: way.halt, playing: way.playing, close: way.close };
}
