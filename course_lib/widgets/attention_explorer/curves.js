// Loss and accuracy over the steps, with two exact lines: the least loss any predictor can have (0 where the answers
// are determined), and the least for one that sees its own token and place only.

import { lineChart } from "../drawing/line_chart.js";
import { h, number } from "../drawing/ui.js";
import { percent } from "./words.js";

const FEWEST = 20; // steps on the axis at least

function chart(kind, title) {
  const { picture, draw } = lineChart({ width: 320, height: 132, right: 8, kinds: [kind], inset: 8, at: true });
  return { el: h("figure", {}, picture, h("figcaption", {}, title)), draw };
}

export function curves() {
  const loss = chart("loss", "Loss in nats per answer");
  const accuracy = chart("accuracy", "Right answers, on 64 fixed questions");
  const el = h("div", { class: "aex-curves" }, loss.el, accuracy.el);
  function draw({ frame, task }) {
    const { step, steps } = frame;
    const most = Math.max(FEWEST, steps);
    const x = {
      low: 0,
      high: most,
      marks: [
        [0, "step 0"],
        [most, String(most)],
      ],
    };
    const high = 1.5 * Math.log(task.vocabulary.length);
    const nats = [0, 1, 2, 3, 4].filter((value) => value < high);
    loss.draw({
      x,
      y: { low: 0, high, marks: nats.map((value) => [value, String(value)]) },
      series: { loss: frame.losses },
      at: step,
      marked: [
        [task.blind, `without looking ${number(task.blind)}`, "blind"],
        [task.floor, `floor ${number(task.floor)}`, "floor", task.floor > 0],
      ],
      words:
        `Loss over ${steps} steps${frame.loss === null ? "" : `, ${number(frame.loss)} nats at step ${step}`}; ` +
        `the floor is ${number(task.floor)}, without looking at other tokens it is ${number(task.blind)}.`,
    });
    accuracy.draw({
      x,
      y: { low: 0, high: 1, marks: [0, 0.5, 1].map((value) => [value, `${100 * value} %`]) },
      series: { accuracy: frame.accuracies },
      at: step,
      words: `Right answers over ${steps} steps, ${percent(frame.whole)} at step ${step}.`,
    });
  }
  return { el, draw };
}
