// A published study beside ours: filters, a sentence, a key, and a table whose columns sort and whose rows have a picture. What is
// shown, and in which words, the widget says; style: comparison.css.

import { given } from "./given.js";
import { rootOf } from "./root.js";
import { settingsOf } from "./traits.js";
import { announcer, button, choice, h, setAttr, setText, svg, watchTheme } from "../drawing/ui.js";

/** filters: [{name, legend, title, options: [[value, label], …]}], one bar of buttons a setting. */
function filterBar(filters, change) {
  const parts = filters.map(({ name, legend, title, options }) => {
    const bar = choice({
      legend,
      value: String(options[0][0]),
      options: options.map(([value, label]) => ({ value: String(value), label: String(label) })),
      oninput: (text) => change({ [name]: options.find(([value]) => String(value) === text)[0] }),
    });
    const el = h("div", { class: `cmp-filter cmp-filter-${name}` }, h("span", { "aria-hidden": "true" }, title), bar.el);
    return { el, draw: (state) => bar.set(String(state[name])) };
  });
  const el = h("div", { class: "cmp-filters" }, ...parts.map((part) => part.el));
  return { el, draw: (state) => parts.forEach((part) => part.draw(state)) };
}

/** columns: [{key, label, spoken, kind, more}]; one without a key does not sort. `more` stands under the label. */
function sortable({ columns, label, kind }, now, change) {
  const turn = (key) => {
    const { sort } = now();
    change({ sort: sort === key ? `-${key}` : sort === `-${key}` ? "printed" : key });
  };
  const heads = columns.map((column) => {
    const arrow = h("span", { "aria-hidden": "true" });
    const sorts = {
      type: "button",
      class: "cmp-sort",
      "aria-label": `sort by ${column.spoken}`,
      onclick: () => turn(column.key),
    };
    const title = column.key ? h("button", sorts, column.label, arrow) : column.label;
    const el = h("th", { scope: "col", class: column.kind, "data-key": column.key }, title, ...(column.more ?? []));
    return { el, key: column.key, arrow };
  });
  const body = h("tbody");
  const table = h("table", {}, h("thead", {}, h("tr", {}, ...heads.map(({ el }) => el))), body);
  const el = h("div", { class: `cmp-scroll ${kind}`, tabindex: 0, role: "region", "aria-label": label }, table);
  function draw(rows, { sort }) {
    for (const head of heads.filter(({ key }) => key)) {
      const way = sort === head.key ? "ascending" : sort === `-${head.key}` ? "descending" : "none";
      setAttr(head.el, "aria-sort", way);
      setText(head.arrow, { ascending: " ↑", descending: " ↓", none: "" }[way]);
    }
    body.replaceChildren(...rows);
  }
  return { el, table, draw };
}

/**
 * The front end of such a widget. names: its settings; blob: its data; kind, label: of the root. of(data) gives codecs, filters, key
 * (what stands under the sentence), table: {columns, label, kind}, shown(state) → list, words(list, state), rows(list, state) → lines
 * of the table and, if Python reads anything back, back(list, state, table) → its traits.
 */
export function comparison({ names, blob, kind, label, of }) {
  const settings = settingsOf(names);
  async function render({ model, el }) {
    const root = rootOf(el, `cmp ${kind}`, label);
    const data = await given(root, model, blob);
    if (data === null) {
      el.dataset.ready = "1";
      return watchTheme(root, () => {});
    }
    const study = of(data);
    const { authored, values, change, publish, live } = settings.open(model, study.codecs);
    const bar = filterBar(study.filters, change);
    const list = sortable(study.table, values, change);
    const sentence = h("p", { class: "cmp-words" });
    const voice = announcer();
    const reset = button("reset", () => change(authored));
    const key = h("p", { class: "cmp-key", "aria-hidden": "true" }, ...study.key);
    root.append(bar.el, sentence, key, list.el, h("div", {}, reset), voice.el);

    function draw() {
      const state = values();
      const found = study.shown(state);
      const text = study.words(found, state);
      bar.draw(state);
      list.draw(study.rows(found, state), state);
      setText(sentence, text);
      voice.tell(text);
      setAttr(root, "data-rows", found.length);
      publish(root, state, study.back?.(found, state, list.table) ?? {});
    }
    return live(draw, { root, el }).stop;
  }
  return { initialize: settings.initialize, render };
}

// ---- rows in order and in words
export const many = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

/** `kept` by the setting sort; keyOf(each, name): null where it has no value, which comes last. Equal ones keep the printed order. */
export function ordered(kept, sort, keyOf) {
  const down = sort.startsWith("-");
  const name = sort.replace(/^-/, "");
  if (name === "printed") return down ? [...kept].reverse() : kept;
  const known = kept.filter((each) => keyOf(each, name) !== null);
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  known.sort((a, b) => (down ? -1 : 1) * compare(keyOf(a, name), keyOf(b, name)));
  return [...known, ...kept.filter((each) => !known.includes(each))];
}

// ---- a row's picture
const per = (share) => `${(100 * share).toFixed(2)}%`;
/** share: value → 0 … 1; at the ends a part `room` of the width stays free, so that no mark is cut in half. */
export const inset = (room, share) => (value) => room + (1 - 2 * room) * share(value);

/**
 * The values `dots` of radius r and their middle on a ground in this order: {band: [low, high], …} and {line: value, …} with their
 * attributes. The published value is a diamond (none: null). at: value → share of the width.
 */
export function strip({ at, height, label, ground, dots, r, middle, published }) {
  const half = height / 2;
  const rule = (value, more) => svg("line", { x1: per(at(value)), x2: per(at(value)), ...more });
  const field = ([low, high], more) => svg("rect", { x: per(at(low)), width: per(at(high) - at(low)), ...more });
  const diamond = () => svg("path", { class: "cmp-published", d: "M0-7 6 0 0 7-6 0z" });
  return svg(
    "svg",
    { class: "cmp-picture", role: "img", "aria-label": label, height },
    ...ground.map(({ band, line, ...more }) => (band ? field(band, more) : rule(line, { y1: 0, y2: height, ...more }))),
    ...dots.map((value) => svg("circle", { class: "cmp-dot", cx: per(at(value)), cy: half, r })),
    rule(middle, { class: "cmp-middle", y1: half - 8, y2: half + 8 }),
    // nested, so that the diamond keeps its form: its place is in per cent, its size in pixels
    ...(published === null ? [] : [svg("svg", { x: per(at(published)), y: half, overflow: "visible" }, diamond())]),
  );
}

export function axis({ at, height, ticks, text = String }) {
  const marks = ticks.map((x) => svg("text", { x: per(at(x)), y: height - 4, "text-anchor": "middle" }, text(x)));
  return svg("svg", { class: "cmp-axis", height, "aria-hidden": "true" }, ...marks);
}
