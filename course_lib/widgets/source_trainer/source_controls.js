// The source's own controls: how many tokens, their shares, and the chain.

import { grid, group } from "../drawing/training.js";
import { h, number, setText, slider, toggle } from "../drawing/ui.js";
import { TAKES } from "./address.js";
import { menu } from "./menu.js";
import { move, whole } from "./shares.js";
import { leastSticky } from "./source.js";

const halves = (...parts) => parts.map((part) => part / 32);
export const PUBLISHED = { 2: [0.75, 0.25], 4: [0.5, 0.25, 0.125, 0.125], 8: halves(8, 8, 4, 4, 4, 2, 1, 1) };
const uniform = (v) => whole(Array(v).fill(1 / v));
const certain = (v) => whole([0.97, ...Array(v - 1).fill(0.03 / (v - 1))]);
const SOURCES = [
  ["published, 2 tokens", () => PUBLISHED[2]],
  ["published, 4 tokens", () => PUBLISHED[4]],
  ["published, 8 tokens", () => PUBLISHED[8]],
  ["all alike", uniform],
  ["nearly certain", certain],
];
const same = (a, b) => a.every((x, i) => Math.abs(x - b[i]) < 5e-6) && a.length === b.length;
const percent = (share) => `${number(100 * share, share < 0.1 ? 2 : 1)} %`;

const KEPT = "Each token's share is still p; only its order has a memory.";
function aboutChain(p, s) {
  if (s === null)
    return (
      "Tokens are drawn one by one, without regard to each other: nothing in a sequence helps to predict " + "the next."
    );
  if (s < 0)
    return (
      `The last token comes again less often than p says; at ${number(leastSticky(p))} some pair never ` +
      `occurs. ${KEPT}`
    );
  return (
    `With the stickiness as probability the last token is repeated; otherwise one is drawn from p, which may ` +
    `be the same. ${KEPT}`
  );
}

/** get(): the settings; change({name: value}). */
export function sourceControls({ get, change }) {
  const sticky = (s, p = get().p) => (s === null ? s : Math.max(s, leastSticky(p)));
  const give = (p) => change({ p, stickiness: sticky(get().stickiness, p) });
  const preset = menu("source", SOURCES, {
    fits: ([, of]) => same(of(get().p.length), get().p),
    choose: ([, of]) => give(of(get().p.length)),
  });
  const count = slider({
    label: "tokens v",
    min: 2,
    max: 8,
    step: 1,
    value: 2,
    format: String,
    oninput: (v) => {
      if (v !== get().p.length) give(PUBLISHED[v] ?? uniform(v));
    },
  });
  const shares = h("div", {
    class: "trn-grid stn-shares",
    role: "group",
    "aria-label": "The source's probabilities, with the sum 1",
  });
  const chain = toggle({
    label: "Markov chain",
    value: false,
    oninput: (on) => change({ stickiness: sticky(on ? 0.5 : null) }),
  });
  const [min, max] = TAKES.stickiness;
  const oninput = (s) => change({ stickiness: sticky(s) });
  const stickiness = slider({ label: "stickiness", min, max, step: 0.01, value: 0, oninput });
  const about = h("p", { class: "trn-soft" });
  let sliders = [];
  const share = (_, i) =>
    slider({
      label: `p of token ${i}`,
      min: 0,
      max: 1,
      step: 0.005,
      value: 0,
      format: percent,
      oninput: (x) => {
        // else the token is gone, and its slider goes with the next frame
        if (i < get().p.length) give(move(get().p, i, x));
      },
    });
  function draw() {
    const { p, stickiness: s } = get();
    if (sliders.length !== p.length) {
      sliders = p.map(share);
      shares.replaceChildren(...sliders.map((each) => each.el));
    }
    sliders.forEach((each, i) => each.set(p[i]));
    count.set(p.length);
    preset.draw();
    chain.set(s !== null);
    stickiness.el.hidden = s === null;
    if (s !== null) stickiness.set(s);
    setText(about, aboutChain(p, s));
  }
  const dials = grid(preset.el, count.el, h("div", {}, chain.el), stickiness.el);
  return { el: group("Source", { open: true }, dials, shares, about), draw };
}
