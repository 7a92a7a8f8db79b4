// Positions: the model holds the settings; encode.js turns them into numbers; the parts draw them once a frame.

import { clocks } from "./clocks.js";
import { curve } from "./curve.js";
import { dials } from "./dials.js";
import { dots, encode, pairsOf } from "./encode.js";
import { map } from "./map.js";
import declared from "./settings.json" with { type: "json" };
import { words } from "./words.js";
import { sides } from "../shell/layout.js";
import { rootOf } from "../shell/root.js";
import { codecsOf } from "../shell/settings.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, button, clamp, h, setAttrs, setText } from "../drawing/ui.js";

const { controls: _, ...CODECS } = codecsOf(declared);
const settings = settingsOf(Object.keys(CODECS));

/** A position or pair that is no longer there becomes the last one. */
const kept = (given) => ({
  ...given,
  position: Math.min(given.position, given.n - 1),
  pair: Math.min(given.pair, pairsOf(given) - 1),
});

function render({ model, el }) {
  const names = model.get("controls");
  const root = rootOf(el, "pos", "Positions");
  const { authored, values, change, save, link, live } = settings.open(model, CODECS, [...names, "position", "pair"]);
  const now = () => kept(values()); // not what was drawn last: a second key may come before the next frame
  const step = (by) => change({ position: clamp(now().position + by, 0, now().n - 1) });
  const picture = map({ choose: change, now });
  const hands = clocks({ choose: change });
  const chart = curve();
  const panel = dials(names, change);
  const back = button("one position back", () => step(-1));
  const on = button("one position on", () => step(1));
  const reset = button("reset", () => change(authored));
  const tools = h("div", { class: "pos-tools" }, back, on);
  const sentence = h("p", { class: "pos-words" });
  const voice = announcer();
  root.append(
    sides({
      picture: [picture.el, tools],
      beside: [
        panel.el,
        h("div", { class: "pos-tools" }, reset),
        h("div", { class: "pos-top" }, hands.large, sentence),
        chart.el,
      ],
    }),
    hands.el,
    voice.el,
  );

  function draw(theme) {
    const given = now();
    const P = encode(given);
    const state = { ...given, P, row: P[given.position], dots: dots(P, given.position) };
    const text = words(state);
    picture.draw(state, theme);
    for (const part of [hands, chart, panel]) part.draw(state);
    back.disabled = state.position === 0;
    on.disabled = state.position === state.n - 1;
    setText(sentence, text);
    voice.tell(text);
    setAttrs(root, given, "data-");
    model.set({ row: state.row, dots: state.dots });
    save();
    link(given);
  }
  return live(draw, { root, el }).stop;
}

export default { initialize: settings.initialize, render };
