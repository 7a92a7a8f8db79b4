// StudyTable: filters, a sentence, a key, and a table whose columns sort and whose lines have a picture. rows.js
// decides what is shown.

import declared from "./settings.json" with { type: "json" };
import { codecs, optionOf, shown, words } from "./rows.js";
import { given } from "../shell/given.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, button, choice, h, setAttr, setText, svg, watchTheme } from "../drawing/ui.js";

const settings = settingsOf(Object.keys(declared));
const HEIGHT = 24; // of a picture
const ROOM = 0.04; // of its width at both ends, so that no mark is cut in half
const root = (x) => Math.sign(x) * Math.sqrt(Math.abs(x));
const share = ({ low, high }, x) => ROOM + ((1 - 2 * ROOM) * (root(x) - root(low))) / (root(high) - root(low) || 1);
const per = (part) => `${(100 * part).toFixed(2)}%`;
const signed = (x, scale) => (scale.low < 0 && x > 0 ? `+${x}` : String(x).replace("-", "−"));

/** One bar of buttons for each filter, and one for the views. */
function filterBar(study, get, change) {
  const { legend, views, filters } = study;
  const turn = (name, value) => {
    const { [name]: _, ...rest } = get().show;
    change({ show: value === undefined ? rest : { ...rest, [name]: value } });
  };
  const part = (name, said, options, oninput) => {
    const bar = choice({
      legend: said,
      value: options[0][0],
      options: options.map(([value, label]) => ({ value, label })),
      oninput,
    });
    const el = h(
      "div",
      { class: `sty-filter${name === "verdict" ? " sty-filter-verdict" : ""}` },
      h("span", { "aria-hidden": "true" }, name),
      bar.el,
    );
    return { el, name, set: bar.set };
  };
  const texts = (options) => [["all", "all"], ...options.map(([value, label]) => [String(value), String(label)])];
  const parts = Object.entries(filters).map(([name, each]) =>
    part(name, each.legend, texts(each.options), (text) => turn(name, optionOf(study, name, text))),
  );
  const view = part(
    legend,
    legend,
    Object.entries(views).map(([key, [label]]) => [key, label]),
    (key) => change({ view: key }),
  );
  return {
    el: h("div", { class: "sty-filters" }, view.el, ...parts.map(({ el }) => el)),
    draw(state) {
      view.set(state.view);
      for (const { name, set } of parts) set(String(state.show[name] ?? "all"));
    },
  };
}

function picture({ dots, middle, band: [low, high], published, said }, scale) {
  const at = (x) => per(share(scale, x));
  const rule = (x, more) => svg("line", { x1: at(x), x2: at(x), y1: 0, y2: HEIGHT, ...more });
  const diamond = () => svg("path", { class: "sty-published", d: "M0-7 6 0 0 7-6 0z" });
  return svg(
    "svg",
    { class: "sty-picture", role: "img", "aria-label": said, height: HEIGHT },
    svg("rect", {
      class: "sty-band",
      x: at(low),
      width: per(share(scale, high) - share(scale, low)),
      y: 3,
      height: HEIGHT - 6,
      rx: 3,
    }),
    ...scale.ticks.map((x) => rule(x, { class: x ? "sty-grid" : "sty-zero" })),
    ...dots.map((x) => svg("circle", { class: "sty-dot", cx: at(x), cy: HEIGHT / 2, r: 2.7 })),
    rule(middle, { class: "sty-middle", y1: 4, y2: HEIGHT - 4 }),
    // nested, so that the diamond keeps its form: its place is in per cent, its size in pixels
    ...(published === null ? [] : [svg("svg", { x: at(published), y: HEIGHT / 2, overflow: "visible" }, diamond())]),
  );
}

function axis(scale) {
  const mark = (x) => svg("text", { x: per(share(scale, x)), y: 12, "text-anchor": "middle" }, signed(x, scale));
  return svg("svg", { class: "sty-axis", height: 16, "aria-hidden": "true" }, ...scale.ticks.map(mark));
}

