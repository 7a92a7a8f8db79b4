// QuadraticWall: the model holds the sizes; stack.js turns them into costs; the parts draw them once a frame. The
// device is measured in a worker when the reader asks for it.

import { loadData } from "../runtime/data.js";
import { CODECS } from "./address.js";
import { chart } from "./chart.js";
import { controls } from "./controls.js";
import { session as local } from "./measure.js";
import { table } from "./table.js";
import { figures, operations, REFERENCE, words } from "./words.js";
import { connect } from "../runtime/remote.js";
import { sides } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";
import { button } from "../drawing/desk.js";
import { announcer, h, setAttr, setText } from "../drawing/ui.js";

const settings = settingsOf(Object.keys(CODECS));

function render({ model, el }) {
  const root = rootOf(el, "wal course-desk", "The quadratic wall");
  const { authored, values: get, change, publish, live } = settings.open(model, CODECS);
  // heads that do not share the width evenly are no setting
  if (get().d % get().h) change({ d: authored.d, h: authored.h });

  const board = controls({ get, change, reset: () => change(authored) });
  const view = chart({ choose: (n) => change({ n }) });
  const list = table();
  const sentences = h("div", { class: "wal-words" });
  const voice = announcer();
  const told = h("p", { class: "wal-device" });
  const asker = button("measure this device", measure);
  const trouble = h("p", { class: "wal-trouble", role: "alert", hidden: true });
  const key = h(
    "p",
    { class: "wal-key" },
    "Each of the layers is followed by a feed-forward layer of width 4d; attentions have four projections. Strided: " +
      "stride ⌈√n⌉. Kept: float32 parameters, " +
      "and what a training step of one sequence keeps for the way back; 1 GiB = 2³⁰ bytes. Block by block, the way " +
      "back repeats one of the two products. † more than this page holds; ‡ more than a P100 holds. Seconds: " +
      "FLOPs over speed, the least there can be; an RNN’s steps wait for each other and take longer.",
  );
  const speeds = [h("div", { class: "wal-measure" }, asker, told), trouble];
  root.append(sides({ picture: [view.face], beside: [board.el] }), sentences, list.el, ...speeds, key, voice.el);

  let session = null;
  let busy = false;
  let closed = false;
  async function measure() {
    if (busy) return;
    busy = true;
    trouble.hidden = true;
    redraw();
    try {
      const worker = await loadData(model, "worker");
      if (closed) return;
      session = connect(worker, hear, local);
      session.send({ type: "measure" });
    } catch (error) {
      hear({ type: "error", words: error.message });
    }
  }
  function hear(message) {
    if (closed) return;
    setAttr(root, "data-where", session?.kind ?? "none");
    session?.close();
    session = null;
    busy = false;
    if (message.type === "measured") model.set("measured", message.rate);
    else {
      setText(trouble, `The device could not be measured: ${message.words}`);
      trouble.hidden = false;
    }
    redraw();
  }

  function draw() {
    const state = get();
    const own = model.get("measured");
    const measured = own > 0;
    const rate = measured ? own : REFERENCE;
    const found = figures(state, rate);
    const text = words(state, found);
    board.draw(state);
    view.draw(state, rate, measured);
    list.draw(found, measured);
    sentences.replaceChildren(...text.map((sentence, i) => h("p", { class: i ? "" : "wal-first" }, sentence)));
    setText(asker, busy ? "measuring …" : measured ? "measure again" : "measure this device");
    setText(
      told,
      measured
        ? `This device: ${operations(rate)} FLOPs a second in this page, one thread, at its best.`
        : `Reference, not your device: ${operations(REFERENCE)} FLOPs a second, this page’s own matrix product on ` +
            `one core of a small server.`,
    );
    voice.tell(text.join(" "));
    setAttr(root, "data-measured", measured ? rate : "");
    const costs = Object.fromEntries(
      Object.entries(found.costs).map(([kind, { flops, bytes, steps, path }]) => [kind, { flops, bytes, steps, path }]),
    );
    const { weights, crossing, fits_p100, fits_page } = found;
    publish(root, state, { result: { costs, weights, crossing, fits_p100, fits_page, rate } });
  }
  const { redraw, stop } = live(draw, { root, el, face: view.face, more: ["measured"] });
  return () => {
    closed = true;
    session?.close();
    stop();
  };
}

export default { initialize: settings.initialize, render };
