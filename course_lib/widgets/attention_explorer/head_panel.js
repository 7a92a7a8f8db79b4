// What one reads of the heads: all maps small, one or two large, a head switched off, and the chosen row in words.

import { h, number, setText, toggle } from "../drawing/ui.js";
import { largeMap, overview } from "./maps.js";
import { ablation, mapName, overlap, rowWords } from "./words.js";

const same = (a, b) => a[0] === b[0] && a[1] === b[1];

/** get(): the settings; change(part); choose(row, column or null). */
export function headPanel({ get, change, choose }) {
  const small = overview({ choose: ([layer, head]) => change({ layer, head }) });
  const large = largeMap({ choose, answers: true });
  const second = largeMap({ choose, answers: false });
  const alike = h("p", { class: "trn-soft" });
  const effect = h("p", { class: "aex-effect" });
  const sentence = h("p", { class: "aex-sentence" });
  let map = [0, 0];
  const switched = toggle({
    label: "this head is on",
    value: true,
    oninput(on) {
      const rest = get().off.filter((other) => !same(other, map));
      change({ off: on ? rest : [...rest, map].sort((a, b) => a[0] - b[0] || a[1] - b[1]) });
    },
  });
  const other = h("select", {
    onchange: () => {
      const pair = other.value.split(".").map(Number); // none is chosen where its map is gone with a smaller model
      change({ compare: pair.length === 2 ? pair : null });
    },
  });
  let menu = "";
  function offer({ layers, h: heads }) {
    if (menu === `${layers} ${heads}`) return;
    menu = `${layers} ${heads}`;
    const pairs = Array.from({ length: layers * heads }, (_, i) => [Math.floor(i / heads), i % heads]);
    other.replaceChildren(
      h("option", { value: "none" }, "no other"),
      ...pairs.map((pair) => h("option", { value: pair.join(".") }, mapName(layers, pair))),
    );
  }
  const larges = h("div", { class: "aex-larges", hidden: true }, large.el, second.el);
  const compared = h("label", { class: "aex-other" }, h("span", {}, "compare with"), other);
  const tools = h("div", { class: "aex-tools", hidden: true }, switched.el, compared);
  function draw(state) {
    const { frame, task, sizes, compare } = state;
    map = state.map;
    larges.hidden = tools.hidden = false;
    larges.classList.toggle("aex-pair", Boolean(compare));
    small.draw(state);
    large.draw(state, map);
    second.el.hidden = !compare;
    if (compare) second.draw(state, compare);
    const shared = compare && number(overlap(frame, task.n, map, compare));
    setText(alike, compare ? `The two maps share ${shared} of their weight (1: equal).` : "");
    switched.set(!get().off.some((pair) => same(pair, map)));
    offer(sizes);
    other.value = compare ? compare.join(".") : "none";
    setText(effect, ablation(frame, sizes));
    sentence.replaceChildren(...rowWords(state).map((part) => (part.strong ? h("b", {}, part.strong) : part)));
  }
  return { el: [larges, small.el, alike, tools, effect, sentence], draw, sentence: () => sentence.textContent };
}