function sortable({ noun, columns }, get, change) {
  const turn = (key) => {
    const { sort } = get();
    change({ sort: sort === key ? `-${key}` : sort === `-${key}` ? "printed" : key });
  };
  const face = h("span", {});
  const heads = columns.map(([key, label, spoken, kind]) => {
    const arrow = h("span", { "aria-hidden": "true" });
    const onclick = () => turn(key);
    const title = key
      ? h("button", { type: "button", class: "sty-sort", "aria-label": `sort by ${spoken}`, onclick }, label, arrow)
      : h("span", { class: "course-hidden" }, spoken);
    const el = h(
      "th",
      { scope: "col", class: `sty-${kind}`, "data-key": key },
      title,
      ...(kind === "picture" ? [face] : []),
    );
    return { el, key, arrow };
  });
  const body = h("tbody");
  const table = h("table", {}, h("thead", {}, h("tr", {}, ...heads.map(({ el }) => el))), body);
  const line = (each, scale, first) =>
    h(
      "tr",
      { class: first ? "sty-first" : null, "data-verdict": each.verdict },
      ...each.cells.map((cell, i) => {
        const kind = columns[i][3];
        const text = Array.isArray(cell) ? cell[0] : (cell ?? "–");
        const named = kind === "name" ? { scope: "row" } : {};
        return h(
          kind === "name" ? "th" : "td",
          { class: `sty-${kind}`, ...named },
          kind === "picture" ? picture(each, scale) : text,
        );
      }),
    );
  return {
    el: h(
      "div",
      {
        class: "sty-scroll course-fades course-fades-end",
        tabindex: 0,
        role: "region",
        "aria-label": `The ${noun}s: scroll with the arrow keys`,
      },
      table,
    ),
    draw({ first, lines }, { sort }, scale) {
      for (const { el, key, arrow } of heads.filter((head) => head.key)) {
        const way = sort === key ? "ascending" : sort === `-${key}` ? "descending" : "none";
        setAttr(el, "aria-sort", way);
        setText(arrow, { ascending: " ↑", descending: " ↓", none: "" }[way]);
      }
      face.replaceChildren(axis(scale));
      body.replaceChildren(...(first ? [line(first, scale, true)] : []), ...lines.map((each) => line(each, scale)));
    },
  };
}

async function render({ model, el }) {
  const box = rootOf(el, "sty", "A published study beside ours");
  const study = await given(box, model, "study");
  if (study === null) {
    el.dataset.ready = "1";
    return watchTheme(box, () => {});
  }
  const { authored, values, change, publish, live } = settings.open(model, codecs(study));
  const bar = filterBar(study, values, change);
  const list = sortable(study, values, change);
  const sentence = h("p", { class: "sty-words" });
  const unit = h("span");
  const [dots, band] = study.key;
  const key = h(
    "p",
    { class: "sty-key", "aria-hidden": "true" },
    h("span", { class: "sty-theirs" }, "◆ published"),
    h("span", {}, h("i", { class: "sty-key-dot" }), dots),
    h("span", {}, h("i", { class: "sty-key-band" }), band),
    unit,
  );
  const voice = announcer();
  box.append(
    bar.el,
    sentence,
    key,
    list.el,
    h(
      "div",
      {},
      button("reset", () => change(authored)),
    ),
    voice.el,
  );
  function draw() {
    const state = values();
    const found = shown(study, state);
    const text = words(study, found);
    bar.draw(state);
    list.draw(found, state, study.scales[state.view]);
    setText(unit, study.views[state.view][1]);
    setText(sentence, text);
    voice.tell(text);
    setAttr(box, "data-rows", found.lines.length);
    publish(box, state, {});
  }
  return live(draw, { root: box, el }).stop;
}

export default { initialize: settings.initialize, render };
